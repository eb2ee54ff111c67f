package dev.repartee.mcp.lsp;

import dev.repartee.lsp.types.Diagnostic;
import dev.repartee.lsp.types.DiagnosticSeverity;
import dev.repartee.lsp.types.DocumentDiagnosticParams;
import dev.repartee.lsp.types.DocumentDiagnosticReport;
import dev.repartee.lsp.types.IntegerOrString;
import dev.repartee.lsp.types.RelatedFullDocumentDiagnosticReport;
import dev.repartee.mcp.McpCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The question of one call for the errors and warnings of files. For one thread. */
final class DiagnosticsQuery {
  // Implementation note.
  //
  // LSP offers diagnostics in two ways. A server with diagnosticProvider is asked (pull). Other
  // servers publish diagnostics some time after they have received a text (push). The protocol does
  // not mark the end of these publications; awaitPublished() decides:
  //
  //   - A publication belongs to the current text if it names its version or a later one. Without
  //     a version it counts if it has arrived after the text was sent (Published.Report.isFor).
  //   - A server that reports an activity, such as the load of a project, gets up to BUSY_WAITS
  //     times the normal wait.
  //   - A server without versions may publish in several steps, the first often empty. If it has
  //     published after the call began, the query waits until it is silent for QUIET.
  //
  // A server that supports pull may also push, for example the output of a compiler. What it has
  // published for the present text is added, and equal ones appear once (a Set).
  //
  // "complete" in the answer is true only if the server has reported the present text and is not
  // busy. A model would end its work after an early, empty list.

  /** After this time without a further publication, diagnostics count as complete. */
  private static final Duration QUIET = Duration.ofMillis(300);

  private static final int MAX_PUBLICATIONS = 20;

  /** The number of waits for diagnostics of a server that is busy, for example with its start. */
  private static final int BUSY_WAITS = 3;

  private static final Published.Report NONE = new Published.Report(-1, null, 0, List.of());

  private final McpCall call;
  private final Session session;
  private final Duration wait;
  private final int limit;
  private final Places places;

  /** The diagnostics for the answer, up to the limit. */
  private final List<Map<String, Object>> problems = new ArrayList<>();

  /**
   * Creates a query.
   *
   * @param wait the longest time to wait for a publication
   * @param limit the maximum number of diagnostics in the answer
   */
  DiagnosticsQuery(McpCall call, Session session, Duration wait, int limit) {
    this.call = call;
    this.session = session;
    this.wait = wait;
    this.limit = limit;
    this.places = new Places(session);
  }

  /** Returns the diagnostics of all files that the server has published so far. */
  Answer ofAllFiles() {
    session.documents().refresh();
    int total = 0;
    for (Map.Entry<Path, Published.Report> entry : session.published().all().entrySet()) {
      total += entry.getValue().total();
      add(entry.getKey(), entry.getValue().diagnostics());
    }
    return answer(total, true, "in the files that the language server has reported");
  }

  /** Returns the diagnostics of the current text of a file. */
  Answer of(Path file) throws InterruptedException {
    String shown = "in '" + session.workspace().shown(file) + "'";
    Set<Diagnostic> found = new LinkedHashSet<>();
    Documents.Document document = session.documents().open(file);
    boolean pull = session.features().has("diagnosticProvider", "textDocument/diagnostic");
    Published.Report pushed = pull ? session.published().last(file) : awaitPublished(document);
    if (pull) {
      DocumentDiagnosticReport report = session.ask(
          call,
          "textDocument/diagnostic",
          DocumentDiagnosticReport.class,
          () -> new DocumentDiagnosticParams(session.documents().open(file).id()));
      if (report instanceof RelatedFullDocumentDiagnosticReport full) {
        full.items().stream().map(Published::shortened).forEach(found::add);
      }
    }
    boolean current = pushed != null && pushed.isFor(document.version(), document.mark());
    int hidden = 0;
    if (pushed != null && (current || !pull)) {
      found.addAll(pushed.diagnostics());
      hidden = pushed.total() - pushed.diagnostics().size();
    }
    add(file, found);
    return answer(found.size() + hidden, pull || current, shown);
  }

  /** Waits for the server to publish diagnostics; returns the last ones if it does not in time. */
  private Published.@Nullable Report awaitPublished(Documents.Document document)
      throws InterruptedException {
    Published published = session.published();
    CompletableFuture<Published.Report> next =
        published.of(document.file(), document.version(), document.mark());
    boolean known = next.isDone();
    Published.Report report = await(next, wait);
    for (int i = 1; report == NONE && session.activity() != null && i < BUSY_WAITS; i++) {
      report = await(published.of(document.file(), document.version(), document.mark()), wait);
    }
    if (report == NONE) {
      return published.last(document.file());
    }
    for (int i = 0; !known && report.version() == null && i < MAX_PUBLICATIONS; i++) {
      Published.Report later =
          await(published.of(document.file(), Integer.MAX_VALUE, report.arrival()), QUIET);
      if (later == NONE) {
        break;
      }
      report = later;
    }
    return report;
  }

  private Published.Report await(CompletableFuture<Published.Report> report, Duration time)
      throws InterruptedException {
    return session
        .notices()
        .await(call, () -> report.completeOnTimeout(NONE, time.toMillis(), TimeUnit.MILLISECONDS));
  }

  private void add(Path file, Iterable<Diagnostic> diagnostics) {
    for (Diagnostic diagnostic : diagnostics) {
      if (problems.size() == limit) {
        return;
      }
      Map<String, Object> problem = places.of(file.toUri().toString(), diagnostic.range());
      problem.put("severity", severity(diagnostic.severity()));
      problem.put("message", diagnostic.message().text());
      String code = code(diagnostic.code());
      if (code != null) {
        problem.put("code", code);
      }
      if (diagnostic.source() != null) {
        problem.put("source", diagnostic.source());
      }
      problems.add(problem);
    }
  }

  private static String severity(@Nullable DiagnosticSeverity severity) {
    return switch (severity == null ? 1 : severity.value()) {
      case 2 -> "warning";
      case 3 -> "information";
      case 4 -> "hint";
      default -> "error";
    };
  }

  private static @Nullable String code(@Nullable IntegerOrString code) {
    return code instanceof IntegerOrString.OfInteger number
        ? String.valueOf(number.value())
        : code instanceof IntegerOrString.OfString name ? name.value() : null;
  }

  /**
   * Returns the answer.
   *
   * @param reported whether the server has reported the current text
   */
  private Answer answer(int total, boolean reported, String where) {
    List<String> lines = problems.stream()
        .map(p -> Places.shown(p) + ": " + p.get("severity") + ": " + p.get("message")
            + (p.containsKey("code") ? " [" + p.get("code") + "]" : "")
            + (p.containsKey("text") ? "\n    " + p.get("text") : ""))
        .toList();
    Answer answer = new Answer(session);
    String none = "No problems " + (answer.isBusy() ? "are reported so far " : "") + where + ".";
    String text = lines.isEmpty() ? none : Toolbox.lines(lines, total);
    if (!reported) {
      text = "The language server has not yet reported the problems " + where
          + "; call the tool again later." + (lines.isEmpty() ? "" : " The last ones:\n" + text);
    }
    return answer
        .with("diagnostics", problems)
        .with("total", total)
        .with("complete", reported && !answer.isBusy())
        .text(text);
  }
}
