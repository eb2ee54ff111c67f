package dev.repartee.nats;

import dev.repartee.broker.Delivery;
import dev.repartee.internal.Clock;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.Map;
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
  private final long timeout;
  private final boolean idempotent;
  private final int window;
  private final @Nullable String reply;
  private final long start;
  private volatile boolean hasReplied;
  private volatile boolean isSettled;

  /** The error in the answer, for the statistics; null if there is none. */
  private volatile @Nullable String error;

  private volatile Clock.@Nullable Timer deadline;

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
    this.timeout = Names.number(message, Names.TIMEOUT);
    this.idempotent = Names.header(message, Names.IDEMPOTENT) != null;
    this.reply = Names.replySubject(stored == null ? message.getReplyTo() : stored.reply());
    this.window = (int) Math.min(Integer.MAX_VALUE, Names.number(message, Names.WINDOW));
  }

  /**
   * Returns the milliseconds after which the client no longer waits for the answer; 0 if unknown.
   */
  private long timeout() {
    return timeout == 0 || stored == null ? timeout : Math.max(1, timeout - stored.age());
  }

  /** Returns whether the client no longer waits for the answer. */
  boolean isLate() {
    return timeout > 0 && stored != null && stored.age() >= timeout;
  }

  /**
   * Runs a task at the {@link #timeout}, unless the message is settled before. Called after
   * {@link dev.repartee.broker.Worker#serve}: a message that was settled there needs no timer.
   */
  void atTimeout(Runnable task) {
    if (isSettled) {
      return;
    }
    long millis = timeout();
    if (millis > 0) {
      deadline = worker.clock().schedule(Duration.ofMillis(millis), NatsConnector::run, task);
      if (isSettled) { // meanwhile
        noteSettled();
      }
    }
  }

  @Override
  public byte[] body() {
    return body;
  }

  @Override
  public Map<String, String> headers() {
    return headers;
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
    noteSettled();
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

  /** Cancels the timer of the time-out. */
  private void noteSettled() {
    isSettled = true;
    Clock.Timer timer = deadline;
    if (timer != null) {
      timer.cancel();
    }
  }

  private void settle(@Nullable String error) {
    noteSettled();
    if (!hasReplied) {
      reply(NOTHING, false);
    }
    worker.statistics().add(worker.clock().nanos() - start, error);
  }
}
