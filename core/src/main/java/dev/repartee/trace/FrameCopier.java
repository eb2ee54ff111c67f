package dev.repartee.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.JsonException;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Copies frames for a trace: masked, and cut to a maximum length. Immutable and thread-safe. */
final class FrameCopier {
  /** The text in place of a hidden value. */
  static final String HIDDEN = "\u2026";

  /**
   * The ends of the names of members with secrets, as {@link #plain} writes them: {@code
   * dbPassword} is one. Not {@code token}, since {@code nextPageToken} and {@code progressToken}
   * are none.
   */
  private static final List<String> ENDINGS = List.of(
      "accesskey",
      "accesstoken",
      "apikey",
      "apitoken",
      "authorization",
      "authtoken",
      "bearertoken",
      "cookie",
      "credential",
      "credentials",
      "idtoken",
      "passphrase",
      "passwd",
      "password",
      "privatekey",
      "refreshtoken",
      "secret",
      "secretkey",
      "sessiontoken");

  private static final String TOKEN = "token";

  /** A message is one level deeper in the line of a recording, which has to be readable. */
  private static final int DEPTH = Limits.DEPTH - 1;

  /**
   * The maximum number of bytes of a member name that are compared with the names of secrets. Of a
   * longer name these are its last ones.
   */
  private static final int NAME = 512;

  private static final Set<String> ENVELOPE = Set.of("jsonrpc", "id", "method");

  private final Mask mask;
  private final List<String> endings;
  private final Set<String> names;
  private final int max;

  /**
   * Creates a copier.
   *
   * @param more names of further members to hide
   * @param max the maximum length of a copy in bytes
   */
  FrameCopier(Mask mask, List<String> more, int max) {
    this.mask = mask;
    this.endings = mask == Mask.NONE ? List.of() : ENDINGS;
    this.names = mask == Mask.NONE
        ? Set.of()
        : Stream.concat(Stream.of(TOKEN), more.stream().map(FrameCopier::plain))
            .collect(Collectors.toUnmodifiableSet());
    this.max = max;
  }

  Mask mask() {
    return mask;
  }

  /**
   * Returns the letters and digits of a text, in lower case: {@code api_key} is {@code apiKey}. A
   * loop, since a regular expression took seconds for a message of the maximum length.
   */
  private static String plain(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    int c;
    for (int i = 0; i < text.length(); i += Character.charCount(c)) {
      c = text.codePointAt(i);
      if (Character.isLetterOrDigit(c)) {
        plain.appendCodePoint(Character.toLowerCase(c));
      }
    }
    return plain.toString();
  }

  /** Copies the frame {@code b[from, to)}. */
  Entry.Frame copy(Duration at, long connection, Direction direction, byte[] b, int from, int to) {
    int size = to - from;
    int start = JsonScanner.start(b, from, to);
    try {
      new JsonScanner(DEPTH).text(b, start, to);
    } catch (JsonException e) {
      return other(at, connection, direction, b, from, to);
    }
    Copy copy = new Copy(b, to);
    copy.text(start);
    byte[] text = copy.out.toBytes();
    return copy.cut
        ? new Entry.Frame(at, connection, direction, size, null, beginning(text), null, true)
        : new Entry.Frame(
            at, connection, direction, size, UnsafeJson.wrap(text), null, null, false);
  }

  /** Returns a cut text; the last character may be incomplete. */
  private static String beginning(byte[] cut) {
    String text = new String(cut, UTF_8);
    return text.endsWith("\uFFFD") ? text.substring(0, text.length() - 1) : text;
  }

  /**
   * Copies a frame that is not JSON, or its beginning. No member can be masked in it, so the copy
   * is shown or hidden whole. The rest of the frame is not read: it may be long.
   */
  private Entry.Frame other(
      Duration at, long connection, Direction direction, byte[] b, int from, int to) {
    int size = to - from;
    boolean cut = size > max;
    int end = cut ? from + max : to;
    String text = decoded(b, from, end, cut);
    String base64 = null;
    if (hides(text)) {
      text = null;
      cut = false;
    } else if (text == null) {
      base64 = Base64.getEncoder().encodeToString(Arrays.copyOfRange(b, from, end));
    }
    return new Entry.Frame(at, connection, direction, size, null, text, base64, cut);
  }

  /**
   * Returns whether the mask hides a text without members. Under {@link Mask#NAMES} that is a text
   * with one of the names, or with an escape, which may be a letter of a name.
   */
  boolean hides(@Nullable String text) {
    if (mask != Mask.NAMES || text == null) {
      return mask != Mask.NONE;
    }
    String plain = plain(text);
    return text.contains("\\u")
        || Stream.concat(endings.stream(), names.stream()).anyMatch(plain::contains);
  }

  /** Returns whether a member of this name has a secret value. */
  private boolean isSecret(String name) {
    String plain = plain(name);
    return names.contains(plain) || endings.stream().anyMatch(plain::endsWith);
  }

  /**
   * Returns {@code b[from, end)} as a text; null if it is not UTF-8.
   *
   * @param cut whether the last character may be incomplete; it is left out then
   */
  private static @Nullable String decoded(byte[] b, int from, int end, boolean cut) {
    CharBuffer text = CharBuffer.allocate(end - from);
    boolean malformed = UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(b, from, end - from), text, !cut)
        .isError();
    return malformed ? null : text.flip().toString();
  }

  /** A masked copy of one text, which was validated before. */
  private final class Copy {
    final JsonWriter out = new JsonWriter();
    boolean cut;

    private final byte[] b;
    private final int to;

    /** Marks the depths at which the open container is an object. */
    private final BitSet objects = new BitSet();

    private int depth;

    /** The depth of the members of a message: 1, or 2 in a batch. */
    private int envelope;

    /** Whether a string is the name of a member. */
    private boolean name;

    /** Whether the text is inside the member {@code error} of a message. */
    private boolean error;

    /** Whether the next value is shown although all values are masked. */
    private boolean shown;

    Copy(byte[] b, int to) {
      this.b = b;
      this.to = to;
    }

    void text(int from) {
      envelope = b[from] == '[' ? 2 : 1;
      for (int i = from; i < to && !cut; ) {
        byte c = b[i];
        switch (c) {
          case ' ', '\t', '\r', '\n' -> i++;
          case '{', '[' -> {
            objects.set(++depth, c == '{');
            name = c == '{';
            error &= depth != envelope; // of an earlier element of the batch
            i = mark(i);
          }
          case '}', ']' -> {
            depth--;
            i = mark(i);
          }
          case ',' -> {
            name = objects.get(depth);
            i = mark(i);
          }
          case ':' -> {
            raw(i, i + 1);
            i++;
          }
          default -> i = name ? member(i) : value(i);
        }
      }
    }

    private int mark(int i) {
      shown = false;
      raw(i, i + 1);
      return i + 1;
    }

    /** Copies a name, and the value with it if that is hidden; returns the index behind. */
    private int member(int from) {
      name = false;
      int end = end(from);
      raw(from, end);
      String label = label(from, end);
      if (depth == envelope) {
        error = label.equals("error");
      }
      shown = depth == envelope && ENVELOPE.contains(label)
          || depth == envelope + 1 && error && label.equals("code");
      if (shown || !isSecret(label)) {
        return end;
      }
      int value = JsonScanner.colon(b, end, to);
      ascii(":");
      hide();
      return end(value);
    }

    /** Returns the name {@code b[from, end)}, or the end of a long one. */
    private String label(int from, int end) {
      int start = from + 1;
      while (end - 1 - start > NAME || (b[start] & 0xC0) == 0x80) { // inside of a character
        start += b[start] != '\\' ? 1 : b[start + 1] == 'u' ? 6 : 2;
      }
      byte[] quoted = new byte[end - start + 1];
      quoted[0] = '"';
      System.arraycopy(b, start, quoted, 1, end - start);
      return UnsafeJson.wrap(quoted).as(String.class);
    }

    private int value(int from) {
      int end = end(from);
      if (mask != Mask.VALUES || shown || b[from] >= 'a') { // true, false or null
        raw(from, end);
      } else if (b[from] == '"') {
        hide();
      } else {
        ascii("0");
      }
      return end;
    }

    /** Returns the index behind the value at {@code from}. */
    private int end(int from) {
      if (b[from] == '"' || b[from] == '{' || b[from] == '[') {
        return JsonScanner.skip(b, from);
      }
      int i = from;
      while (i < to && (b[i] == '-' || b[i] == '+' || b[i] == '.' || isWord(b[i]))) {
        i++;
      }
      return i;
    }

    private static boolean isWord(byte c) {
      return c >= '0' && c <= '9' || (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    private void hide() {
      if (room(5) == 5) {
        out.string(HIDDEN);
      }
    }

    private void ascii(String text) {
      if (room(text.length()) == text.length()) {
        out.ascii(text);
      }
    }

    private void raw(int from, int end) {
      out.raw(b, from, from + room(end - from));
    }

    /** Returns how many of the next bytes have room, and whether the copy ends with them. */
    private int room(int bytes) {
      int room = Math.min(bytes, max - out.size());
      cut |= room < bytes;
      return room;
    }
  }
}
