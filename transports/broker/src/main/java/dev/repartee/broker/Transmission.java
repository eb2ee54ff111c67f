package dev.repartee.broker;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.transport.OutgoingMessage;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One message to the service, from its commit to its end, and its replies; see {@link
 * Transmissions}. Whether its caller still waits for replies, only the message itself knows.
 */
final class Transmission {
  /**
   * The number of bytes that are counted for a message in addition to its text and its headers, for
   * its objects.
   */
  private static final int OVERHEAD = 256;

  private static final Json VERSION = Json.of("2.0");

  final String key;
  final OutgoingMessage outgoing;
  final boolean expectsReply;

  // Guarded by the lock of the channel.

  /** The place in the order of the messages; set by {@link Transmissions#add}. */
  long number;

  /** The bytes that count towards the limit of the channel. */
  private long size;

  /** Whether the broker has accepted the message since it was last sent. */
  boolean accepted;

  /** Whether the reply has arrived. */
  boolean answered;

  /** Whether the transmission has ended: later arrivals are dropped. */
  boolean ended;

  /** The number of connections that were lost before the broker had accepted the message. */
  int losses;

  /**
   * Whether a worker may have received it: a message arrived for it, or a connection was lost after
   * it was sent.
   */
  boolean mayHaveRun;

  /** Null until a message arrives before the reply. */
  @Nullable ReceiveWindow window;

  /** Creates the transmission of a message. May parse its text: do not call it with the lock. */
  Transmission(String key, OutgoingMessage outgoing) {
    this.key = key;
    this.outgoing = outgoing;
    this.expectsReply = outgoing.isCall() || outgoing.isAnswer() && !isNotification(outgoing);
    this.size = outgoing.size() + outgoing.headers().size() + OVERHEAD;
  }

  /** Returns whether a text without known calls is a valid notification, so that no reply comes. */
  private static boolean isNotification(OutgoingMessage outgoing) {
    try {
      Map<String, Json> members = Json.parse(outgoing.text().toBytes()).members();
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
      return false; // an array, or not JSON
    }
  }

  /** Returns the request to send. */
  OutgoingRequest toRequest() {
    long left = outgoing.timeLeft();
    return new OutgoingRequest(
        key,
        outgoing.text().toBytes(),
        expectsReply,
        left == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)),
        outgoing.isIdempotent(),
        RequestChannel.WINDOW,
        outgoing.headers());
  }

  /** Returns whether all calls have ended or timed out: the message need not be sent. */
  boolean isObsolete() {
    return outgoing.isUnwanted() || outgoing.timeLeft() <= 0;
  }

  /** Returns whether a call of the message waits for an answer. */
  boolean hasWaitingCall() {
    return outgoing.isCall() && !outgoing.isDone();
  }

  /**
   * Returns whether code without a peer sends the message; then nothing reports that its calls have
   * ended.
   */
  boolean isUnmarked() {
    return expectsReply && !outgoing.isCall();
  }

  /** Returns the bytes that count towards the limit. Called with the lock. */
  long size() {
    return size;
  }

  /**
   * Releases the text; returns the number of bytes that were counted for it. Called with the lock.
   */
  long dropText() {
    long before = size;
    size = 0;
    outgoing.dropText();
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
