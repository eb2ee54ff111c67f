package dev.repartee.mcp;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.HttpReply;
import dev.repartee.transport.OutboundFrame;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a client of 2024-11-05: messages to the client are events of an SSE stream,
 * messages from the client are POSTs.
 *
 * <p>Thread-safe. The lock of this guards closed, and serializes incoming messages.
 */
final class EventChannel implements Channel {
  private static final ChannelInfo INFO = new ChannelInfo("http", "", "events");

  private final HttpReply reply;
  private final int frameBytes;
  private final Runnable ended;
  private @Nullable Receiver receiver;
  private boolean closed; // guarded by this

  /** The attributes of the message that is being delivered; written under the lock. */
  private volatile Attributes attributes = Attributes.NONE;

  /** {@code ended} runs once, when the channel is closed. */
  EventChannel(HttpReply reply, int frameBytes, Runnable ended) {
    this.reply = reply;
    this.frameBytes = frameBytes;
    this.ended = ended;
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
    reply.onGone(() -> abort(null));
  }

  /**
   * Delivers a message of the client; false if the channel is closed or its queue of requests is
   * full.
   *
   * @param principal the principal of the POST; its scopes may differ from those of the GET that
   *     opened the stream
   */
  synchronized boolean deliver(byte[] frame, @Nullable Principal principal) {
    if (closed || receiver == null || !receiver.ready()) {
      return false;
    }
    attributes = principal == null ? Attributes.NONE : Attributes.of(Principal.KEY, principal);
    receiver.frame(frame, 0, frame.length);
    return true;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(frameBytes);
  }

  @Override
  public void commit(OutboundFrame frame) {
    reply.send(new HttpReply.Event(null, "message", null, MessageEvent.data(frame.toBytes())));
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return reply.awaitRoom(time, unit);
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    reply.end();
    ended.run();
    if (receiver != null) {
      receiver.closed(cause);
    }
  }

  @Override
  public Attributes attributes() {
    return attributes;
  }

  @Override
  public ChannelInfo info() {
    return INFO;
  }
}
