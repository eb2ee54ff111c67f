package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object of a server. Only the members in use are checked: other members are often invalid,
 * and the parsers of the OAuth library would refuse them.
 */
final class Document {
  /**
   * The maximum number of characters of a text that is stored or sent. The address of a login page
   * has several of them, and must fit into the command line of a browser: 128 KiB on Linux.
   */
  static final int LONGEST = 8_192;

  private final String source;
  private final Map<String, Json> members;

  /**
   * Parses an object.
   *
   * @param source describes the object in an exception
   * @throws AuthorizationException if the text is not a JSON object; its message has no part of the
   *     text, which may contain secrets
   */
  Document(String source, byte[] text) {
    this.source = source;
    Json json;
    try {
      json = Json.parse(new String(text, UTF_8));
    } catch (JsonException e) {
      json = Json.NULL;
    }
    if (json.kind() != Json.Kind.OBJECT) {
      throw new AuthorizationException(source + " is no JSON object");
    }
    members = json.members();
  }

  String source() {
    return source;
  }

  boolean has(String name) {
    Json value = members.get(name);
    return value != null && !value.isNull();
  }

  /** Returns a text; null if it is absent. */
  @Nullable String text(String name) {
    Json value = members.get(name);
    if (value == null || value.isNull()) {
      return null;
    }
    if (value.kind() != Json.Kind.STRING) {
      throw invalid(name, "no text");
    }
    String text = value.as(String.class);
    return text.isEmpty() ? null : text;
  }

  String requiredText(String name) {
    return required(name, text(name));
  }

  String requiredSendable(String name) {
    return required(name, sendable(name));
  }

  private String required(String name, @Nullable String text) {
    if (text == null) {
      throw new AuthorizationException(source + " has no '" + name + "'");
    }
    return text;
  }

  /**
   * Returns a text that can be sent back; null if it is absent.
   *
   * @throws AuthorizationException if it has more than {@link #LONGEST} characters, or characters
   *     other than visible ASCII and spaces (RFC 6749 appendix A: {@code VSCHAR})
   */
  @Nullable String sendable(String name) {
    String text = text(name);
    if (text != null && text.length() > LONGEST) {
      throw invalid(name, "too long: " + text.length() + " characters, of at most " + LONGEST);
    }
    if (text != null && !text.matches("[\\x20-\\x7E]*")) {
      throw invalid(name, "no text of visible ASCII characters (RFC 6749 appendix A)");
    }
    return text;
  }

  /** Returns a list of texts; null if it is absent. */
  @Nullable List<String> texts(String name) {
    Json value = members.get(name);
    if (value == null || value.isNull()) {
      return null;
    }
    if (value.kind() != Json.Kind.ARRAY) {
      throw invalid(name, "no array");
    }
    List<String> texts = new ArrayList<>();
    for (Json element : value.elements()) {
      if (element.kind() != Json.Kind.STRING) {
        throw invalid(name, "no array of texts");
      }
      texts.add(element.as(String.class));
    }
    return texts;
  }

  /** Returns whether a member is true. */
  boolean flag(String name) {
    return Json.TRUE.equals(members.get(name));
  }

  /** Returns a whole number; 0 if it is absent. */
  long number(String name) {
    Json value = members.get(name);
    if (value == null || value.isNull()) {
      return 0;
    }
    try {
      return value.as(long.class);
    } catch (JsonException e) {
      throw invalid(name, "no whole number");
    }
  }

  private AuthorizationException invalid(String name, String what) {
    return new AuthorizationException("'" + name + "' in " + source + " is " + what);
  }
}
