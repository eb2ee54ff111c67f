package dev.repartee.mcp.http;

import dev.repartee.access.Principal;
import dev.repartee.framing.Receiver;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a client of 2024-11-05. Messages to the client are events of an SSE stream.
 * Messages from the client are POSTs.
 *
 * <p>Thread-safe. The lock of this object serializes incoming messages.
 */
final class EventChannel extends HttpChannel {
  private final HttpReply reply;
  private final Runnable ended;

  /**
   * The attributes of the message that is being delivered, and the principal of the last one. Written
   * under the lock.
   */
  private volatile Attributes attributes;

  /**
   * Creates a channel.
   *
   * @param principal the principal of the GET that opens the stream
   * @param ended runs once, when the channel is closed
   */
  EventChannel(HttpReply reply, @Nullable Principal principal, int frameBytes, Runnable ended) {
    super("events", frameBytes);
    this.attributes = with(Attributes.NONE, principal);
    this.reply = reply;
    this.ended = ended;
  }

  @Override
  public void start(Receiver receiver) {
    super.start(receiver);
    reply.onGone(() -> abort(null));
  }

  /**
   * Delivers a message of the client. Returns false if the channel is closed or its queue of
   * requests is full.
   *
   * @param request the POST; its headers may differ from those of the GET that opened the stream
   * @param principal the principal of the POST, whose scopes may differ, too
   */
  synchronized boolean deliver(HttpRequest request, @Nullable Principal principal) {
    Receiver receiver = receiver();
    if (receiver == null || !receiver.ready()) {
      return false;
    }
    attributes = with(request.attributes(), principal);
    receiver.frame(request.body(), 0, request.body().length);
    attributes = with(Attributes.NONE, principal); // small headers can use much memory
    return true;
  }

  private static Attributes with(Attributes facts, @Nullable Principal principal) {
    return principal == null ? facts : facts.with(Principal.KEY, principal);
  }

  @Override
  public void commit(OutboundFrame frame) {
    reply.send(HttpReply.Event.ofJson(frame.toBytes()).withType("message"));
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return reply.awaitRoom(time, unit);
  }

  @Override
  void ended() {
    reply.end();
    ended.run();
  }

  @Override
  public Attributes attributes() {
    return attributes;
  }
}
