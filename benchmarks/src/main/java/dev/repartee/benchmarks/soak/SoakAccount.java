package dev.repartee.benchmarks.soak;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.DisconnectedException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The account of all started calls and their outcomes. Thread-safe. */
final class SoakAccount {
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
    /** It received the answer of another call. */
    WRONG,
    /** It ended with an exception that is not allowed. */
    STRANGE,
    /** It ended more than once. */
    DOUBLED;

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

  private static final Set<Outcome> BAD = Set.of(Outcome.WRONG, Outcome.STRANGE, Outcome.DOUBLED);
  private static final int KINDS = Kind.values().length;
  private static final int OUTCOMES = Outcome.values().length;
  private static final int SAMPLES = 20;

  private final AtomicLongArray started = new AtomicLongArray(KINDS);
  private final AtomicLongArray ended = new AtomicLongArray(KINDS * OUTCOMES);

  /** Some examples of wrong outcomes, for analysis. */
  private final Map<String, Boolean> samples = new ConcurrentHashMap<>();

  /**
   * Starts a call that must be answered with {@code answer}; returns null if it could not be sent.
   */
  @Nullable CallFuture<String> start(Kind kind, Supplier<CallFuture<String>> sending, String answer) {
    started.incrementAndGet(kind.ordinal());
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
      } else if (answer.equals(answered)) {
        end(kind, Outcome.ANSWERED, over);
      } else {
        sample("an answer of " + answered.length() + " characters, not " + answer.length()
            + ": it starts with " + answered.substring(0, Math.min(40, answered.length())));
        end(kind, Outcome.WRONG, over);
      }
    });
    return future;
  }

  private void end(Kind kind, Throwable failure, AtomicBoolean over) {
    Outcome outcome = Outcome.of(failure);
    if (outcome == Outcome.STRANGE) {
      sample(failure.toString());
    }
    end(kind, outcome, over);
  }

  private void end(Kind kind, Outcome outcome, AtomicBoolean over) {
    Outcome counted = over.compareAndSet(false, true) ? outcome : Outcome.DOUBLED;
    ended.incrementAndGet(kind.ordinal() * OUTCOMES + counted.ordinal());
  }

  private void sample(String what) {
    if (samples.size() < SAMPLES) {
      samples.put(what, true);
    }
  }

  private long ended(int kind, Outcome outcome) {
    return ended.get(kind * OUTCOMES + outcome.ordinal());
  }

  /** Returns the number of calls that have not ended. */
  long open() {
    return sum(0, KINDS, this::open);
  }

  private long open(int kind) {
    long open = started.get(kind);
    for (Outcome outcome : Outcome.values()) {
      open -= outcome == Outcome.DOUBLED ? 0 : ended(kind, outcome);
    }
    return open;
  }

  /** Returns the number of calls with a wrong outcome. */
  long bad() {
    return BAD.stream()
        .mapToLong(bad -> sum(0, KINDS, kind -> ended(kind, bad)))
        .sum();
  }

  boolean addsUp() {
    return open() == 0 && bad() == 0;
  }

  /** Returns a table with a line for each kind that has calls, and one for the sums. */
  String table() {
    StringBuilder table = new StringBuilder();
    line(table, "", "started");
    Arrays.stream(Outcome.values()).forEach(o -> cell(table, label(o)));
    cell(table, "not ended");
    for (int kind = 0; kind < KINDS; kind++) {
      if (started.get(kind) > 0) {
        row(table, label(Kind.values()[kind]), kind, kind + 1);
      }
    }
    row(table, "all", 0, KINDS);
    samples.keySet().forEach(sample -> table.append("\n! ").append(sample));
    return table.toString();
  }

  /** Adds a line with the sums over the kinds {@code from} to {@code to}. */
  private void row(StringBuilder table, String label, int from, int to) {
    line(table.append('\n'), label, number(sum(from, to, started::get)));
    for (Outcome outcome : Outcome.values()) {
      cell(table, number(sum(from, to, kind -> ended(kind, outcome))));
    }
    cell(table, number(sum(from, to, this::open)));
  }

  private static long sum(int from, int to, IntToLongFunction count) {
    return IntStream.range(from, to).mapToLong(count).sum();
  }

  private static void line(StringBuilder table, String label, String first) {
    table.append(String.format("%-16s", label));
    cell(table, first);
  }

  private static void cell(StringBuilder table, String text) {
    table.append(String.format("%13s", text));
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
