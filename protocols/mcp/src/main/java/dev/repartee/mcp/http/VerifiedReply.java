package dev.repartee.mcp.http;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP response with a periodic check of its permission. If the check fails, the response ends,
 * and its handler is notified as if the client had disconnected. Thread-safe.
 */
final class VerifiedReply implements HttpReply {
  private final HttpReply reply;
  private final Duration interval;
  private final Supplier<CompletionStage<Boolean>> check;
  private final Clock clock;

  // Guarded by this. At most one check is scheduled; none once over is true.
  private Clock.@Nullable Timer next;
  private @Nullable Runnable gone;
  private boolean over;

  /** Creates a response that runs the check after every interval. */
  VerifiedReply(HttpReply reply, Duration interval, Supplier<CompletionStage<Boolean>> check) {
    this(reply, interval, check, Clock.SYSTEM);
  }

  VerifiedReply(
      HttpReply reply, Duration interval, Supplier<CompletionStage<Boolean>> check, Clock clock) {
    this.clock = clock;
    this.reply = reply;
    this.interval = interval;
    this.check = check;
    reply.onGone(this::gone);
    schedule();
  }

  private synchronized void schedule() {
    if (!over) {
      next = clock.schedule(interval, Threads.CALLS, this::checkAgain);
    }
  }

  private void checkAgain() {
    check.get().whenComplete((valid, failure) -> {
      if (failure == null && valid) {
        schedule();
      } else {
        gone();
        reply.end();
      }
    });
  }

  private void gone() {
    Runnable told;
    synchronized (this) {
      finish();
      told = gone;
      gone = null;
    }
    if (told != null) {
      told.run();
    }
  }

  private synchronized void finish() {
    over = true;
    if (next != null) {
      next.cancel(); // otherwise its timer would occupy memory
    }
  }

  @Override
  public void onGone(Runnable action) {
    synchronized (this) {
      if (!over) {
        gone = action;
        return;
      }
    }
    action.run();
  }

  @Override
  public boolean answer(int status, Map<String, String> headers, byte[] body) {
    boolean answered = reply.answer(status, headers, body);
    if (answered) {
      finish();
    }
    return answered;
  }

  @Override
  public void end() {
    finish();
    reply.end();
  }

  @Override
  public boolean takesEvents() {
    return reply.takesEvents();
  }

  @Override
  public void onSilence(Runnable action) {
    reply.onSilence(action);
  }

  @Override
  public boolean stream(Map<String, String> headers) {
    return reply.stream(headers);
  }

  @Override
  public void send(Event event) {
    reply.send(event);
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return reply.awaitRoom(time, unit);
  }
}
