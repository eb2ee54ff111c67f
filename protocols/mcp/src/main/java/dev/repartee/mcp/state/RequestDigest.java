package dev.repartee.mcp.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Call;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes the digest of a request from the method, the principal and the params. The state of the
 * request is bound to the digest. The order of members does not matter. Not thread-safe.
 *
 * <p>The params are read once and never copied: the digest of an object is computed from the
 * digests of its members. Time and memory are linear in the length of the params, at any depth.
 */
public final class RequestDigest {
  /** The params that differ between the rounds of one request. */
  private static final Set<String> OF_ROUND = Set.of("_meta", "inputResponses", "requestState");

  /**
   * A member of an object.
   *
   * @param from the start of the text of a scalar value
   * @param to the end of that text
   * @param digest the digest of an object or array; null for a scalar value
   */
  private record Member(String name, int from, int to, byte @Nullable [] digest) {}

  private final byte[] text;

  /** One digest per nesting level of objects, reused by the next object of that level. */
  private final List<MessageDigest> levels = new ArrayList<>();

  /** The position in the text. */
  private int at;

  private RequestDigest(byte[] text) {
    this.text = text;
  }

  /** Returns the digest of the request. */
  public static byte[] of(Call call) {
    Principal principal = call.attributes().get(Principal.KEY);
    Json params = call.params();
    RequestDigest reading =
        new RequestDigest((params == null ? Json.EMPTY_OBJECT : params).toBytes());
    byte[] asked = reading.object(0, OF_ROUND);
    MessageDigest whole = reading.level(0);
    name(whole, call.method());
    name(whole, principal == null ? "" : principal.name());
    whole.update((byte) (principal == null ? 0 : 1));
    return whole.digest(asked);
  }

  /**
   * Adds a text with its length, so that different sequences of texts have different bytes. The
   * text is added as UTF-16 code units: an encoder would replace lone surrogates, and texts with
   * different surrogates would have the same bytes.
   */
  private static void name(MessageDigest digest, String name) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Character.BYTES * name.length());
    bytes.putInt(name.length()).asCharBuffer().put(name);
    digest.update(bytes.array());
  }

  private MessageDigest level(int level) {
    if (level == levels.size()) {
      try {
        levels.add(MessageDigest.getInstance("SHA-256"));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e); // every Java platform has it
      }
    }
    return levels.get(level);
  }

  /** Reads an object, and returns its digest without the excluded members. */
  private byte[] object(int level, Set<String> without) {
    List<Member> members = new ArrayList<>();
    at++;
    for (char c = space(); c != '}'; c = space()) {
      if (c == ',') {
        at++;
        space();
      }
      String name = name();
      space();
      at++; // the colon
      Member member = member(name, level);
      if (!without.contains(name)) {
        members.add(member);
      }
    }
    at++;
    // The sort is stable: the order of members with the same name matters, because the last one
    // counts.
    members.sort(Comparator.comparing(Member::name));
    MessageDigest digest = level(level);
    for (Member member : members) {
      name(digest, member.name);
      if (member.digest == null) {
        digest.update(text, member.from, member.to - member.from);
        digest.update((byte) ',');
      } else {
        digest.update((byte) '{');
        digest.update(member.digest);
      }
    }
    return digest.digest();
  }

  private Member member(String name, int level) {
    char first = space();
    if (first == '{') {
      return new Member(name, 0, 0, object(level, Set.of()));
    } else if (first == '[') {
      array(level);
      return new Member(name, 0, 0, level(level).digest());
    }
    int from = at;
    scalar();
    return new Member(name, from, at, null);
  }

  /** Reads an array, and adds it to the digest of the level. */
  private void array(int level) {
    MessageDigest digest = level(level);
    digest.update((byte) '[');
    at++;
    for (char c = space(); c != ']'; c = space()) {
      switch (c) {
        case ',' -> at++;
        case '[' -> array(level);
        case '{' -> {
          digest.update((byte) '{');
          digest.update(object(level + 1, Set.of()));
        }
        default -> {
          int from = at;
          scalar();
          digest.update(text, from, at - from);
          digest.update((byte) ',');
        }
      }
    }
    digest.update((byte) ']');
    at++;
  }

  /** Skips white space, and returns the next character. */
  private char space() {
    while (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
      at++;
    }
    return (char) text[at];
  }

  /** Reads the name of a member and decodes its escapes, so that equal names have equal digests. */
  private String name() {
    int from = at;
    scalar();
    for (int i = from; i < at; i++) {
      if (text[i] == '\\') {
        byte[] quoted = Arrays.copyOfRange(text, from, at);
        return Json.parse(quoted).as(String.class);
      }
    }
    return new String(text, from + 1, at - from - 2, UTF_8);
  }

  /** Skips a string, a number or a literal. */
  private void scalar() {
    if (text[at] != '"') {
      while (at < text.length && ",]} \n\r\t".indexOf(text[at]) < 0) {
        at++;
      }
      return;
    }
    for (at++; text[at] != '"'; at++) {
      if (text[at] == '\\') {
        at++;
      }
    }
    at++;
  }
}
