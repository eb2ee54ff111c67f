package dev.repartee.nats;

import io.nats.client.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A message that a stream has stored, until it is settled there. Until then it regularly extends
 * the acknowledgement time, so that the stream does not deliver it again while this worker is
 * running. Thread-safe.
 */
final class StoredRequest {
  private final RequestStream stream;
  private final Message message;
  private final String settlement;
  private final Future<?> signs;

  StoredRequest(RequestStream stream, Message message) {
    this.stream = stream;
    this.message = message;
    this.settlement = message.getReplyTo();
    this.signs =
        NatsConnector.runEvery(stream.signMillis(), () -> stream.settle(settlement, "+WPI"));
  }

  Message message() {
    return message;
  }

  /** Returns the subject of the answer; null if no answer is expected. */
  @Nullable String reply() {
    return Names.header(message, Names.REPLY);
  }

  /** Returns the number of times that the stream has delivered the message before. */
  int attempts() {
    return (int) Math.min(Integer.MAX_VALUE, message.metaData().deliveredCount() - 1);
  }

  /** Returns the milliseconds since the stream has stored the message. */
  long age() {
    Instant stored = message.metaData().timestamp().toInstant();
    return Math.max(0, Duration.between(stored, Instant.now()).toMillis());
  }

  /** Settles the message as handled. */
  void done() {
    settle("+ACK");
  }

  /** Returns the message to the stream, which delivers it to the next worker. */
  void again() {
    settle("-NAK");
  }

  /** Settles the message after the server has stored it as a dead letter. */
  void dead(byte[] body, String reason) {
    stream.bury(body, reason, () -> stream.settle(settlement, "+TERM"));
    end();
  }

  private void settle(String verb) {
    stream.settle(settlement, verb);
    end();
  }

  private void end() {
    signs.cancel(false);
    stream.ended();
  }
}
