package dev.repartee.benchmarks.soak;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.DisconnectedException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The account of all started calls and their outcomes. Thread-safe. */
final class SoakAccount extends Account {
  /** The kind of a call. */
  enum Kind {
    CALL,
    LARGE,
    IN_BATCH,
    PROGRESS,
    TO_BE_CANCELLED,
    SHORT_OF_TIME,
    ASK,
    CALL_BACK
  }

  /** The outcome of a call. */
  enum Outcome {
    ANSWERED,
    ERROR,
    TIMED_OUT,
    DISCONNECTED,
    CANCELLED,
    NO_RESPONSE,
    LIMIT,
    /** It ended with an exception that is not allowed. */
    STRANGE;

    static Outcome of(Throwable failure) {
      Throwable cause = failure.getCause();
      if (failure instanceof CompletionException && cause != null) {
        return of(cause);
      } else if (failure instanceof RpcException) {
        return ERROR;
      } else if (failure instanceof CallTimeoutException) {
        return TIMED_OUT;
      } else if (failure instanceof DisconnectedException) {
        return DISCONNECTED;
      } else if (failure instanceof CancellationException) {
        return CANCELLED;
      } else if (failure instanceof ProtocolException || failure instanceof JsonException) {
        return NO_RESPONSE;
      } else {
        return failure instanceof LimitException ? LIMIT : STRANGE;
      }
    }
  }

  /**
   * Starts a call that must be answered with {@code answer}; returns null if it could not be sent.
   */
  @Nullable CallFuture<String> start(Kind kind, Supplier<CallFuture<String>> sending, String answer) {
    started(kind);
    AtomicBoolean over = new AtomicBoolean();
    CallFuture<String> future;
    try {
      future = sending.get();
    } catch (RuntimeException e) {
      end(kind, e, over);
      return null;
    }
    future.whenComplete((answered, failure) -> {
      if (failure != null) {
        end(kind, failure, over);
      } else {
        if (!answer.equals(answered)) {
          fault("an answer of " + answered.length() + " characters, not " + answer.length()
              + ": it starts with " + answered.substring(0, Math.min(40, answered.length())));
        }
        end(kind, Outcome.ANSWERED, over);
      }
    });
    return future;
  }

  private void end(Kind kind, Throwable failure, AtomicBoolean over) {
    Outcome outcome = Outcome.of(failure);
    if (outcome == Outcome.STRANGE) {
      fault(failure.toString());
    }
    end(kind, outcome, over);
  }

  private void end(Kind kind, Outcome outcome, AtomicBoolean over) {
    if (over.compareAndSet(false, true)) {
      ended(kind, outcome);
    } else {
      fault("a call has ended twice");
    }
  }
}
