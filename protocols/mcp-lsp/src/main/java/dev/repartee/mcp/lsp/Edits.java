package dev.repartee.mcp.lsp;

import dev.repartee.Cancellation;
import dev.repartee.internal.Text;
import dev.repartee.limits.LimitException;
import dev.repartee.lsp.types.AnnotatedTextEdit;
import dev.repartee.lsp.types.DocumentChange;
import dev.repartee.lsp.types.DocumentTextEdit;
import dev.repartee.lsp.types.TextDocumentEdit;
import dev.repartee.lsp.types.TextEdit;
import dev.repartee.lsp.types.WorkspaceEdit;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.Workspace;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A {@code WorkspaceEdit} of the server: checked, shown, and written. Every part is a change of the
 * text of a file in the workspace; an edit with any other part is refused as a whole.
 */
final class Edits {
  private static final String NOTHING = " Nothing was changed.";

  private final Session session;
  private final Cancellation cancellation;
  private final Map<String, Path> files = new HashMap<>();
  private final Map<Path, List<SourceText.Replacement>> byFile = new LinkedHashMap<>();

  /**
   * Checks an edit.
   *
   * @param cancellation the cancellation of the call: no file is replaced afterwards
   * @throws ToolException if a part is not a change of the text of a file in the workspace, or is
   *     for another version of a document
   */
  Edits(Session session, Cancellation cancellation, WorkspaceEdit edit) {
    this.session = session;
    this.cancellation = cancellation;
    List<DocumentChange> changes = edit.documentChanges();
    Map<String, List<TextEdit>> plain = edit.changes();
    if (changes != null) {
      changes.forEach(this::add);
    } else if (plain != null) {
      plain.forEach((uri, edits) -> edits.forEach(
          each -> add(file(uri), uri, new SourceText.Replacement(each.range(), each.newText()))));
    }
  }

  private void add(DocumentChange change) {
    if (!(change instanceof TextDocumentEdit text)) {
      throw refused("The language server wants to create, rename or delete files.");
    }
    String uri = text.textDocument().uri();
    Integer version = text.textDocument().version();
    Path file = file(uri);
    Integer known = file == null ? null : session.documents().version(file);
    if (version != null && known != null && !version.equals(known)) {
      throw refused("'" + session.workspace().shown(uri) + "' has changed meanwhile.");
    }
    for (DocumentTextEdit each : text.edits()) {
      if (each instanceof TextEdit plain) {
        add(file, uri, new SourceText.Replacement(plain.range(), plain.newText()));
      } else if (each instanceof AnnotatedTextEdit annotated) {
        add(file, uri, new SourceText.Replacement(annotated.range(), annotated.newText()));
      } else {
        throw refused("The language server wants to insert a snippet.");
      }
    }
  }

  /** Returns the file of a URI, looked up once; null if it is not in the workspace. */
  private @Nullable Path file(String uri) {
    return files.computeIfAbsent(uri, session.workspace()::inside);
  }

  private void add(@Nullable Path file, String uri, SourceText.Replacement replacement) {
    if (file == null) {
      throw refused("The edit changes '" + session.workspace().shown(uri)
          + "', which is no file of the workspace.");
    }
    byFile.computeIfAbsent(file, first -> new ArrayList<>()).add(replacement);
  }

  private static ToolException refused(String reason) {
    return new ToolException(reason + NOTHING);
  }

  /** Returns the number of changes. */
  int size() {
    return byFile.values().stream().mapToInt(List::size).sum();
  }

  /** Returns the number of files. */
  int files() {
    return byFile.size();
  }

  /** Returns the first changes as members of a result: a position, the old and the new text. */
  List<Map<String, Object>> shown(int most) {
    Places places = new Places(session);
    List<Map<String, Object>> shown = new ArrayList<>();
    byFile.forEach((file, replacements) -> {
      SourceText text = shown.size() < most ? text(file) : null;
      for (SourceText.Replacement each : replacements) {
        if (text != null && shown.size() < most) {
          Map<String, Object> change = places.of(file.toUri().toString(), each.range());
          change.put("oldText", Text.shortened(text.part(each.range()), 1_000));
          change.put("newText", Text.shortened(each.text(), 1_000));
          shown.add(change);
        }
      }
    });
    return shown;
  }

  /** Returns the text that the server has changed. */
  private SourceText text(Path file) {
    SourceText known = session.documents().known(file);
    return known == null ? text(session.workspace().read(file)) : known;
  }

  private SourceText text(Workspace.Content content) {
    return new SourceText(content.text(), session.encoding());
  }

  /** A file to write, with its new content in a temporary file in the same folder. */
  private record Prepared(Path file, Path temporary) {}

  /**
   * Writes the files. All new contents are on disk before the first file is replaced, and each file
   * is replaced atomically. Notifies the server.
   *
   * @throws ToolException if no file, or only some files, were changed; the message lists them
   */
  void apply() {
    List<Prepared> prepared = new ArrayList<>();
    List<String> written = new ArrayList<>();
    try {
      byFile.forEach((file, replacements) -> prepared.add(prepare(file, replacements)));
      cancellation.throwIfCancelled();
      for (Prepared next : prepared) {
        replace(next, written);
        written.add(session.workspace().shown(next.file));
      }
    } finally {
      prepared.forEach(each -> delete(each.temporary));
      if (!written.isEmpty()) {
        tell();
      }
    }
  }

  private void tell() {
    try {
      session.documents().written(byFile.keySet());
    } catch (DisconnectedException | LimitException e) {
      // The files are already written; another server will read them.
    }
  }

  private Prepared prepare(Path file, List<SourceText.Replacement> replacements) {
    cancellation.throwIfCancelled();
    String shown = session.workspace().shown(file);
    Workspace.Content content = session.workspace().read(file);
    SourceText known = session.documents().known(file);
    if (known != null && !known.text().equals(content.text())) {
      throw refused("'" + shown + "' has changed meanwhile; call the tool again.");
    } else if (!Files.isWritable(file)) {
      throw refused("'" + shown + "' may not be written.");
    }
    byte[] bytes = bytes(shown, content, replacements);
    Path temporary = null;
    try {
      Path folder = file.getParent();
      temporary = Files.createTempFile(folder == null ? file : folder, ".repartee-", ".tmp");
      Files.write(temporary, bytes);
      copyPermissions(file, temporary);
      return new Prepared(file, temporary);
    } catch (IOException e) {
      delete(temporary);
      throw refused("'" + shown + "' cannot be written.");
    }
  }

  private byte[] bytes(
      String shown, Workspace.Content content, List<SourceText.Replacement> replacements) {
    try {
      return content.with(text(content).with(replacements));
    } catch (CharacterCodingException e) {
      throw refused("The language server sent an edit of '" + shown
          + "' with half of a surrogate pair, which no file in UTF-8 can have.");
    }
  }

  private static void copyPermissions(Path from, Path to) throws IOException {
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(from);
      Files.setPosixFilePermissions(to, permissions);
    } catch (UnsupportedOperationException e) {
      // The file system has no such permissions.
    }
  }

  private void replace(Prepared next, List<String> written) {
    try {
      Files.move(
          next.temporary,
          next.file,
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new ToolException("'" + session.workspace().shown(next.file)
          + "' cannot be replaced. "
          + (written.isEmpty()
              ? "Nothing was changed."
              : "Only these files were changed: " + String.join(", ", written)));
    }
  }

  private static void delete(@Nullable Path temporary) {
    try {
      if (temporary != null) {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      // It is left behind.
    }
  }
}
