package dev.repartee.lsp.documents;

import dev.repartee.RpcException;
import dev.repartee.lsp.types.LanguageKind;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.PositionEncodingKind;
import dev.repartee.lsp.types.Range;
import dev.repartee.lsp.types.TextDocumentContentChangeEvent;
import dev.repartee.lsp.types.TextDocumentContentChangePartial;
import dev.repartee.lsp.types.TextDocumentContentChangeWholeDocument;
import dev.repartee.lsp.types.TextDocumentItem;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One version of a text document. Immutable and thread-safe: a request may work on it while later
 * changes arrive.
 *
 * <p>Lines end with {@code \n}, {@code \r\n} or {@code \r}, and are numbered from 0. Positions
 * count characters in the negotiated {@link #encoding}; offsets count the {@code char}s of {@link
 * #text()}. A small change of a long document copies a small part of it.
 */
public final class TextDocument {
  private final String uri;
  private final LanguageKind language;
  private final int version;
  private final Encoding encoding;

  // The two forms of the text. At least one exists, and the other one is made on first use, by any
  // number of threads with the same result.
  private volatile @Nullable String text;
  private volatile @Nullable Blocks blocks;

  private TextDocument(
      String uri,
      LanguageKind language,
      int version,
      Encoding encoding,
      @Nullable String text,
      @Nullable Blocks blocks) {
    this.uri = uri;
    this.language = language;
    this.version = version;
    this.encoding = encoding;
    this.text = text;
    this.blocks = blocks;
  }

  /**
   * Returns the document of an item, as {@code textDocument/didOpen} carries it.
   *
   * @throws IllegalArgumentException if the encoding is none of UTF-8, UTF-16 and UTF-32
   */
  public static TextDocument of(TextDocumentItem item, PositionEncodingKind encoding) {
    return new TextDocument(
        item.uri(), item.languageId(), item.version(), Encoding.of(encoding), item.text(), null);
  }

  /**
   * Returns the next version of this document.
   *
   * @param changes the changes; each applies to the text after the previous change
   * @throws RpcException invalid params (-32602) if a position is outside of the document
   */
  public TextDocument change(int version, List<? extends TextDocumentContentChangeEvent> changes) {
    TextDocument changed = this;
    for (TextDocumentContentChangeEvent change : changes) {
      changed = changed.apply(change);
    }
    return new TextDocument(uri, language, version, encoding, changed.text, changed.blocks);
  }

  private TextDocument apply(TextDocumentContentChangeEvent change) {
    if (change instanceof TextDocumentContentChangePartial partial) {
      int from = offset(partial.range().start());
      int to = offset(partial.range().end());
      requireOrder(partial.range(), from, to);
      long length = (long) length() - (to - from) + partial.text().length();
      if (length > Integer.MAX_VALUE - 8) {
        throw invalid(uri + " is too long after the change: " + length + " characters");
      }
      Blocks next = blocks().replace(from, to, partial.text());
      return new TextDocument(uri, language, version, encoding, null, next);
    }
    String whole = ((TextDocumentContentChangeWholeDocument) change).text();
    return new TextDocument(uri, language, version, encoding, whole, null);
  }

  /** Returns the URI of the document, in the form that the client uses. */
  public String uri() {
    return uri;
  }

  /** Returns the language that the client has stated. */
  public LanguageKind languageId() {
    return language;
  }

  /** Returns the version number that the client has given. */
  public int version() {
    return version;
  }

  /** Returns the units in which positions count the characters of a line. */
  public PositionEncodingKind encoding() {
    return encoding.kind;
  }

  /**
   * Returns this version with positions in other units, such as code points for a message to a
   * user. Shares the text; keep the result instead of calling this method again.
   *
   * @throws IllegalArgumentException if the encoding is none of UTF-8, UTF-16 and UTF-32
   */
  public TextDocument withEncoding(PositionEncodingKind other) {
    Encoding next = Encoding.of(other);
    return next == encoding
        ? this
        : new TextDocument(uri, language, version, next, text, blocks().in(next));
  }

  /**
   * Returns the whole text. The first use after an incremental change copies it; later ones return
   * the same string.
   */
  public String text() {
    String known = text;
    if (known == null) {
      Blocks all = blocks();
      known = all.substring(0, all.length());
      text = known;
    }
    return known;
  }

  /**
   * Returns the text of a range.
   *
   * @throws RpcException invalid params (-32602) if a position is outside of the document
   */
  public String text(Range range) {
    int from = offset(range.start());
    int to = offset(range.end());
    requireOrder(range, from, to);
    return blocks().substring(from, to);
  }

  /** Returns the number of {@code char}s in the text. */
  public int length() {
    String known = text;
    return known == null ? blocks().length() : known.length();
  }

  /** Returns the number of lines: one more than there are line ends. */
  public int lineCount() {
    return blocks().lineCount();
  }

  /**
   * Returns a line, without its line end.
   *
   * @param line from 0
   * @throws IndexOutOfBoundsException if there is no such line
   */
  public String line(int line) {
    Blocks all = blocks();
    Objects.checkIndex(line, all.lineCount());
    return all.substring(all.lineStart(line), all.lineEnd(line));
  }

  /**
   * Returns the offset of a position in the text. A position after the end of its line is treated
   * as the end of the line, and a position within a character as the start of that character.
   * Character 0 of the line after the last one is the end of the document, since several clients
   * end the range of the whole document there.
   *
   * @throws RpcException invalid params (-32602) if the position is outside of the document. A
   *     handler should pass it on to the client
   */
  public int offset(Position position) {
    Blocks all = blocks();
    int lines = all.lineCount();
    int line = position.line();
    int character = position.character();
    if (line >= 0 && line < lines && character >= 0) {
      return all.offset(line, character);
    }
    if (line == lines && character == 0) {
      return all.length();
    }
    throw invalid("the position " + line + ":" + character + " is outside of " + uri
        + ", which has " + lines + (lines == 1 ? " line" : " lines") + " in version " + version
        + "; lines and characters are counted from 0");
  }

  /**
   * Returns the position of an offset in the text. An offset within a line end is the end of the
   * line.
   *
   * @throws IndexOutOfBoundsException if the offset is negative or greater than {@link #length}
   */
  public Position position(int offset) {
    Blocks all = blocks();
    Objects.checkIndex(offset, all.length() + 1);
    int line = all.lineAt(offset);
    return new Position(line, all.units(line, offset));
  }

  /**
   * Returns the range between two offsets; see {@link #position}.
   *
   * @throws IndexOutOfBoundsException if an offset is negative or greater than {@link #length}
   */
  public Range range(int from, int to) {
    return new Range(position(from), position(to));
  }

  /** Returns this document with an empty text. */
  TextDocument withoutText() {
    return new TextDocument(uri, language, version, encoding, "", null);
  }

  private Blocks blocks() {
    Blocks known = blocks;
    if (known == null) {
      known = Blocks.of(Objects.requireNonNull(text), encoding);
      blocks = known;
    }
    return known;
  }

  private static void requireOrder(Range range, int from, int to) {
    if (to < from) {
      throw invalid("the range " + range.start().line() + ":" + range.start().character() + " to "
          + range.end().line() + ":" + range.end().character() + " ends before it starts");
    }
  }

  private static RpcException invalid(String why) {
    return new RpcException(RpcError.INVALID_PARAMS, why);
  }

  /** Returns the URI and the version. */
  @Override
  public String toString() {
    return uri + " version " + version;
  }
}
