package dev.repartee.mcp.http;

/** Converts messages to server-sent events. */
final class MessageEvent {
  private MessageEvent() {}

  /**
   * Returns the message as data of one line, because some clients read events line by line. Line
   * breaks in JSON can only be white space between tokens; they are replaced by spaces in place.
   */
  static byte[] data(byte[] message) {
    for (int i = 0; i < message.length; i++) {
      if (message[i] == '\n' || message[i] == '\r') {
        message[i] = ' ';
      }
    }
    return message;
  }
}
