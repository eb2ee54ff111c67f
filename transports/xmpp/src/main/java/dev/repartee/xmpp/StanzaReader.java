package dev.repartee.xmpp;

import java.io.IOException;
import java.io.Reader;

/**
 * Splits the text from a server into the elements of its stream. A receiver may take an element;
 * everything else is passed to the parser of the library, one element at a time. That parser must
 * not see stanzas from other entities, since it keeps each name and joins all text until the stream
 * ends.
 *
 * <p>XMPP has no comments, no document types, and no processing instructions but the declaration of
 * XML (RFC 6120 section 11.1). Used by one thread.
 */
final class StanzaReader extends Reader {
  /** The receiver of the elements. */
  interface Receiver {
    /**
     * Takes an element, or leaves it to the parser of the library. May wait.
     *
     * @param name its name, without a prefix
     * @param stream the start tag of the stream
     * @param element the text of the element
     * @return whether it was taken
     */
    boolean takes(String name, String stream, String element) throws IOException;
  }

  private enum State {
    TEXT,
    LESS,
    TAG,
    VALUE,
    MARK,
    CDATA,
    DECLARATION
  }

  private static final String SECTION = "[CDATA[";

  /** The capacity of the buffer that is kept after a large element. */
  private static final int KEPT = 64 << 10;

  private final Reader from;
  private final Receiver receiver;
  private final int most;

  private final char[] chars = new char[8192];
  private int next;
  private int end;

  /** The start tag of the stream; empty before it. */
  private String stream = "";

  /** The element that is being read. */
  private StringBuilder element = new StringBuilder();

  private State state = State.TEXT;

  /** The number of open elements; the stream is one. */
  private int depth;

  private boolean isEndTag;
  private char quote;
  private int matched;
  private char last;
  private char beforeLast;

  /** The text for the library, and the number of its characters that were read. */
  private String passed = "";

  private int read;

  /**
   * Creates a reader.
   *
   * @param most the maximum number of characters of an element; a larger element ends the stream
   */
  StanzaReader(Reader from, Receiver receiver, int most) {
    this.from = from;
    this.receiver = receiver;
    this.most = most;
  }

  @Override
  public int read(char[] to, int offset, int length) throws IOException {
    while (read == passed.length()) {
      if (next == end) {
        next = 0;
        end = Math.max(0, from.read(chars, 0, chars.length));
        if (end == 0) {
          return -1;
        }
      }
      take(chars[next++]);
    }
    int count = Math.min(length, passed.length() - read);
    passed.getChars(read, read + count, to, offset);
    read += count;
    return count;
  }

  private void take(char c) throws IOException {
    if (state == State.TEXT && depth < 2 && c != '<') {
      if (c > ' ') {
        throw new IOException("the server has sent text between stanzas");
      }
      return; // it keeps the connection alive
    }
    element.append(c);
    if (element.length() > most) {
      throw new IOException("the server has sent a stanza of more than " + most + " characters");
    }
    switch (state) {
      case TEXT -> state = c == '<' ? State.LESS : state;
      case LESS -> state = opened(c);
      case TAG -> {
        if (c == '>') {
          state = State.TEXT;
          tagEnded();
        } else if (c == '\'' || c == '"') {
          quote = c;
          state = State.VALUE;
        }
      }
      case VALUE -> state = c == quote ? State.TAG : state;
      case MARK -> {
        if (c != SECTION.charAt(matched++)) {
          throw notAllowed();
        }
        state = matched == SECTION.length() ? State.CDATA : state;
      }
      case CDATA -> state = c == '>' && last == ']' && beforeLast == ']' ? State.TEXT : state;
      case DECLARATION -> {
        if (c == '>') {
          element.setLength(0);
          state = State.TEXT;
        }
      }
    }
    beforeLast = last;
    last = c;
  }

  private State opened(char c) throws IOException {
    isEndTag = c == '/';
    matched = 0;
    if (c == '!' && depth < 2 || c == '?' && depth > 1) {
      throw notAllowed();
    }
    return c == '!' ? State.MARK : c == '?' ? State.DECLARATION : State.TAG;
  }

  private static IOException notAllowed() {
    return new IOException("the server has sent XML that XMPP does not allow");
  }

  private void tagEnded() throws IOException {
    boolean opensStream = !isEndTag && (depth == 0 || depth == 1 && name().equals("stream"));
    if (isEndTag) {
      depth--;
    } else if (last != '/') {
      depth++;
    }
    if (opensStream) {
      depth = 1; // a login begins another one within the first
      stream = element.toString();
    }
    if (depth < 2) {
      String whole = element.toString();
      String name = name();
      element.setLength(0);
      if (element.capacity() > KEPT) {
        element = new StringBuilder();
      }
      if (opensStream || depth == 0 || !receiver.takes(name, stream, whole)) {
        passed = whole;
        read = 0;
      }
    }
  }

  /** Returns the name of the element, without a prefix. */
  private String name() {
    int end = 1;
    int begin = 1;
    for (; end < element.length() && " \t\r\n/>".indexOf(element.charAt(end)) < 0; end++) {
      if (element.charAt(end) == ':') {
        begin = end + 1;
      }
    }
    return element.substring(begin, end);
  }

  @Override
  public boolean ready() throws IOException {
    return read < passed.length() || next < end || from.ready();
  }

  @Override
  public void close() throws IOException {
    from.close();
  }
}
