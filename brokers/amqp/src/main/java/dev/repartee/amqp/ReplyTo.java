package dev.repartee.amqp;

import java.util.Base64;

/**
 * Checks the destination of a reply, which the client chooses. RabbitMQ ends the connection of the
 * worker, with all its calls, if the name of a direct reply is not one that it has made itself:
 * {@code amq.rabbitmq.reply-to.PROCESS.KEY} with the process as base64 of Erlang's external format.
 */
final class ReplyTo {
  // The tags of the external term format (Erlang Run-Time System, "External Term Format").
  private static final int VERSION = 131;
  private static final int NEW_PID = 88;
  private static final int PID = 103;
  private static final int ATOM = 100;
  private static final int SMALL_ATOM = 115;
  private static final int ATOM_UTF8 = 118;
  private static final int SMALL_ATOM_UTF8 = 119;

  private ReplyTo() {}

  /** Returns whether a reply to this name cannot harm the connection. */
  static boolean isSafe(String name) {
    if (!name.startsWith(Names.DIRECT)) {
      return true;
    }
    String[] parts = name.substring(Names.DIRECT.length()).split("\\.", -1);
    if (parts.length != 3 || !parts[0].isEmpty() || parts[2].isEmpty()) {
      return false;
    }
    try {
      return parts[1].length() % 4 == 0 && isProcess(Base64.getDecoder().decode(parts[1]));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns whether a term is the id of a process: its node, and 12 bytes (formerly 9). */
  private static boolean isProcess(byte[] term) {
    if (term.length < 4 || at(term, 0) != VERSION) {
      return false;
    }
    int kind = at(term, 1);
    int atom = at(term, 2);
    boolean isLong = atom == ATOM || atom == ATOM_UTF8;
    if (kind != NEW_PID && kind != PID
        || !isLong && atom != SMALL_ATOM && atom != SMALL_ATOM_UTF8
        || isLong && at(term, 3) != 0) {
      return false;
    }
    int start = isLong ? 5 : 4;
    int length = term.length < start ? 0 : at(term, start - 1);
    for (int i = start; i < Math.min(term.length, start + length); i++) {
      if (term[i] <= ' ' || term[i] > '~') {
        return false;
      }
    }
    return length > 0 && term.length == start + length + (kind == NEW_PID ? 12 : 9);
  }

  private static int at(byte[] term, int index) {
    return term[index] & 0xFF;
  }
}
