package dev.repartee.mcp.lsp;

import dev.repartee.lsp.handlers.AsyncLanguageServer;
import dev.repartee.lsp.types.DidChangeTextDocumentParams;
import dev.repartee.lsp.types.DidChangeWatchedFilesParams;
import dev.repartee.lsp.types.DidCloseTextDocumentParams;
import dev.repartee.lsp.types.DidOpenTextDocumentParams;
import dev.repartee.lsp.types.DidSaveTextDocumentParams;
import dev.repartee.lsp.types.FileChangeType;
import dev.repartee.lsp.types.FileEvent;
import dev.repartee.lsp.types.TextDocumentContentChangeWholeDocument;
import dev.repartee.lsp.types.TextDocumentIdentifier;
import dev.repartee.lsp.types.TextDocumentItem;
import dev.repartee.lsp.types.VersionedTextDocumentIdentifier;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The documents that are open at the server, with the texts that were sent to it. A file is opened
 * when a tool needs it. Before each call, the open documents are compared with the disk, since the
 * model edits files by other means. The number of open documents is limited: the least recently
 * used ones are closed. Thread-safe; the lock orders the messages about documents.
 */
final class Documents {
  private static final long MAX_CHARACTERS = 32 << 20;

  /** A file that was changed less than this time before it was read may have changed since then. */
  private static final long CLOCK_TICK_MILLIS = 2_000;

  private final Workspace workspace;
  private final AsyncLanguageServer server;
  private final Features features;
  private final Published published;
  private final int maxOpen;

  // Guarded by this. The documents are in the order of their last use.
  private final Map<Path, Document> open = new LinkedHashMap<>(16, 0.75f, true);
  private int versions;

  Documents(
      Workspace workspace,
      AsyncLanguageServer server,
      Features features,
      Published published,
      int maxOpen) {
    this.workspace = workspace;
    this.server = server;
    this.features = features;
    this.published = published;
    this.maxOpen = maxOpen;
  }

  /**
   * An open document. Immutable.
   *
   * @param version the version; versions increase within a session
   * @param mark the {@link Published#mark} before this version was sent
   * @param stamp the state of the file before it was read
   */
  record Document(Path file, String uri, int version, long mark, SourceText text, Stamp stamp) {
    TextDocumentIdentifier id() {
      return new TextDocumentIdentifier(uri);
    }
  }

  /** The state of a file on disk, and the time when it was read. */
  private record Stamp(long modified, long size, long looked) {
    boolean isAs(Stamp now) {
      return modified == now.modified && size == now.size && looked - modified > CLOCK_TICK_MILLIS;
    }
  }

  /** Notifies the server of all changes of open files since the last call. */
  synchronized void refresh() {
    for (Map.Entry<Path, Document> entry : List.copyOf(open.entrySet())) {
      refresh(entry);
    }
  }

  /** Sets the new version in the entry, since a put would count as a use of the document. */
  private void refresh(Map.Entry<Path, Document> entry) {
    Document document = entry.getValue();
    Path file = document.file;
    Stamp now = stamp(file);
    if (now != null && document.stamp.isAs(now)) {
      return;
    }
    SourceText text = null;
    try {
      text = now == null ? null : read(file);
    } catch (ToolException e) {
      // It is closed below; a call that names it gets the reason.
    }
    if (text == null || now == null) {
      close(document);
    } else if (text.text().equals(document.text.text())) {
      entry.setValue(
          new Document(file, document.uri, document.version, document.mark, document.text, now));
    } else {
      Document changed = new Document(file, document.uri, ++versions, published.mark(), text, now);
      entry.setValue(changed);
      change(changed);
    }
  }

  private void change(Document changed) {
    if (features.syncs()) {
      server.didChangeTextDocument(new DidChangeTextDocumentParams(
          new VersionedTextDocumentIdentifier(changed.uri, changed.version),
          List.of(new TextDocumentContentChangeWholeDocument(changed.text.text()))));
    }
    if (features.saves()) { // the text is equal to the text on disk
      server.didSaveTextDocument(new DidSaveTextDocumentParams(
          changed.id(), features.savesText() ? changed.text.text() : null));
    }
  }

  /**
   * Returns the document of a file, opened if necessary, after {@link #refresh}.
   *
   * @throws ToolException if the file cannot be opened
   */
  synchronized Document open(Path file) {
    refresh();
    Document document = open.get(file);
    if (document == null) {
      Stamp stamp = stamp(file);
      SourceText text = read(file);
      document = new Document(
          file,
          file.toUri().toString(),
          ++versions,
          published.mark(),
          text,
          stamp == null ? new Stamp(0, 0, 0) : stamp);
      open.put(file, document);
      if (features.opens()) {
        server.didOpenTextDocument(new DidOpenTextDocumentParams(new TextDocumentItem(
            document.uri,
            LanguageIds.of(String.valueOf(file.getFileName())),
            document.version,
            text.text())));
      }
      shrink(document);
    }
    return document;
  }

  private SourceText read(Path file) {
    return new SourceText(workspace.read(file).text(), features.encoding());
  }

  /** Returns whether this is the text at the server; opens the file again if needed. */
  synchronized boolean isCurrent(Document document) {
    Document now = open.get(document.file);
    SourceText text = now == null ? open(document.file).text : now.text;
    return text == document.text || text.text().equals(document.text.text());
  }

  /** Returns the text of a file at the server; null if it is not open. */
  synchronized @Nullable SourceText known(Path file) {
    Document document = open.get(file);
    return document == null ? null : document.text;
  }

  /** Returns the version of an open document; null if it is not open. */
  synchronized @Nullable Integer version(Path file) {
    Document document = open.get(file);
    return document == null ? null : document.version;
  }

  /** Notifies the server that files were written. */
  synchronized void written(Collection<Path> files) {
    refresh();
    server.didChangeWatchedFiles(new DidChangeWatchedFilesParams(files.stream()
        .map(file -> new FileEvent(file.toUri().toString(), FileChangeType.CHANGED))
        .toList()));
  }

  private void shrink(Document latest) {
    long characters = 0;
    for (Document document : open.values()) {
      characters += document.text.text().length();
    }
    Iterator<Document> oldest = List.copyOf(open.values()).iterator();
    while (open.size() > maxOpen || characters > MAX_CHARACTERS) {
      Document next = oldest.next();
      if (next == latest) {
        return;
      }
      characters -= next.text.text().length();
      close(next);
    }
  }

  private void close(Document document) {
    open.remove(document.file);
    if (features.opens()) {
      server.didCloseTextDocument(new DidCloseTextDocumentParams(document.id()));
    }
  }

  /** Returns null for a file that no longer exists, or is now reached through a symbolic link. */
  private static @Nullable Stamp stamp(Path file) {
    long now = System.currentTimeMillis();
    try {
      if (!file.toRealPath().equals(file)) {
        return null;
      }
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isRegularFile()
          ? new Stamp(attributes.lastModifiedTime().toMillis(), attributes.size(), now)
          : null;
    } catch (IOException e) {
      return null;
    }
  }
}
