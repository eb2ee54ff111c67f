package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.broker.OutgoingRequest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The frame before the empty delimiter of a message, by which a client announces that it takes more
 * than one reply. It is ASCII text, words with single spaces: {@code repartee1}, the kind of the
 * message, its key, and further words by kind. It is a part of the envelope, so that any server that
 * echoes the envelope repeats the key.
 *
 * @param kind {@link #CALL} and the others
 * @param key identifies the message among those of its client
 * @param number the window of a call, the bytes of a grant; otherwise 0
 * @param millis the time that the client of a call waits; 0 if that is unknown
 * @param idempotent whether a call may be handled twice
 */
record Header(String kind, String key, long number, long millis, boolean idempotent) {
  /** A request: {@code call KEY WINDOW MILLIS}, then {@code idempotent} if it is. */
  static final String CALL = "call";

  /** A notification: {@code note KEY}. It is answered at once, by an empty message. */
  static final String NOTE = "note";

  /** Gives a request up: {@code cancel KEY}. */
  static final String CANCEL = "cancel";

  /** Allows the service to send more before the reply: {@code grant KEY BYTES}. */
  static final String GRANT = "grant";

  /** A message to the client before the reply: {@code more KEY}. */
  static final String MORE = "more";

  private static final String START = "repartee1 ";
  private static final byte[] START_BYTES = START.getBytes(ISO_8859_1);
  private static final int LONGEST = 200;
  private static final int DIGITS = 18;

  Header(String kind, String key) {
    this(kind, key, 0, 0, false);
  }

  /** Returns the header of a request. */
  static Header of(OutgoingRequest request) {
    return request.expectsReply()
        ? new Header(CALL, request.key(), request.window(), request.millis(), request.idempotent())
        : new Header(NOTE, request.key());
  }

  /** Returns whether a frame says that it is a header, of any form. */
  static boolean isHeader(byte[] frame) {
    int length = START_BYTES.length;
    return frame.length > length && Arrays.equals(frame, 0, length, START_BYTES, 0, length);
  }

  /** Parses a header; returns null if it has another form. */
  static @Nullable Header parse(byte[] frame) {
    if (frame.length > LONGEST) {
      return null;
    }
    String[] words = new String(frame, ISO_8859_1).split(" ", -1);
    if (words.length < 3 || words[2].isEmpty()) {
      return null;
    }
    boolean idempotent = words.length == 6 && words[5].equals("idempotent");
    long number = words.length > 3 ? number(words[3]) : 0;
    long millis = words.length > 4 ? number(words[4]) : 0;
    boolean fits = switch (words[1]) {
      case CALL -> words.length == 5 || idempotent;
      case GRANT -> words.length == 4;
      case NOTE, CANCEL, MORE -> words.length == 3;
      default -> false;
    };
    return fits && number >= 0 && millis >= 0
        ? new Header(words[1], words[2], number, millis, idempotent)
        : null;
  }

  /** Returns a number; -1 if the text is none. */
  private static long number(String text) {
    boolean fits = !text.isEmpty() && text.length() <= DIGITS;
    return fits && text.chars().allMatch(each -> each >= '0' && each <= '9')
        ? Long.parseLong(text)
        : -1;
  }

  /** Returns the frame. */
  byte[] toBytes() {
    String text = START + kind + " " + key;
    if (kind.equals(CALL)) {
      text += " " + number + " " + millis + (idempotent ? " idempotent" : "");
    } else if (kind.equals(GRANT)) {
      text += " " + number;
    }
    return text.getBytes(ISO_8859_1);
  }
}
