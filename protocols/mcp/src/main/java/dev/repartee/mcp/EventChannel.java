package dev.repartee.mcp;

import dev.repartee.Channel;
import dev.repartee.ChannelInfo;
import dev.repartee.HttpReply;
import dev.repartee.Output;
import dev.repartee.Receiver;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection of two halves: what is said leaves as events on one, what is heard comes as requests on
 * others. Thread-safe.
 */
final class EventChannel implements Channel {
  private static final ChannelInfo INFO = new ChannelInfo("http", "", "events");

  private final HttpReply reply;
  private final int frameBytes;
  private final Runnable ended;
  private @Nullable Receiver receiver;
  private boolean closed; // guarded by this

  /** Those of the message that is being delivered; written under this. */
  private volatile Map<String, Object> attributes = Map.of();

  /** {@code ended} is told of the end. */
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
   * Takes a message that the client sent, and returns whether there was room for it.
   *
   * @param principal whose token came with the message; the token that opened the stream may allow more
   *     or less
   */
  synchronized boolean deliver(byte[] frame, @Nullable Principal principal) {
    if (closed || receiver == null || !receiver.ready()) {
      return false;
    }
    attributes = principal == null ? Map.of() : Map.of(Principal.KEY, principal);
    receiver.frame(frame, 0, frame.length);
    return true;
  }

  @Override
  public Output open() {
    return new Output().limit(frameBytes);
  }

  @Override
  public void commit(Output frame) {
    reply.send(new HttpReply.Event(null, "message", null, MessageEvent.data(frame.toBytes())));
  }

  @Override
  public void discard(Output frame) {}

  @Override
  public void resume() {}

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return reply.awaitRoom(time, unit);
  }

  @Override
  public void close() {
    abort(null);
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
  public Map<String, Object> attributes() {
    return attributes;
  }

  @Override
  public ChannelInfo info() {
    return INFO;
  }
}
