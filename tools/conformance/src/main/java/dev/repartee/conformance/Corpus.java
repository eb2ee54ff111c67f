package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cases from the data files next to this class. The README of the module describes their
 * notation.
 */
final class Corpus {
  private static final List<String> GROUPS = List.of(
      "examples",
      "requests",
      "ids",
      "params",
      "notifications",
      "errors",
      "batches",
      "json",
      "order",
      "lines",
      "content-length",
      "length-prefix",
      "json-seq",
      "concatenated",
      "http");

  private static final int MAX_VALUE = 60;

  private Corpus() {}

  /** Returns the cases for servers, in execution order. */
  static List<Trial> servers() {
    return GROUPS.stream().flatMap(group -> group(group).stream()).toList();
  }

  /** Returns the content of a data file. */
  static Json file(String name) {
    try (InputStream in = Corpus.class.getResourceAsStream(name + ".json")) {
      if (in == null) {
        throw new IllegalStateException("the corpus has no " + name + ".json");
      }
      return Json.parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Trial> group(String name) {
    Json file = file(name);
    String over = text(file.get("over"), "any");
    List<Trial> cases = new ArrayList<>();
    for (Json written : expanded(file)) {
      try {
        cases.add(read(name, over, written));
      } catch (RuntimeException e) {
        throw new IllegalStateException("in " + name + ".json: " + written, e);
      }
    }
    return cases;
  }

  /** Returns all cases of a file. A case {@code for} several values or prefixes becomes several. */
  static List<Json> expanded(Json file) {
    List<Json> all = new ArrayList<>();
    for (Json written : required(file, "cases").elements()) {
      Json values = written.get("for");
      Json prefixes = written.get("prefixesOf");
      if (prefixes != null) {
        String text = prefixes.as(String.class);
        for (int length = 1; length < text.length(); length++) {
          Map<String, Object> one = new LinkedHashMap<>(written.members());
          one.put("value", Integer.toString(length));
          one.put("send", text.substring(0, length));
          all.add(Json.of(one));
        }
        continue;
      }
      if (values == null) {
        all.add(written);
        continue;
      }
      for (Json value : values.elements()) {
        String text = value.text();
        String one =
            written.toString().replace("\"$v\"", value.toString()).replace("$v", escaped(text));
        all.add(Json.parse("{\"value\":" + Json.of(value.toString()) + "," + one.substring(1)));
      }
    }
    return all;
  }

  private static String escaped(String text) {
    String quoted = Json.of(text).toString();
    return quoted.substring(1, quoted.length() - 1);
  }

  private static Trial read(String group, String over, Json written) {
    List<Step> steps = new ArrayList<>(steps(written));
    Json then = written.get("then");
    if (then != null) {
      then.elements().forEach(step -> steps.addAll(steps(step)));
    }
    return new Trial(tested(group, over, written), steps);
  }

  private static Case tested(String group, String over, Json written) {
    return new Case(
        group,
        required(written, "name").as(String.class),
        shown(text(written.get("value"), "")),
        required(written, "clause").as(String.class),
        Level.valueOf(text(written.get("level"), "must").toUpperCase(Locale.ROOT)),
        text(written.get("over"), over));
  }

  /** Returns a value on one line, cut to a readable length. */
  private static String shown(String value) {
    StringBuilder shown = new StringBuilder();
    value.chars().limit(MAX_VALUE).forEach(c -> {
      if (c < ' ' || c == 0x2028 || c == 0x2029 || c == 0xA0) {
        shown.append(String.format(Locale.ROOT, "\\u%04x", c));
      } else {
        shown.append((char) c);
      }
    });
    return value.length() > MAX_VALUE ? shown + "..." : shown.toString();
  }

  /** Returns a case for clients. The behaviour of the server in it is a {@link Script}. */
  static Case client(String group, Json written) {
    return tested(group, "any", written);
  }

  private static List<Step> steps(Json written) {
    Json expected = required(written, "expect");
    Json batch = written.get("batchOf");
    if (batch != null) {
      String element = required(written, "send").toString();
      int count = batch.as(int.class);
      Json each = expected.get("each");
      Json owed = each == null ? expected : Json.parse("{\"batch\":" + numbered(each, count) + "}");
      return List.of(step(new Say.Message(numbered(element, count).getBytes(UTF_8)), owed));
    }
    Json many = written.get("many");
    if (many != null) {
      Say say = new Say.Many(required(written, "send").toBytes(), many.as(int.class));
      Json owed = Json.parse(numbered(required(expected, "each"), many.as(int.class)));
      return List.of(step(say, owed));
    }
    Json nested = written.get("nested");
    if (nested != null) {
      int depth = nested.as(int.class);
      return List.of(step(call("[".repeat(depth) + "]".repeat(depth)), expected));
    }
    Json padded = written.get("padded");
    if (padded != null) {
      return List.of(step(call("[\"" + "x".repeat(padded.as(int.class)) + "\"]"), expected));
    }
    return List.of(new Step(says(written), expected));
  }

  private static Say call(String params) {
    String text = "{\"jsonrpc\":\"2.0\",\"method\":\"foobar\",\"params\":" + params + ",\"id\":1}";
    return new Say.Message(text.getBytes(UTF_8));
  }

  private static Step step(Say say, Json expected) {
    return new Step(List.of(say), expected);
  }

  private static String numbered(Json element, int count) {
    return numbered(element.toString(), count);
  }

  private static String numbered(String element, int count) {
    StringBuilder all = new StringBuilder("[");
    for (int i = 1; i <= count; i++) {
      all.append(i == 1 ? "" : ",").append(element.replace("\"$i\"", Integer.toString(i)));
    }
    return all.append(']').toString();
  }

  private static List<Say> says(Json written) {
    Json http = written.get("http");
    Json raw = written.get("raw");
    Json hex = written.get("hex");
    Json sends = written.get("sends");
    if (http != null) {
      Json headers = written.get("headers");
      Json send = written.get("send");
      return List.of(new Say.Http(
          http.as(String.class),
          headers == null
              ? List.of()
              : headers.elements().stream().map(h -> h.as(String.class)).toList(),
          send == null ? new byte[0] : message(send)));
    }
    if (raw != null) {
      List<Say.Part> parts = raw.elements().stream().map(Corpus::part).toList();
      return List.of(new Say.Bytes(parts, written.get("bytewise") != null));
    }
    if (hex != null) {
      return List.of(
          new Say.Message(HexFormat.of().parseHex(hex.as(String.class).replace(" ", ""))));
    }
    if (sends != null) {
      return sends.elements().stream()
          .<Say>map(s -> new Say.Message(message(s)))
          .toList();
    }
    return List.of(new Say.Message(message(required(written, "send"))));
  }

  /** Returns the bytes to send: the content of a string, valid JSON or not, or any other value. */
  private static byte[] message(Json send) {
    return send.kind() == Json.Kind.STRING ? send.as(String.class).getBytes(UTF_8) : send.toBytes();
  }

  private static Say.Part part(Json part) {
    return part.kind() == Json.Kind.STRING
        ? new Say.Part(part.as(String.class).getBytes(ISO_8859_1), false)
        : new Say.Part(part.toBytes(), true);
  }

  private static Json required(Json object, String member) {
    Json value = object.get(member);
    if (value == null) {
      throw new IllegalStateException("'" + member + "' is missing");
    }
    return value;
  }

  private static String text(@Nullable Json value, String otherwise) {
    return value == null ? otherwise : value.as(String.class);
  }
}
