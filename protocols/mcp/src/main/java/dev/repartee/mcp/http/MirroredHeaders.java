package dev.repartee.mcp.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.mcp.wire.RequestMeta;
import dev.repartee.message.Request;
import dev.repartee.transport.http.HttpRequest;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP headers that mirror members of the request body, so that proxies and load balancers need
 * not parse it (2026-07-28, Streamable HTTP).
 */
public final class MirroredHeaders {
  private static final String BEGIN = "=?base64?";
  private static final String END = "?=";

  /** The maximum number of mirrored arguments of a tool. A server accepts only 8 KiB of headers. */
  private static final int MOST = 100;

  /** The member of the params that {@code Mcp-Name} mirrors, by method. */
  private static final Map<String, String> NAMES = Map.of(
      "tools/call", "name",
      "prompts/get", "name",
      "resources/read", "uri",
      "tasks/get", "taskId",
      "tasks/update", "taskId",
      "tasks/cancel", "taskId");

  private MirroredHeaders() {}

  /**
   * A mirrored argument.
   *
   * @param header the name of the header
   * @param path the names of the properties that lead to the argument
   */
  public record Mirrored(String header, List<String> path) {}

  /**
   * Adds the headers of a message that a client sends.
   *
   * @param mirrored the mirrored arguments by tool
   */
  public static void add(
      Map<String, String> headers,
      String method,
      @Nullable Json params,
      Map<String, List<Mirrored>> mirrored) {
    headers.put("Mcp-Method", method);
    String member = NAMES.get(method);
    if (params == null || member == null) {
      return;
    }
    String text = params.string(member);
    if (text == null) {
      return;
    }
    headers.put("Mcp-Name", encode(text));
    List<Mirrored> ofTool = method.equals("tools/call") ? mirrored.get(text) : null;
    if (ofTool != null) {
      Json arguments = params.get("arguments");
      ofTool.forEach(m -> {
        Json argument = at(arguments, m.path);
        if (argument != null && !argument.isNull()) {
          headers.put(m.header, encode(value(argument)));
        }
      });
    }
  }

  /** Returns the text of an argument in a header: integers without an exponent. */
  private static String value(Json argument) {
    if (argument.kind() == Json.Kind.NUMBER) {
      try {
        return Long.toString(argument.as(BigDecimal.class).longValueExact());
      } catch (ArithmeticException | JsonException e) {
        return argument.toString();
      }
    }
    return argument.text();
  }

  /** Encodes a header value in Base64 if it contains characters that headers do not allow. */
  private static String encode(String value) {
    boolean plain = value.equals(value.strip())
        && !(value.startsWith(BEGIN) && value.endsWith(END))
        && value.chars().allMatch(c -> c >= 0x20 && c <= 0x7E || c == '\t');
    return plain ? value : BEGIN + Base64.getEncoder().encodeToString(value.getBytes(UTF_8)) + END;
  }

  /**
   * Checks that the request has all required metadata, and that its headers match the body.
   *
   * @throws dev.repartee.RpcException -32602 for missing metadata, -32020 for a header that is
   *     missing or differs, -32022 for a revision that is not supported
   */
  static void check(HttpRequest http, Request request, Backend backend) {
    JsonObjectReader params = JsonObjectReader.of(request.params());
    JsonObjectReader meta = params.optionalObject("_meta");
    String version = RequestMeta.requireVersion(meta);
    require(http, "MCP-Protocol-Version", version);
    backend.requireStateless(version);
    require(http, "Mcp-Method", request.method());
    String name = NAMES.get(request.method());
    if (name != null) {
      require(http, "Mcp-Name", params.string(name));
    }
    if (request.method().equals("tools/call")) {
      List<Mirrored> mirrored = backend.mirrored(params.string("name"));
      if (mirrored != null) {
        Json arguments = params.optionalObjectJson("arguments");
        mirrored.forEach(m -> check(http, m, at(arguments, m.path())));
      }
    }
  }

  private static void require(HttpRequest http, String header, String value) {
    String given = http.header(header);
    if (given == null) {
      throw Errors.headerMismatch(header + " is missing");
    } else if (!value.equals(decode(header, given))) {
      throw Errors.headerMismatch(header + " differs from the body");
    }
  }

  private static void check(HttpRequest http, Mirrored mirrored, @Nullable Json argument) {
    String given = http.header(mirrored.header);
    if (argument == null || argument.isNull()) {
      if (given != null) {
        throw Errors.headerMismatch(mirrored.header + " mirrors an argument that is missing");
      }
      return;
    }
    if (given == null) {
      throw Errors.headerMismatch(mirrored.header + " is missing");
    }
    String decoded = decode(mirrored.header, given);
    boolean same = switch (argument.kind()) {
      case STRING -> argument.as(String.class).equals(decoded);
      case NUMBER -> isNumber(decoded, argument);
      default -> argument.toString().equals(decoded);
    };
    if (!same) {
      throw Errors.headerMismatch(mirrored.header + " differs from the argument");
    }
  }

  private static boolean isNumber(String text, Json number) {
    try {
      return new BigDecimal(text).compareTo(number.as(BigDecimal.class)) == 0;
    } catch (NumberFormatException | JsonException e) {
      return false;
    }
  }

  private static @Nullable Json at(@Nullable Json object, List<String> path) {
    Json value = object;
    for (String name : path) {
      value = value == null ? null : value.get(name);
    }
    return value;
  }

  /**
   * Decodes a header value. It is in Base64 if it contains characters that headers do not allow.
   */
  private static String decode(String header, String field) {
    String value = field.strip();
    if (!value.startsWith(BEGIN)
        || !value.endsWith(END)
        || value.length() < BEGIN.length() + END.length()) {
      return value;
    }
    String encoded = value.substring(BEGIN.length(), value.length() - END.length());
    try {
      byte[] bytes = Base64.getDecoder().decode(encoded);
      if (Base64.getEncoder().encodeToString(bytes).equals(encoded)) { // rejects wrong padding
        // Does not use new String(), which would decode different malformed bytes to the same text.
        return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      }
    } catch (IllegalArgumentException | CharacterCodingException e) {
      // Falls through to the mismatch.
    }
    throw Errors.headerMismatch(header + " is not valid UTF-8 in Base64");
  }

  /**
   * Returns the arguments that the schema marks with {@code x-mcp-header}.
   *
   * @throws IllegalArgumentException if a mark is not valid
   */
  public static List<Mirrored> in(Json schema) {
    List<Mirrored> found = new ArrayList<>();
    if (schema.toString().contains("\"x-mcp-header\"")) {
      collect(schema, List.of(), found, new HashSet<>());
    }
    return List.copyOf(found);
  }

  private static void collect(
      Json schema, List<String> path, List<Mirrored> found, Set<String> names) {
    Json properties = schema.get("properties");
    if (properties == null) {
      return;
    }
    properties.members().forEach((name, property) -> {
      List<String> inner = new ArrayList<>(path);
      inner.add(name);
      Json header = property.get("x-mcp-header");
      if (header != null) {
        found.add(new Mirrored("Mcp-Param-" + name(header, property, names), List.copyOf(inner)));
      }
      collect(property, inner, found, names);
    });
  }

  private static String name(Json header, Json property, Set<String> names) {
    String name = header.string();
    Json type = property.get("type");
    if (name == null || !name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
      throw new IllegalArgumentException("x-mcp-header has to be a token, not " + header);
    } else if (!names.add(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("x-mcp-header '" + name + "' occurs twice");
    } else if (names.size() > MOST) { // each call searches for each of them
      throw new IllegalArgumentException("x-mcp-header marks more than " + MOST + " properties");
    } else if (type == null || !type.toString().matches("\"(string|integer|boolean)\"")) {
      throw new IllegalArgumentException(
          "x-mcp-header '" + name + "' is only allowed for a string, an integer or a boolean");
    }
    return name;
  }
}
