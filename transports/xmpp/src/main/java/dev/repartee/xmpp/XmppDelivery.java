package dev.repartee.xmpp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.broker.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * A message to a service: a request in an IQ, which gets exactly one answer, or a notification in a
 * message. The server stores no copy: nothing has to be acknowledged, and nothing is ever delivered
 * again.
 */
final class XmppDelivery implements Delivery {
  private final XmppListening worker;
  private final Guest from;
  private final String id;
  private final boolean isRequest;
  private final byte[] body;
  private final int window;
  private volatile boolean hasReplied;

  /**
   * Creates a delivery.
   *
   * @param stanza the IQ or the message
   * @param json its container
   */
  XmppDelivery(XmppListening worker, Guest from, Element stanza, Element json) {
    this.worker = worker;
    this.from = from;
    this.id = stanza.attribute("id");
    this.isRequest = stanza.name().equals("iq");
    this.body = json.text().getBytes(UTF_8);
    String bytes = json.attribute("{" + Xml.RPC + "}window");
    this.window = isRequest && bytes.matches("[0-9]{1,9}") ? Integer.parseInt(bytes) : 0;
  }

  @Override
  public byte[] body() {
    return body;
  }

  @Override
  public @Nullable String key() {
    return isRequest ? from.key(id) : null;
  }

  @Override
  public boolean expectsReply() {
    return isRequest;
  }

  @Override
  public boolean isIdempotent() {
    return false;
  }

  @Override
  public int window() {
    return window;
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
    if (hasMore) {
      String json = Xml.json(frame, "request", id);
      worker.send(Xml.stanza("message", "headline", from.address(), null, String.valueOf(json)));
      return;
    }
    hasReplied = true;
    String json = frame.length == 0 ? "" : Xml.json(frame);
    String stanza = Xml.stanza("iq", "result", from.address(), id, String.valueOf(json));
    int length = Xml.length(stanza);
    if (length > worker.most()) {
      stanza = Xml.error(
          from.address(),
          id,
          "cancel",
          "policy-violation",
          "the answer makes a stanza of " + length + " bytes; the limit is " + worker.most()
              + ", which the option stanza of the service raises");
    }
    worker.send(stanza);
  }

  @Override
  public void done() {
    from.ended(id);
    if (isRequest && !hasReplied) {
      reply(new byte[0], false);
    }
  }

  @Override
  public void dead(String reason) {
    if (!isRequest) {
      worker.report("a message was not handled: " + reason); // a caller has the reason
    }
    done();
  }

  @Override
  public boolean mayComeAgain() {
    return false;
  }

  /** Refuses the message. No part of it has run. */
  @Override
  public void again() {
    from.ended(id);
    if (isRequest) {
      worker.send(Xml.error(
          from.address(),
          id,
          "wait",
          "recipient-unavailable",
          "the service is closing; the message may be sent again later"));
    }
  }
}
