package dev.repartee.mcp;

/** Messages as server-sent events. */
final class MessageEvent {
  private MessageEvent() {}

  /**
   * The data of the event that a message is: on one line, since there are clients that read line by
   * line. Line ends in a message can only be white space between its tokens; they become spaces here and
   * now.
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
