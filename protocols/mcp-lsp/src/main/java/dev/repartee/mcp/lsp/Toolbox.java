package dev.repartee.mcp.lsp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.lsp.types.Definition;
import dev.repartee.lsp.types.DefinitionResult;
import dev.repartee.lsp.types.Diagnostic;
import dev.repartee.lsp.types.DiagnosticSeverity;
import dev.repartee.lsp.types.DocumentDiagnosticParams;
import dev.repartee.lsp.types.DocumentDiagnosticReport;
import dev.repartee.lsp.types.DocumentSymbol;
import dev.repartee.lsp.types.DocumentSymbolParams;
import dev.repartee.lsp.types.DocumentSymbolResult;
import dev.repartee.lsp.types.HoverParams;
import dev.repartee.lsp.types.IntegerOrString;
import dev.repartee.lsp.types.Location;
import dev.repartee.lsp.types.LocationLink;
import dev.repartee.lsp.types.LocationUriOnly;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.Range;
import dev.repartee.lsp.types.ReferenceContext;
import dev.repartee.lsp.types.ReferenceParams;
import dev.repartee.lsp.types.RelatedFullDocumentDiagnosticReport;
import dev.repartee.lsp.types.RenameParams;
import dev.repartee.lsp.types.SymbolInformation;
import dev.repartee.lsp.types.SymbolKind;
import dev.repartee.lsp.types.TextDocumentIdentifier;
import dev.repartee.lsp.types.TextDocumentPositionParams;
import dev.repartee.lsp.types.WorkspaceEdit;
import dev.repartee.lsp.types.WorkspaceSymbol;
import dev.repartee.lsp.types.WorkspaceSymbolParams;
import dev.repartee.lsp.types.WorkspaceSymbolResult;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.Texts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The actions of the tools: arguments to questions to the server, and answers to results. */
final class Toolbox {
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_CHANGES_SHOWN = 200;

  /** The time without a further publication after which diagnostics count as complete. */
  private static final Duration QUIET = Duration.ofMillis(300);

  private static final int MAX_PUBLICATIONS = 20;

  /** The number of waits for diagnostics of a server that is busy, for example with its start. */
  private static final int BUSY_WAITS = 3;

  private static final Published.Report NONE = new Published.Report(-1, null, 0, List.of());

  private static final String[] KINDS = {
    "symbol",
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum member",
    "struct",
    "event",
    "operator",
    "type parameter"
  };

  private final Supervisor supervisor;
  private final Notices notices;
  private final Duration diagnosticsWait;

  /** Held while files are written. */
  private final ReentrantLock writing = new ReentrantLock();

  Toolbox(Supervisor supervisor, Notices notices, Duration diagnosticsWait) {
    this.supervisor = supervisor;
    this.notices = notices;
    this.diagnosticsWait = diagnosticsWait;
  }

  private Session session(McpCall call) throws InterruptedException {
    return notices.await(call, supervisor::session);
  }

  /** The file and the position that a tool was given. */
  private record Where(Session session, Path file, Spot spot) {
    Documents.Document document() {
      return session.documents().open(file);
    }

    Position position(Documents.Document document) {
      return spot.in(document, session.workspace().shown(file));
    }

    /** Asks the server about the position. */
    <T> @Nullable T ask(
        McpCall call,
        String method,
        Class<T> type,
        BiFunction<TextDocumentIdentifier, Position, Object> params)
        throws InterruptedException {
      return session.ask(call, method, type, file, this::position, params);
    }

    /** Returns the place for a message. */
    String shown() {
      Documents.Document document = document();
      Position position = position(document);
      return Places.withText(new Places(session).of(document.uri(), new Range(position, position)));
    }
  }

  private Where where(McpCall call, Json arguments) throws InterruptedException {
    Session session = session(call);
    return new Where(
        session, session.workspace().file(text(arguments, "file")), Spot.of(arguments));
  }

  // ---------------------------------------------------------------- hover

  Answer hover(McpCall call, Json arguments) throws InterruptedException {
    Where where = where(call, arguments);
    String method = "textDocument/hover";
    String contents;
    try {
      contents = HoverText.of(where.ask(call, method, Json.class, HoverParams::new));
    } catch (JsonException e) {
      throw Session.failure(method, e);
    }
    return new Answer(where.session)
        .with("contents", contents)
        .text(
            contents.isEmpty()
                ? "The language server knows nothing about " + where.shown()
                : contents);
  }

  // ---------------------------------------------------------------- locations

  /** Finds definitions, declarations and the like: requests that take a position only. */
  Answer locations(McpCall call, Json arguments, String method) throws InterruptedException {
    Where where = where(call, arguments);
    DefinitionResult answer =
        where.ask(call, method, DefinitionResult.class, TextDocumentPositionParams::new);
    return located(where, answer, arguments);
  }

  Answer references(McpCall call, Json arguments) throws InterruptedException {
    Where where = where(call, arguments);
    boolean declaration = !Json.FALSE.equals(arguments.get("includeDeclaration"));
    // The answer is a list of locations, which this type reads as well.
    DefinitionResult answer = where.ask(
        call,
        "textDocument/references",
        DefinitionResult.class,
        (id, position) -> new ReferenceParams(id, position, new ReferenceContext(declaration)));
    return located(where, answer, arguments);
  }

  private static Answer located(Where where, @Nullable DefinitionResult answer, Json arguments) {
    List<Location> found = found(answer).stream().distinct().toList();
    Places places = new Places(where.session);
    List<Map<String, Object>> locations = found.stream()
        .limit(limit(arguments))
        .map(location -> places.of(location.uri(), location.range()))
        .toList();
    String text = locations.isEmpty()
        ? "Nothing was found for " + where.shown()
        : lines(locations.stream().map(Places::withText).toList(), found.size());
    return listed(where.session, "locations", locations, found.size(), text);
  }

  private static List<Location> found(@Nullable DefinitionResult answer) {
    if (answer instanceof Location location) {
      return List.of(location);
    } else if (answer instanceof Definition.OfLocationList list) {
      return list.value();
    } else if (answer instanceof DefinitionResult.OfLocationLinkList links) {
      return links.value().stream().map(Toolbox::location).toList();
    }
    return List.of();
  }

  private static Location location(LocationLink link) {
    return new Location(link.targetUri(), link.targetSelectionRange());
  }

  // ---------------------------------------------------------------- symbols

  Answer documentSymbols(McpCall call, Json arguments) throws InterruptedException {
    Session session = session(call);
    Path file = session.workspace().file(text(arguments, "file"));
    DocumentSymbolResult answer = session.ask(
        call,
        "textDocument/documentSymbol",
        DocumentSymbolResult.class,
        () -> new DocumentSymbolParams(session.documents().open(file).id()));
    Outline outline = new Outline(new Places(session), file.toUri().toString(), limit(arguments));
    if (answer instanceof DocumentSymbolResult.OfDocumentSymbolList tree) {
      tree.value().forEach(symbol -> outline.add(symbol, "", 0));
    } else if (answer instanceof DocumentSymbolResult.OfSymbolInformationList flat) {
      flat.value().forEach(outline::add);
    }
    String text = outline.symbols.isEmpty()
        ? "'" + session.workspace().shown(file) + "' has no symbols."
        : lines(outline.lines, outline.total);
    return listed(session, "symbols", outline.symbols, outline.total, text);
  }

  Answer workspaceSymbols(McpCall call, Json arguments) throws InterruptedException {
    Session session = session(call);
    Json project = arguments.get("file");
    Path file = project == null ? null : session.workspace().file(project.as(String.class));
    String query = text(arguments, "query");
    WorkspaceSymbolResult answer =
        session.ask(call, "workspace/symbol", WorkspaceSymbolResult.class, () -> {
          if (file == null) {
            session.documents().refresh();
          } else {
            session.documents().open(file);
          }
          return new WorkspaceSymbolParams(query);
        });
    Outline outline = new Outline(new Places(session), "", limit(arguments));
    if (answer instanceof WorkspaceSymbolResult.OfWorkspaceSymbolList list) {
      list.value().forEach(outline::add);
    } else if (answer instanceof WorkspaceSymbolResult.OfSymbolInformationList list) {
      list.value().forEach(outline::add);
    }
    String text = outline.symbols.isEmpty()
        ? "No symbol matches '" + query + "'."
        : lines(outline.lines, outline.total);
    return listed(session, "symbols", outline.symbols, outline.total, text);
  }

  /** A list of symbols for a result. For one thread. */
  private static final class Outline {
    private static final Range START = new Range(new Position(0, 0), new Position(0, 0));

    final List<Map<String, Object>> symbols = new ArrayList<>();
    final List<String> lines = new ArrayList<>();
    int total;

    private final Places places;
    private final String uri;
    private final int limit;

    Outline(Places places, String uri, int limit) {
      this.places = places;
      this.uri = uri;
      this.limit = limit;
    }

    void add(DocumentSymbol symbol, String container, int depth) {
      add(
          symbol.name(),
          symbol.kind(),
          container,
          symbol.detail(),
          uri,
          symbol.selectionRange(),
          depth);
      List<DocumentSymbol> children = symbol.children();
      if (children != null) {
        children.forEach(child -> add(child, symbol.name(), depth + 1));
      }
    }

    void add(SymbolInformation symbol) {
      Location at = symbol.location();
      add(symbol.name(), symbol.kind(), symbol.containerName(), null, at.uri(), at.range(), 0);
    }

    void add(WorkspaceSymbol symbol) {
      String at = symbol.location() instanceof LocationUriOnly only ? only.uri() : "";
      Range range = START;
      if (symbol.location() instanceof Location location) {
        at = location.uri();
        range = location.range();
      }
      add(symbol.name(), symbol.kind(), symbol.containerName(), null, at, range, 0);
    }

    private void add(
        String name,
        SymbolKind kind,
        @Nullable String container,
        @Nullable String detail,
        String at,
        Range range,
        int depth) {
      if (++total > limit) {
        return;
      }
      Map<String, Object> symbol = new LinkedHashMap<>();
      symbol.put("name", Texts.cut(name, 300));
      symbol.put("kind", KINDS[kind.value() > 0 && kind.value() < KINDS.length ? kind.value() : 0]);
      if (container != null && !container.isEmpty()) {
        symbol.put("container", Texts.cut(container, 300));
      }
      if (detail != null && !detail.isEmpty()) {
        symbol.put("detail", Texts.cut(detail, 300));
      }
      symbol.putAll(places.of(at, range));
      symbols.add(symbol);
      lines.add("  ".repeat(Math.min(depth, 20)) + Places.shown(symbol) + ": " + symbol.get("kind")
          + " " + symbol.get("name")
          + (symbol.containsKey("detail") ? " " + symbol.get("detail") : "")
          + (depth == 0 && symbol.containsKey("container")
              ? " in " + symbol.get("container")
              : ""));
    }
  }

  // ---------------------------------------------------------------- diagnostics

  Answer diagnostics(McpCall call, Json arguments) throws InterruptedException {
    Session session = session(call);
    Json named = arguments.get("file");
    Places places = new Places(session);
    List<Map<String, Object>> all = new ArrayList<>();
    if (named == null) {
      session.documents().refresh();
      int total = 0;
      for (Map.Entry<Path, Published.Report> entry : session.published().all().entrySet()) {
        total += entry.getValue().total();
        add(all, places, entry.getKey(), entry.getValue().diagnostics(), limit(arguments));
      }
      return problems(
          session, all, total, true, "in the files that the language server has reported");
    }
    Path file = session.workspace().file(named.as(String.class));
    String shown = "in '" + session.workspace().shown(file) + "'";
    Set<Diagnostic> found = new LinkedHashSet<>();
    Documents.Document document = session.documents().open(file);
    boolean pull = session.features().has("diagnosticProvider", "textDocument/diagnostic");
    Published.Report pushed =
        pull ? session.published().last(file) : published(call, session, document);
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
    add(all, places, file, found, limit(arguments));
    return problems(session, all, found.size() + hidden, pull || current, shown);
  }

  /** Waits for the server to publish diagnostics; returns the last ones if it does not in time. */
  private Published.@Nullable Report published(
      McpCall call, Session session, Documents.Document document) throws InterruptedException {
    Published published = session.published();
    CompletableFuture<Published.Report> next =
        published.of(document.file(), document.version(), document.mark());
    boolean known = next.isDone();
    Published.Report report = wait(call, next, diagnosticsWait);
    for (int i = 1; report == NONE && session.activity() != null && i < BUSY_WAITS; i++) {
      report = wait(
          call,
          published.of(document.file(), document.version(), document.mark()),
          diagnosticsWait);
    }
    if (report == NONE) {
      return published.last(document.file());
    }
    // Without versions a server may publish in several steps, the first without any problem.
    for (int i = 0; !known && report.version() == null && i < MAX_PUBLICATIONS; i++) {
      Published.Report later =
          wait(call, published.of(document.file(), Integer.MAX_VALUE, report.arrival()), QUIET);
      if (later == NONE) {
        break;
      }
      report = later;
    }
    return report;
  }

  private Published.Report wait(
      McpCall call, CompletableFuture<Published.Report> report, Duration time)
      throws InterruptedException {
    return notices.await(
        call, () -> report.completeOnTimeout(NONE, time.toMillis(), TimeUnit.MILLISECONDS));
  }

  private static void add(
      List<Map<String, Object>> all,
      Places places,
      Path file,
      Iterable<Diagnostic> diagnostics,
      int limit) {
    for (Diagnostic diagnostic : diagnostics) {
      if (all.size() == limit) {
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
      all.add(problem);
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

  private static Answer problems(
      Session session,
      List<Map<String, Object>> problems,
      int total,
      boolean reported,
      String where) {
    List<String> lines = problems.stream()
        .map(p -> Places.shown(p) + ": " + p.get("severity") + ": " + p.get("message")
            + (p.containsKey("code") ? " [" + p.get("code") + "]" : "")
            + (p.containsKey("text") ? "\n    " + p.get("text") : ""))
        .toList();
    Answer answer = new Answer(session);
    String none = "No problems " + (answer.isBusy() ? "are reported so far " : "") + where + ".";
    String text = lines.isEmpty() ? none : lines(lines, total);
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

  // ---------------------------------------------------------------- rename

  Answer rename(McpCall call, Json arguments) throws InterruptedException {
    boolean apply = Json.TRUE.equals(arguments.get("apply"));
    if (!apply) {
      return renamed(call, arguments, false);
    }
    if (!writing.tryLock()) {
      throw new ToolException("Another change is being written; call the tool again.");
    }
    try {
      return renamed(call, arguments, true);
    } finally {
      writing.unlock();
    }
  }

  private Answer renamed(McpCall call, Json arguments, boolean apply) throws InterruptedException {
    Where where = where(call, arguments);
    String name = text(arguments, "newName");
    WorkspaceEdit edit = where.ask(
        call,
        "textDocument/rename",
        WorkspaceEdit.class,
        (id, position) -> new RenameParams(id, position, name));
    Edits edits = edit == null ? null : new Edits(where.session, call.cancellation(), edit);
    if (edits == null || edits.size() == 0) {
      throw new ToolException("There is nothing to rename at " + where.shown());
    }
    List<Map<String, Object>> changes = edits.shown(MAX_CHANGES_SHOWN);
    if (apply) {
      edits.apply();
    }
    List<String> lines = changes.stream()
        .map(c -> Places.shown(c) + ": '" + c.get("oldText") + "' -> '" + c.get("newText") + "'"
            + (c.containsKey("text") ? " in: " + c.get("text") : ""))
        .toList();
    String heading = edits.size()
        + (edits.size() == 1 ? " change in " : " changes in ")
        + edits.files()
        + (edits.files() == 1 ? " file" : " files")
        + (apply ? " were written:\n" : "; no file was written:\n");
    String more =
        lines.size() < edits.size() ? "\n(and " + (edits.size() - lines.size()) + " more)" : "";
    return new Answer(where.session)
        .with("applied", apply)
        .with("changes", changes)
        .with("total", edits.size())
        .with("files", edits.files())
        .text(heading + String.join("\n", lines) + more);
  }

  // ---------------------------------------------------------------- results

  private static String text(Json arguments, String name) {
    Json text = arguments.get(name);
    return text == null ? "" : text.as(String.class);
  }

  private static int limit(Json arguments) {
    Json limit = arguments.get("limit");
    return limit == null ? DEFAULT_LIMIT : limit.as(int.class);
  }

  private static String lines(List<String> lines, int total) {
    String text = String.join("\n", lines);
    return lines.size() < total
        ? text + "\n(the first " + lines.size() + " of " + total + "; raise 'limit' for more)"
        : text;
  }

  private static Answer listed(
      Session session, String member, List<Map<String, Object>> list, int total, String text) {
    return new Answer(session).with(member, list).with("total", total).text(text);
  }
}
