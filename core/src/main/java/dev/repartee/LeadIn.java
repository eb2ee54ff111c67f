package dev.repartee;

/**
 * Skips what may stand before a message on a stream of text: white space, one byte order mark at
 * the very start, and, for people who type into telnet, its commands (RFC 854).
 */
final class LeadIn {
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static final byte IAC = (byte) 0xFF;
  private static final byte DONT = (byte) 0xFE;
  private static final byte WILL = (byte) 0xFB;
  private static final byte SB = (byte) 0xFA;
  private static final byte SE = (byte) 0xF0;

  /** Where in a telnet command the stream stands. */
  private enum Telnet {
    TEXT,
    COMMAND,
    OPTION,
    PARAMETERS,
    PARAMETERS_COMMAND
  }

  private final boolean terminal;
  private Telnet telnet = Telnet.TEXT;
  private boolean start = true;
  private boolean pending;

  /** Before the first byte of a stream, whose text may be typed at a terminal. */
  LeadIn(boolean terminal) {
    this.terminal = terminal;
  }

  /**
   * The index of the first byte of text in {@code b[from, to)}, or where it has to wait for more.
   */
  int skip(byte[] b, int from, int to) {
    pending = false;
    int i = from;
    while (i < to) {
      int text = commands(b, i, to);
      if (telnet == Telnet.TEXT) {
        text = Scanner.space(b, text, to);
      }
      if (text == i) {
        if (!start || !isMark(b, i, to)) {
          start = false;
          return i;
        }
        if (pending) {
          return i;
        }
        start = false;
        text = i + MARK.length;
      }
      i = text;
    }
    return i;
  }

  /** Whether {@link #skip} stopped before the first bytes of what may become a byte order mark. */
  boolean pending() {
    return pending;
  }

  private boolean isMark(byte[] b, int from, int to) {
    int length = Math.min(MARK.length, to - from);
    for (int k = 0; k < length; k++) {
      if (b[from + k] != MARK[k]) {
        return false;
      }
    }
    pending = length < MARK.length;
    return true;
  }

  /** Skips telnet commands only; they are consumed as they come, whole or not. */
  int commands(byte[] b, int from, int to) {
    int i = from;
    while (terminal && i < to && (telnet != Telnet.TEXT || b[i] == IAC)) {
      telnet = after(b[i++]);
    }
    return i;
  }

  private Telnet after(byte c) {
    return switch (telnet) {
      case TEXT -> Telnet.COMMAND;
      case COMMAND ->
        c == SB ? Telnet.PARAMETERS : c >= WILL && c <= DONT ? Telnet.OPTION : Telnet.TEXT;
      case OPTION -> Telnet.TEXT;
      case PARAMETERS -> c == IAC ? Telnet.PARAMETERS_COMMAND : Telnet.PARAMETERS;
      case PARAMETERS_COMMAND -> c == SE ? Telnet.TEXT : Telnet.PARAMETERS;
    };
  }
}
