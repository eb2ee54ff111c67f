package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.broker.Delivery;
import dev.repartee.internal.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message from a client. ZeroMQ stores no copy: messages are neither acknowledged nor delivered
 * again.
 *
 * <p>Each message gets exactly one reply, since a REQ socket sends nothing until it has received a
 * reply. The reply is empty if there is no answer. Only a client with a {@link Header} gets more
 * messages before it.
 */
final class ZmqDelivery implements Delivery {
  private static final byte[] NOTHING = new byte[0];

  private final RouterListening service;
  private final Client client;
  private final List<byte[]> envelope;
  private final @Nullable Header header;
  private final String name;
  private final String key;
  private final byte[] body;
  private volatile boolean hasReplied;
  private volatile Clock.@Nullable Timer deadline;

  /** Used by the thread of the sockets only. */
  private boolean isLost;

  /**
   * Creates a delivery.
   *
   * @param envelope the frames before the body; the first one is the identity
   * @param header the header in the envelope; null if the client has sent none
   * @param name identifies the message among the running messages of the client
   * @param key identifies the message among all messages of the service
   */
  ZmqDelivery(
      RouterListening service,
      Client client,
      List<byte[]> envelope,
      @Nullable Header header,
      String name,
      String key,
      byte[] body) {
    this.service = service;
    this.client = client;
    this.envelope = envelope;
    this.header = header;
    this.name = name;
    this.key = key;
    this.body = body;
    this.hasReplied = isNote();
  }

  /**
   * Returns the name of a message among the messages of its connection: its key, after the
   * identities that proxies have added, each with its length.
   */
  static String name(List<byte[]> envelope, String key) {
    int proxies = envelope.size() - 2;
    if (proxies == 1) {
      return key;
    }
    StringBuilder name = new StringBuilder();
    for (byte[] identity : envelope.subList(1, proxies)) {
      name.append(identity.length).append(':').append(text(identity));
    }
    return name.append(' ').append(key).toString();
  }

  /** Returns an identity as text with one character for each byte. */
  static String text(byte[] identity) {
    return new String(identity, ISO_8859_1);
  }

  private boolean isNote() {
    return header != null && header.kind().equals(Header.NOTE);
  }

  Client client() {
    return client;
  }

  List<byte[]> envelope() {
    return envelope;
  }

  /** Returns the number of bytes that are counted for the message in a queue. */
  long size() {
    return ReplyWriter.size(envelope) + body.length;
  }

  String name() {
    return name;
  }

  /**
   * Returns the time after which the client no longer waits for the answer, in milliseconds; 0 if
   * the client sends a cancellation at that time, or has set none.
   */
  long millis() {
    return header == null || !isForwarded() ? 0 : header.millis();
  }

  /** Sets the timer that cancels the message, which its end cancels. */
  void until(Clock.Timer timer) {
    deadline = timer;
  }

  /**
   * Returns whether the message has passed a proxy, which may send control messages to any service.
   */
  private boolean isForwarded() {
    return envelope.size() > 3;
  }

  @Override
  public byte[] body() {
    return body;
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public boolean expectsReply() {
    return !isNote();
  }

  @Override
  public boolean isIdempotent() {
    return header != null && header.idempotent();
  }

  @Override
  public int window() {
    return header == null || isForwarded() ? 0 : (int) Math.min(Integer.MAX_VALUE, header.number());
  }

  @Override
  public boolean isRepeated() {
    return false;
  }

  @Override
  public int attempts() {
    return 0;
  }

  @Override
  public void reply(byte[] frame, boolean hasMore) {
    hasReplied |= !hasMore;
    service.send(this, hasMore ? moreEnvelope() : envelope, frame);
  }

  private List<byte[]> moreEnvelope() {
    if (header == null) {
      throw new IllegalStateException("a client without a header accepts only one reply");
    }
    int last = envelope.size() - 1;
    byte[] more = new Header(Header.MORE, header.key()).toBytes();
    return List.of(envelope.get(0), more, envelope.get(last));
  }

  /** Returns a delivery of the same message, for an error instead of its replies. */
  ZmqDelivery copy() {
    return new ZmqDelivery(service, client, envelope, header, name, key, body);
  }

  /** Records that a reply was dropped: no further one is sent. */
  void lose() {
    isLost = true;
  }

  boolean isLost() {
    return isLost;
  }

  @Override
  public void done() {
    if (!hasReplied) {
      reply(NOTHING, false);
    }
    Clock.Timer timer = deadline;
    if (timer != null) {
      timer.cancel();
    }
    service.settled(this);
  }

  @Override
  public void dead(String reason) {
    if (!expectsReply()) {
      service.report("a message was not handled: " + reason);
    }
    done();
  }

  /** Returns whether the client sends the message again when the connection has ended. */
  @Override
  public boolean mayComeAgain() {
    return isIdempotent() && !isForwarded();
  }

  /** Gives no answer. */
  @Override
  public void again() {
    hasReplied = true;
    done();
  }
}
