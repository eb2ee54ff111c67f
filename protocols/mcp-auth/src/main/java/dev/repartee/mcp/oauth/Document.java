package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonMembers;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object of a server. Only the members in use are checked: other members are often invalid,
 * and the parsers of the OAuth library would refuse them.
 */
final class Document extends JsonMembers {
  /**
   * The maximum number of characters of a text that is stored or sent. The address of a login page
   * has several of them, and must fit into the command line of a browser: 128 KiB on Linux.
   */
  static final int LONGEST = 8_192;

  private static final Json EMPTY = Json.of("");

  private final String source;

  /**
   * Parses an object.
   *
   * @param source describes the object in an exception
   * @throws AuthorizationException if the text is not a JSON object; its message does not quote the
   *     text, which may contain secrets
   */
  Document(String source, byte[] text) {
    super("", members(source, text));
    this.source = source;
  }

  private static Map<String, Json> members(String source, byte[] text) {
    Json json;
    try {
      json = Json.parse(new String(text, UTF_8));
    } catch (JsonException e) {
      json = Json.NULL;
    }
    if (json.kind() != Json.Kind.OBJECT) {
      throw new AuthorizationException(source + " is no JSON object");
    }
    return json.members();
  }

  String source() {
    return source;
  }

  @Override
  protected AuthorizationException unfit(String name, String expected, @Nullable Json value) {
    return value == null
        ? new AuthorizationException(source + " has no '" + name + "'")
        : invalid(name, "not " + expected);
  }

  private AuthorizationException invalid(String name, String what) {
    return new AuthorizationException("'" + name + "' in " + source + " is " + what);
  }

  /** Returns a member; null if it is absent, {@code null} or an empty text. */
  @Override
  public @Nullable Json get(String name) {
    Json value = super.get(name);
    return value == null || value.isNull() || value.equals(EMPTY) ? null : value;
  }

  /**
   * Returns a required text that can be sent back.
   *
   * @throws AuthorizationException if it has more than {@link #LONGEST} characters, or others than
   *     visible ASCII and spaces (RFC 6749 appendix A: {@code VSCHAR})
   */
  String requiredSendable(String name) {
    String text = string(name);
    if (text.length() > LONGEST) {
      throw invalid(name, "too long: " + text.length() + " characters, of at most " + LONGEST);
    }
    if (!text.matches("[\\x20-\\x7E]*")) {
      throw invalid(name, "no text of visible ASCII characters (RFC 6749 appendix A)");
    }
    return text;
  }

  /** Returns a text that can be sent back, see {@link #requiredSendable}; null if it is absent. */
  @Nullable String sendable(String name) {
    return has(name) ? requiredSendable(name) : null;
  }

  /** Returns a list of texts; null if it is absent. */
  @Nullable List<String> texts(String name) {
    return has(name) ? stringList(name) : null;
  }

  /** Returns whether a member is true. */
  boolean isTrue(String name) {
    return Json.TRUE.equals(get(name));
  }

  /** Returns a whole number; 0 if it is absent. */
  long number(String name) {
    return has(name) ? integer(name) : 0;
  }
}
