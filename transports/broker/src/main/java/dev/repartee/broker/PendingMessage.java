package dev.repartee.broker;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.transport.OutboundFrame;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A message to the service, from its commit to its end; see {@link PendingMessages}. */
final class PendingMessage {
  /** The bytes that a message counts besides its text, for its objects. */
  private static final int OVERHEAD = 256;

  private static final Json VERSION = Json.of("2.0");

  final String key;
  final boolean expectsReply;

  /** Whether the frame has calls, which tell whether they wait; otherwise any reply may come. */
  final boolean hasCalls;

  /** Written under the lock of the channel; without its text once that is not needed any more. */
  private volatile OutboundFrame frame;

  // Guarded by the lock of the channel.

  /** The bytes that count towards the limit of the channel. */
  private long size;

  /** Whether the broker has taken the message over, since it was sent last. */
  boolean accepted;

  /** Whether the reply has arrived. */
  boolean answered;

  /** Whether the message has left the table of those in flight: later arrivals are dropped. */
  boolean ended;

  /** The number of connections that were lost before the broker had taken the message over. */
  int losses;

  /** Whether a worker has or had it: a message came back, or a connection was lost meanwhile. */
  boolean mayHaveRun;

  /** Null until a message arrives before the reply. */
  @Nullable ReceiveWindow window;

  PendingMessage(String key, OutboundFrame frame, boolean expectsReply) {
    this.key = key;
    this.frame = frame;
    this.expectsReply = expectsReply;
    this.hasCalls = frame.hasCalls();
    this.size = frame.size() + OVERHEAD;
  }

  /** Returns whether the service may answer a frame. May read its text, so it needs no lock. */
  static boolean expectsReply(OutboundFrame frame) {
    return frame.hasCalls()
        || (!frame.isInitiated() || frame.isAwaited()) && !isNotification(frame);
  }

  /** Returns whether a text without known calls is a valid notification, so that no reply comes. */
  private static boolean isNotification(OutboundFrame frame) {
    try {
      Map<String, Json> members = Json.parse(frame.toBytes()).members();
      Json version = members.get("jsonrpc");
      Json method = members.get("method");
      Json params = members.get("params");
      return !members.containsKey("id")
          && version != null
          && version.isSameValue(VERSION)
          && method != null
          && method.kind() == Json.Kind.STRING
          && (params == null
              || params.kind() == Json.Kind.OBJECT
              || params.kind() == Json.Kind.ARRAY);
    } catch (JsonException e) {
      return false; // an array, or no JSON
    }
  }

  /** Returns the request to send. */
  OutgoingRequest toRequest() {
    OutboundFrame text = frame;
    long left = text.timeLeft();
    return new OutgoingRequest(
        key,
        text.toBytes(),
        expectsReply,
        left == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)),
        text.isIdempotent(),
        RequestChannel.WINDOW);
  }

  OutboundFrame frame() {
    return frame;
  }

  boolean isIdempotent() {
    return frame.isIdempotent();
  }

  /** Returns whether all calls were given up or have timed out, so that it need not be sent. */
  boolean isObsolete() {
    return frame.isGivenUp() || frame.timeLeft() <= 0;
  }

  /** Returns whether it is not known whether a reply follows, since nothing marks the calls. */
  boolean isUnmarked() {
    return expectsReply && !hasCalls;
  }

  /** Returns the bytes that count towards the limit. Called with the lock. */
  long size() {
    return size;
  }

  /** Keeps the text no longer; returns the bytes that it has counted. Called with the lock. */
  long dropText() {
    long before = size;
    size = 0;
    frame = frame.withoutText();
    return before;
  }

  /** Returns the window of the messages before the reply. Called with the lock. */
  ReceiveWindow window() {
    ReceiveWindow open = window;
    if (open == null) {
      open = new ReceiveWindow();
      window = open;
      mayHaveRun = true;
    }
    return open;
  }
}
