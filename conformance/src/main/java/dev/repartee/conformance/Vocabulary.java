package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the server calls the things that the corpus speaks of. A word of the corpus is a method, such
 * as {@code subtract}, or the name of a parameter; each stands as a JSON string of its own, which the
 * server's word replaces.
 */
final class Vocabulary {
  /** A string that is one word, or a variable. */
  private static final Pattern TOKEN = Pattern.compile("\"(\\$?[a-z_]+)\"");

  /** What has to answer, with what it is asked to find out whether it is there. */
  static final Map<String, String> METHODS = methods();

  /** The ones that have to be found before a case may speak of them; a variable among them. */
  private final Map<String, Json> words = new LinkedHashMap<>();

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

  /** The server's words; one that is null it does not have. */
  Vocabulary(Map<String, @Nullable String> map) {
    map.forEach((word, own) -> {
      if (own == null) {
        missing.put(word, "the server has no '" + word + "', by the method map");
      } else {
        words.put(word, Json.of(own));
      }
    });
  }

  /** Gives a variable its value. */
  void set(String variable, Json value) {
    words.put(variable, value);
  }

  /** Takes note that the server does not have that, and why we think so. */
  void lacks(String word, String why) {
    missing.putIfAbsent(word, why);
  }

  boolean has(String word) {
    return !missing.containsKey(word);
  }

  /** Why that cannot be said to that server, or null if it can. */
  @Nullable String missingFor(Say say) {
    if (say instanceof Say.Message message) {
      return missingFor(message.text());
    } else if (say instanceof Say.Many many) {
      return missingFor(many.text());
    }
    return say instanceof Say.Http http ? missingFor(http.body()) : null;
  }

  /** Why a text cannot be sent to that server, or null if it can. */
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

  /** The text in the server's words. */
  byte[] translate(byte[] text) {
    return translate(new String(text, ISO_8859_1)).getBytes(ISO_8859_1);
  }

  /** The text in the server's words, in ISO 8859-1 both. */
  private String translate(String text) {
    return TOKEN.matcher(text).replaceAll(token -> {
      Json own = words.get(token.group(1));
      String replaced = own == null ? token.group() : new String(own.toBytes(), ISO_8859_1);
      return Matcher.quoteReplacement(replaced);
    });
  }

  /** The expectation in the server's words. */
  Json translate(Json expected) {
    return Json.parse(translate(expected.toBytes()));
  }

  /** What a step says in the server's words; many messages become as many. */
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
