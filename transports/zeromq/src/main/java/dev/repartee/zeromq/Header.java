package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.broker.OutgoingRequest;
import dev.repartee.internal.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frame before the empty delimiter of a message. A client uses it to announce that it accepts
 * more than one reply. It is ASCII text, words with single spaces: {@code repartee1}, the kind of
 * the message, its key, and more words depending on the kind. It is a part of the envelope, so that
 * any server that echoes the envelope repeats the key.
 *
 * @param kind {@link #CALL} or another kind
 * @param key identifies the message among the messages of its client
 * @param number the window of a call, the bytes of a grant; otherwise 0
 * @param millis the time-out of the client of a call; 0 if unknown
 * @param idempotent whether a call may be handled twice
 */
record Header(String kind, String key, long number, long millis, boolean idempotent) {
  /** A request: {@code call KEY WINDOW MILLIS}, then {@code idempotent} if it is. */
  static final String CALL = "call";

  /** A notification: {@code note KEY}. It is immediately answered with an empty message. */
  static final String NOTE = "note";

  /** Cancels a request: {@code cancel KEY}. */
  static final String CANCEL = "cancel";

  /** Allows the service to send more before the reply: {@code grant KEY BYTES}. */
  static final String GRANT = "grant";

  /** A message to the client before the reply: {@code more KEY}. */
  static final String MORE = "more";

  private static final String START = "repartee1 ";
  private static final byte[] START_BYTES = START.getBytes(ISO_8859_1);
  private static final int LONGEST = 200;

  Header(String kind, String key) {
    this(kind, key, 0, 0, false);
  }

  /** Returns the header of a request. */
  static Header of(OutgoingRequest request) {
    return request.expectsReply()
        ? new Header(CALL, request.key(), request.window(), request.millis(), request.idempotent())
        : new Header(NOTE, request.key());
  }

  /** Returns whether a frame is marked as a header, even if it is malformed. */
  static boolean isHeader(byte[] frame) {
    int length = START_BYTES.length;
    return frame.length > length && Arrays.equals(frame, 0, length, START_BYTES, 0, length);
  }

  /** Parses a header; returns null if it has another form. */
  static @Nullable Header parse(byte[] frame) {
    if (frame.length > LONGEST) {
      return null;
    }
    List<String> words = words(frame);
    int size = words.size();
    if (size < 3 || words.get(2).isEmpty()) {
      return null;
    }
    String kind = words.get(1);
    boolean idempotent = size == 6 && words.get(5).equals("idempotent");
    long number = size > 3 ? Text.number(words.get(3)) : 0;
    long millis = size > 4 ? Text.number(words.get(4)) : 0;
    boolean fits = switch (kind) {
      case CALL -> size == 5 || idempotent;
      case GRANT -> size == 4;
      case NOTE, CANCEL, MORE -> size == 3;
      default -> false;
    };
    return fits && number >= 0 && millis >= 0
        ? new Header(kind, words.get(2), number, millis, idempotent)
        : null;
  }

  /**
   * Returns the words between single spaces. Uses no regular expression, since it is called for
   * every message.
   */
  private static List<String> words(byte[] frame) {
    List<String> words = new ArrayList<>(6);
    int start = 0;
    for (int i = 0; i <= frame.length; i++) {
      if (i == frame.length || frame[i] == ' ') {
        words.add(new String(frame, start, i - start, ISO_8859_1));
        start = i + 1;
      }
    }
    return words;
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
