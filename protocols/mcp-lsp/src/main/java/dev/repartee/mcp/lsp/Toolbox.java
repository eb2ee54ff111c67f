package dev.repartee.mcp.lsp;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.lsp.types.Definition;
import dev.repartee.lsp.types.DefinitionResult;
import dev.repartee.lsp.types.DocumentSymbolParams;
import dev.repartee.lsp.types.DocumentSymbolResult;
import dev.repartee.lsp.types.HoverParams;
import dev.repartee.lsp.types.Location;
import dev.repartee.lsp.types.LocationLink;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.Range;
import dev.repartee.lsp.types.ReferenceContext;
import dev.repartee.lsp.types.ReferenceParams;
import dev.repartee.lsp.types.RenameParams;
import dev.repartee.lsp.types.TextDocumentIdentifier;
import dev.repartee.lsp.types.TextDocumentPositionParams;
import dev.repartee.lsp.types.WorkspaceEdit;
import dev.repartee.lsp.types.WorkspaceSymbolParams;
import dev.repartee.lsp.types.WorkspaceSymbolResult;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The actions of the tools: converts arguments to requests to the server, and responses to answers.
 * Thread-safe.
 */
final class Toolbox {
  // Implementation note.
  //
  // Every action has the same steps: get the session, resolve the file and the position, ask the
  // server, convert its response. Two rules hold for all of them.
  //
  // One session for one action. Supervisor.session() may start the server again. The new session
  // has other documents and another position encoding. Therefore an action calls session() once and
  // keeps the result (Where). If the server ends meanwhile, the action fails; the model calls
  // again.
  //
  // Positions are found outside the lock of the documents. A request is sent under this lock, which
  // ensures that the server knows the text to which it refers (Session.ask). The search for a
  // symbol in a long line is slow. Under the lock it made all other calls wait for minutes, and a
  // cancellation had no effect. Now ask() searches the immutable text of a Document, and sends only
  // if that text is still current; otherwise it searches again.
  //
  // Lists are cut at "limit", but all entries are counted: the model learns how many are missing.
  //
  // Locks. "writing" is the only lock here; everything else is immutable or belongs to one call. A
  // rename that writes holds it from its request to the last file, because the edits are positions
  // in the text of the request. Two renames that write one after the other would apply the second
  // edits to a text that the first has changed. A second rename fails instead of waiting, because
  // its positions also refer to the old text. The lock of the documents is not held meanwhile.

  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_CHANGES_SHOWN = 200;

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

  /** The file and the position in the arguments of a tool. */
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

    /** Returns the position for a message. */
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

  /** Finds definitions, declarations and similar locations: requests with only a position. */
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

  /** Returns the locations of a response, which has one of three forms, or is null. */
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

  /** Returns the range of the name; the other range of a link is the whole declaration. */
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
    String text = outline.isEmpty()
        ? "'" + session.workspace().shown(file) + "' has no symbols."
        : outline.text();
    return listed(session, "symbols", outline.symbols(), outline.total(), text);
  }

  Answer workspaceSymbols(McpCall call, Json arguments) throws InterruptedException {
    Session session = session(call);
    Json project = arguments.get("file");
    Path file = project == null ? null : session.workspace().file(project.as(String.class));
    String query = text(arguments, "query");
    WorkspaceSymbolResult answer =
        session.ask(call, "workspace/symbol", WorkspaceSymbolResult.class, () -> {
          // Some servers load a project when its first file is opened.
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
    String text = outline.isEmpty() ? "No symbol matches '" + query + "'." : outline.text();
    return listed(session, "symbols", outline.symbols(), outline.total(), text);
  }

  // ---------------------------------------------------------------- diagnostics

  Answer diagnostics(McpCall call, Json arguments) throws InterruptedException {
    Json file = arguments.get("file");
    Session session = session(call);
    DiagnosticsQuery query = new DiagnosticsQuery(call, session, diagnosticsWait, limit(arguments));
    return file == null
        ? query.ofAllFiles()
        : query.of(session.workspace().file(file.as(String.class)));
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

  /** Returns the lines of a list, with a note if they are not all. */
  static String lines(List<String> lines, int total) {
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
