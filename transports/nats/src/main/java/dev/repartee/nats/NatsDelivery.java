package dev.repartee.nats;

import dev.repartee.broker.Delivery;
import dev.repartee.internal.Text;
import dev.repartee.internal.Times;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A message from the subject of a service. The server stores no copy: nothing has to be
 * acknowledged, and nothing is ever delivered again. A worker that closes sends an idempotent
 * message to the other workers. A {@link StoredRequest} is stored and acknowledged instead.
 *
 * <p>A client without the header {@link Names#WINDOW} gets exactly one message: the reply, or an
 * empty message if there is no reply, for example to a notification.
 */
final class NatsDelivery implements Delivery {
  private static final byte[] NOTHING = new byte[0];

  private final NatsListening worker;
  private final @Nullable StoredRequest stored;
  private final byte[] body;
  private final Map<String, String> headers;

  /** The milliseconds that the caller has left for the call; 0 if unknown. */
  private final long timeout;

  private final boolean idempotent;
  private final int window;
  private final @Nullable String reply;
  private final long start;
  private volatile boolean hasReplied;

  /** The error in the answer, for the statistics; null if there is none. */
  private volatile @Nullable String error;

  /**
   * Creates a delivery.
   *
   * @param stored settles a message of a stream; null for a message that the server does not store
   */
  NatsDelivery(NatsListening worker, Message message, @Nullable StoredRequest stored) {
    // No reference to the message is kept, since its headers can use forty times their size in
    // memory. Those of the caller are few, or none.
    this.worker = worker;
    this.start = worker.clock().nanos();
    this.headers = Names.own(message);
    this.stored = stored;
    this.body = message.getData();
    // As the engine reads it, by a name that ignores case.
    this.timeout = Math.max(0, Text.number(headers.getOrDefault(Times.HEADER, "")));
    this.idempotent = Names.header(message, Names.IDEMPOTENT) != null;
    this.reply = Names.replySubject(stored == null ? message.getReplyTo() : stored.reply());
    this.window = (int) Math.min(Integer.MAX_VALUE, Names.number(message, Names.WINDOW));
  }

  /** Returns whether the caller no longer waits for the answer. */
  boolean isLate() {
    return timeout > 0 && stored != null && stored.age() >= timeout;
  }

  @Override
  public byte[] body() {
    return body;
  }

  /** Also states the time that is left now: a stored message has waited in its stream. */
  @Override
  public Map<String, String> headers() {
    if (timeout == 0 || stored == null) {
      return headers;
    }
    Map<String, String> present = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    present.putAll(headers);
    present.put(Times.HEADER, Long.toString(Math.max(0, timeout - stored.age())));
    return present;
  }

  @Override
  public @Nullable String key() {
    return window > 0 ? reply : null;
  }

  @Override
  public boolean expectsReply() {
    return reply != null;
  }

  @Override
  public boolean isIdempotent() {
    return idempotent;
  }

  @Override
  public int window() {
    return window;
  }

  @Override
  public boolean isRepeated() {
    return attempts() > 0;
  }

  @Override
  public int attempts() {
    return stored == null ? 0 : stored.attempts();
  }

  @Override
  public boolean isCounted() {
    return stored != null;
  }

  @Override
  public void failed(int code) {
    error = "an answer with the error " + code;
  }

  @Override
  public void reply(byte[] frame, boolean hasMore) {
    String to = reply;
    if (to != null) {
      Headers headers = hasMore ? new Headers().put(Names.MORE, worker.control()) : null;
      hasReplied |= !hasMore;
      worker.send(to, headers, frame);
    }
  }

  @Override
  public void done() {
    settle(error);
    if (stored != null) {
      stored.done();
    }
  }

  @Override
  public void dead(String reason) {
    if (stored == null) {
      worker.bury(body, reason, null);
    } else {
      stored.dead(body, reason);
    }
    settle(reason);
  }

  @Override
  public void again() {
    if (stored != null) {
      stored.again();
      return;
    }
    long past = TimeUnit.NANOSECONDS.toMillis(worker.clock().nanos() - start);
    worker.putBack(
        reply,
        Names.request(headers, window, timeout == 0 ? 0 : Math.max(1, timeout - past), idempotent),
        body);
  }

  private void settle(@Nullable String error) {
    if (!hasReplied) {
      reply(NOTHING, false);
    }
    worker.statistics().add(worker.clock().nanos() - start, error);
  }
}
