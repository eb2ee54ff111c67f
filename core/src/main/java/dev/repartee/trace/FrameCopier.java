package dev.repartee.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonScanner;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Copies frames for a trace: masked, and cut to a maximum length. Immutable and thread-safe. */
final class FrameCopier {
  /** The text that replaces a hidden value. */
  static final String HIDDEN = "\u2026";

  /**
   * The ends of the names of members with secrets, as {@link #plain} writes them: {@code
   * dbPassword} ends with one. {@code token} is missing, since {@code nextPageToken} and {@code
   * progressToken} are not secret.
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
   * loop, since a regular expression needed seconds for a message of the maximum length.
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
    int start = JsonScanner.start(b, from, to);
    try {
      new JsonScanner(DEPTH).text(b, start, to);
    } catch (JsonException e) {
      return other(at, connection, direction, b, from, to);
    }
    Copy copy = new Copy(b, start, to);
    copy.value(Place.FRAME, false);
    byte[] text = copy.out.toBytes();
    boolean cut = text.length > max;
    return new Entry.Frame(
        at,
        connection,
        direction,
        to - from,
        cut ? null : UnsafeJson.wrap(text),
        cut ? beginning(text) : null,
        null,
        cut);
  }

  /** Returns the first {@code max} bytes of a text without a character that is incomplete. */
  private String beginning(byte[] text) {
    int end = max;
    while ((text[end] & 0xC0) == 0x80) { // inside of a character
      end--;
    }
    return new String(text, 0, end, UTF_8);
  }

  /**
   * Copies a frame that is not JSON, or its beginning. No member of it can be masked: the whole
   * copy is either shown or hidden. The rest of the frame is not read: it may be long.
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

  /** The place of a value in a frame. {@link Mask#VALUES} shows members of some places. */
  private enum Place {
    /** The whole frame: a message, or a batch of messages. */
    FRAME,
    MESSAGE,
    /** The member {@code error} of a message. */
    ERROR,
    CONTENT;

    boolean shows(String name) {
      return this == MESSAGE && ENVELOPE.contains(name) || this == ERROR && name.equals("code");
    }

    Place member(String name) {
      return this == MESSAGE && name.equals("error") ? ERROR : CONTENT;
    }
  }

  /**
   * A masked copy of one text, which was validated before. It ends soon after it has more than
   * {@code max} bytes: a long frame is not copied whole.
   */
  private final class Copy {
    final JsonWriter out = new JsonWriter();
    private final byte[] b;
    private final JsonReader in;

    Copy(byte[] b, int from, int to) {
      this.b = b;
      this.in = new JsonReader(b, from, to);
    }

    /**
     * Copies a value.
     *
     * @param shown whether a string or number is shown although all values are masked
     */
    void value(Place place, boolean shown) {
      Json.Kind kind = in.kind();
      switch (kind) {
        case OBJECT -> object(place == Place.FRAME ? Place.MESSAGE : place);
        case ARRAY -> array(place == Place.FRAME ? Place.MESSAGE : Place.CONTENT);
        case STRING, NUMBER -> scalar(kind, shown || mask != Mask.VALUES);
        case BOOLEAN, NULL -> scalar(kind, true);
      }
    }

    private void array(Place place) {
      in.enterArray();
      out.open('[');
      for (boolean first = true; more(first); first = false) {
        value(place, false);
      }
      out.close(']');
    }

    private void object(Place place) {
      in.enterObject();
      out.open('{');
      for (boolean first = true; more(first); first = false) {
        member(place);
      }
      out.close('}');
    }

    /** Moves to the next element or member, and writes the comma in front of it. */
    private boolean more(boolean first) {
      if (out.size() > max || !in.more()) {
        return false;
      }
      if (!first) {
        out.put(',');
      }
      return true;
    }

    private void member(Place place) {
      int from = in.position();
      raw(from, JsonScanner.skipString(b, from));
      if (out.size() > max) {
        return; // not read, since it may be long
      }
      String name = in.readName();
      out.put(':');
      boolean shown = place.shows(name);
      if (!shown && isSecret(name)) {
        in.skip();
        out.string(HIDDEN);
      } else {
        value(place.member(name), shown);
      }
    }

    private void scalar(Json.Kind kind, boolean shown) {
      int from = in.position();
      int to = in.skip();
      if (shown) {
        raw(from, to);
      } else if (kind == Json.Kind.STRING) {
        out.string(HIDDEN);
      } else {
        out.put('0');
      }
    }

    /** Copies a part of the text, up to one byte more than {@code max}. */
    private void raw(int from, int to) {
      out.raw(b, from, Math.min(to, from + max + 1 - out.size()));
    }
  }
}
