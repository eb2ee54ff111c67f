package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The server's names for the methods and parameters of the corpus, and the values of the variables
 * of the corpus. A word of the corpus, such as {@code subtract}, is a whole JSON string, which is
 * replaced by the name or value.
 */
final class Vocabulary {
  /** A JSON string that is one word or a variable. */
  private static final Pattern TOKEN = Pattern.compile("\"(\\$?[a-z_]+)\"");

  /** The words that the server must support for some cases, each with a request that tests it. */
  static final Map<String, String> METHODS = methods();

  /** The replacements of words and variables. */
  private final Map<String, Json> words = new LinkedHashMap<>();
  /** The words that the server does not support, each with the reason. */
  private final Map<String, String> missing = new LinkedHashMap<>();

  private static Map<String, String> methods() {
    Map<String, String> methods = new LinkedHashMap<>();
    methods.put(
        "subtract", "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}");
    methods.put(
        "minuend",
        "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\","
            + "\"params\":{\"minuend\":42,\"subtrahend\":23},\"id\":1}");
    methods.put("sum", "{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1,2,4],\"id\":1}");
    methods.put("get_data", "{\"jsonrpc\":\"2.0\",\"method\":\"get_data\",\"id\":1}");
    methods.put("echo", "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"params\":[\"x\"],\"id\":1}");
    methods.put("sleep", "{\"jsonrpc\":\"2.0\",\"method\":\"sleep\",\"params\":[1],\"id\":1}");
    return methods;
  }

  /** Uses the server's names; null means that the server does not have the method or parameter. */
  Vocabulary(Map<String, @Nullable String> map) {
    map.forEach((word, own) -> {
      if (own == null) {
        missing.put(word, "the server has no '" + word + "', according to the method map");
      } else {
        words.put(word, Json.of(own));
      }
    });
  }

  /** Sets the value of a variable. */
  void set(String variable, Json value) {
    words.put(variable, value);
  }

  /** Records that the server does not support a word, with the reason. */
  void lacks(String word, String why) {
    missing.putIfAbsent(word, why);
  }

  boolean has(String word) {
    return !missing.containsKey(word);
  }

  /** Returns why the data cannot be sent to this server, or null if it can. */
  @Nullable String missingFor(Say say) {
    if (say instanceof Say.Message message) {
      return missingFor(message.text());
    } else if (say instanceof Say.Many many) {
      return missingFor(many.text());
    }
    return say instanceof Say.Http http ? missingFor(http.body()) : null;
  }

  /** Returns why a text cannot be sent to this server, or null if it can. */
  @Nullable String missingFor(byte[] text) {
    Matcher tokens = TOKEN.matcher(new String(text, ISO_8859_1));
    while (tokens.find()) {
      String why = missing.get(tokens.group(1));
      if (why != null) {
        return why;
      }
    }
    return null;
  }

  /** Returns the text with the server's names. */
  byte[] translate(byte[] text) {
    return translate(new String(text, ISO_8859_1)).getBytes(ISO_8859_1);
  }

  /** Returns the text with the server's names; both are bytes decoded as ISO 8859-1. */
  private String translate(String text) {
    return TOKEN.matcher(text).replaceAll(token -> {
      Json own = words.get(token.group(1));
      String replaced = own == null ? token.group() : new String(own.toBytes(), ISO_8859_1);
      return Matcher.quoteReplacement(replaced);
    });
  }

  /** Returns the expectation with the server's names. */
  Json translate(Json expected) {
    return Json.parse(translate(expected.toBytes()));
  }

  /** Returns the data of a step with the server's names; {@link Say.Many} is expanded. */
  List<Say> translate(List<Say> says) {
    List<Say> own = new ArrayList<>();
    for (Say say : says) {
      if (say instanceof Say.Message message) {
        own.add(new Say.Message(translate(message.text())));
      } else if (say instanceof Say.Many many) {
        for (int i = 1; i <= many.count(); i++) {
          String text = new String(many.text(), UTF_8).replace("\"$i\"", Integer.toString(i));
          own.add(new Say.Message(translate(text.getBytes(UTF_8))));
        }
      } else if (say instanceof Say.Http http) {
        own.add(new Say.Http(http.method(), http.headers(), translate(http.body())));
      } else if (say instanceof Say.Bytes bytes) {
        List<Say.Part> parts = bytes.parts().stream()
            .map(part -> new Say.Part(translate(part.bytes()), part.message()))
            .toList();
        own.add(new Say.Bytes(parts, bytes.bytewise()));
      }
    }
    return own;
  }
}
