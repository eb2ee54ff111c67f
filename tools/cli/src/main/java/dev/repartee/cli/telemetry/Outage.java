package dev.repartee.cli.telemetry;

import dev.repartee.internal.Text;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports the first failed export to a collector, and the first successful export after it. At most
 * one export is not answered; further exports fail, and need no memory or thread. Thread-safe.
 */
final class Outage {
  /** The maximum number of characters of a reason. */
  private static final int REASON = 200;

  private final String name;
  private final Consumer<String> report;

  // Guarded by this.
  private boolean lasts;
  private @Nullable CompletableResultCode last;

  /**
   * @param name the exported signal and the collector, for the reports
   * @param report gets a sentence
   */
  Outage(String name, Consumer<String> report) {
    this.name = name;
    this.report = report;
  }

  /** Runs an export and returns its result, unless an earlier one is not answered. */
  CompletableResultCode watch(Supplier<CompletableResultCode> export) {
    CompletableResultCode result;
    synchronized (this) {
      if (last != null && !last.isDone()) {
        failed("the collector has not answered the last export");
        return CompletableResultCode.ofFailure();
      }
      result = run(export);
      last = result;
    }
    return result.whenComplete(() -> ended(result));
  }

  private static CompletableResultCode run(Supplier<CompletableResultCode> export) {
    try {
      return export.get();
    } catch (RuntimeException e) {
      return CompletableResultCode.ofExceptionalFailure(e);
    }
  }

  private synchronized void ended(CompletableResultCode result) {
    if (!result.isSuccess()) {
      failed(reason(result.getFailureThrowable()));
    } else if (lasts) {
      lasts = false;
      report.accept("exports " + name + " again");
    }
  }

  private synchronized void failed(String reason) {
    if (!lasts) {
      lasts = true;
      report.accept("cannot export " + name + ", and loses them until the next report: " + reason);
    }
  }

  private static String reason(@Nullable Throwable failure) {
    if (failure == null) {
      return "no answer";
    }
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    String message = cause.getMessage();
    return message == null || message.isBlank()
        ? cause.getClass().getSimpleName()
        : Text.shortened(message, REASON); // it may contain text of the collector
  }
}
