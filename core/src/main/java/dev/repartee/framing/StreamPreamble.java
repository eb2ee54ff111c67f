package dev.repartee.framing;

import dev.repartee.json.JsonScanner;

/**
 * Skips the bytes that may precede a message on a text stream: white space and, for people who type
 * into telnet, telnet commands (RFC 854). For one stream and one thread.
 */
final class StreamPreamble {
  private static final byte IAC = (byte) 0xFF;
  private static final byte DONT = (byte) 0xFE;
  private static final byte WILL = (byte) 0xFB;
  private static final byte SB = (byte) 0xFA;
  private static final byte SE = (byte) 0xF0;

  /** The position of the stream inside a telnet command. */
  private enum Telnet {
    TEXT,
    COMMAND,
    OPTION,
    PARAMETERS,
    PARAMETERS_COMMAND
  }

  private final boolean terminal;
  private Telnet telnet = Telnet.TEXT;

  /**
   * Starts before the first byte of a stream.
   *
   * @param terminal whether the text may be typed into telnet, so that its commands are skipped
   */
  StreamPreamble(boolean terminal) {
    this.terminal = terminal;
  }

  /** Returns the index of the first byte of text in {@code b[from, to)}, or {@code to}. */
  int skip(byte[] b, int from, int to) {
    int i = from;
    int text = -1;
    while (i != text) {
      text = i;
      i = commands(b, i, to);
      i = telnet == Telnet.TEXT ? JsonScanner.space(b, i, to) : i;
    }
    return i;
  }

  /** Skips telnet commands only. The part of a command that has arrived is consumed immediately. */
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
