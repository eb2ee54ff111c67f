package dev.repartee.mcp.lsp;

import dev.repartee.internal.Text;
import dev.repartee.lsp.types.Diagnostic;
import dev.repartee.lsp.types.IntegerOrString;
import dev.repartee.lsp.types.PublishDiagnosticsParams;
import dev.repartee.lsp.types.StringOrMarkupContent;
import dev.repartee.mcp.workspace.Workspace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The diagnostics that the server has published. Thread-safe. The number of reports is limited: the
 * reports of the oldest files are removed first.
 */
final class Published {
  private static final int MAX_FILES = 2_000;
  private static final int MAX_IN_FILE = 500;
  private static final int MAX_IN_ALL = 10_000;
  private static final int LONGEST = 1_000;
  private static final int LONGEST_URI = 8_192;

  // Guarded by this. The files are in the order of their last publication.
  private final Map<Path, Report> reports = new LinkedHashMap<>();
  private final List<Waiter> waiters = new ArrayList<>();
  private long arrivals;
  private int kept;

  /**
   * The diagnostics of a file.
   *
   * @param arrival the number of this publication
   * @param version the version of the document that they belong to; null if the server did not send
   *     it
   * @param total their number; not all may be stored
   */
  record Report(long arrival, @Nullable Integer version, int total, List<Diagnostic> diagnostics) {
    /** Whether it was published for a version, or a later one, that was sent after a mark. */
    boolean isFor(int wanted, long mark) {
      return version == null ? arrival > mark : version >= wanted;
    }
  }

  private record Waiter(Path file, int version, long mark, CompletableFuture<Report> report) {}

  /** Returns a mark; publications after it are later than this moment. */
  synchronized long mark() {
    return arrivals;
  }

  void put(PublishDiagnosticsParams params) {
    Path file = params.uri().length() > LONGEST_URI ? null : Workspace.path(params.uri());
    if (file == null) {
      return;
    }
    List<Diagnostic> some = params.diagnostics().stream()
        .limit(MAX_IN_FILE)
        .map(Published::shortened)
        .toList();
    List<Waiter> reached = new ArrayList<>();
    Report report;
    synchronized (this) {
      report = new Report(++arrivals, params.version(), params.diagnostics().size(), some);
      forget(file);
      reports.put(file, report);
      kept += some.size();
      for (Iterator<Path> oldest = List.copyOf(reports.keySet()).iterator();
          kept > MAX_IN_ALL || reports.size() > MAX_FILES; ) {
        forget(oldest.next());
      }
      waiters.removeIf(waiter -> {
        boolean here = waiter.file.equals(file) && report.isFor(waiter.version, waiter.mark);
        return here && reached.add(waiter);
      });
    }
    reached.forEach(waiter -> waiter.report.complete(report));
  }

  private void forget(Path file) {
    Report old = reports.remove(file);
    kept -= old == null ? 0 : old.diagnostics.size();
  }

  /** Returns the diagnostic without the members that no tool shows, and with short texts. */
  static Diagnostic shortened(Diagnostic whole) {
    String source = whole.source();
    IntegerOrString code = whole.code();
    if (code instanceof IntegerOrString.OfString name) {
      code = IntegerOrString.of(Text.shortened(name.value(), 100));
    }
    return new Diagnostic(
        whole.range(),
        whole.severity(),
        code,
        null,
        source == null ? null : Text.shortened(source, 100),
        StringOrMarkupContent.of(Text.shortened(whole.message().text(), LONGEST)),
        null,
        null,
        null);
  }

  /** Returns the last report of a file, or null. */
  synchronized @Nullable Report last(Path file) {
    return reports.get(file);
  }

  /** Returns the last reports of all files. */
  synchronized Map<Path, Report> all() {
    return new LinkedHashMap<>(reports);
  }

  /** Returns the report of a version that was sent after a mark, when it is published. */
  CompletableFuture<Report> of(Path file, int version, long mark) {
    CompletableFuture<Report> future = new CompletableFuture<>();
    synchronized (this) {
      Report last = reports.get(file);
      if (last != null && last.isFor(version, mark)) {
        return CompletableFuture.completedFuture(last);
      }
      waiters.add(new Waiter(file, version, mark, future));
    }
    future.whenComplete((report, failure) -> leave(future));
    return future;
  }

  private synchronized void leave(CompletableFuture<Report> future) {
    waiters.removeIf(waiter -> waiter.report == future);
  }
}
