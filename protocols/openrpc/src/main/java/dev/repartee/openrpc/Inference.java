package dev.repartee.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.trace.Direction;
import dev.repartee.trace.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Infers a document from recorded calls: the methods that were called, with schemas that fit all
 * values of the recording. The service is the side that received more requests. Not thread-safe.
 */
final class Inference {
  /** The maximum number of methods; calls of others are ignored. */
  private static final int MOST_METHODS = 10_000;

  /** The maximum number of unanswered requests that are remembered. */
  private static final int MOST_PENDING = 100_000;

  private static final int MOST_ERRORS = 20;

  /** The maximum length of an example call with its result. */
  private static final int LONGEST_EXAMPLE = 2_000;

  private final Map<Direction, Map<String, Seen>> methods = new HashMap<>();
  private final Map<String, Pending> pending = new LinkedHashMap<>();

  /** A request without an answer. */
  private record Pending(Seen method, @Nullable Json params) {}

  /** The calls of a method. */
  private static final class Seen {
    private final Map<String, Shape> named = new LinkedHashMap<>();
    private final List<Shape> positions = new ArrayList<>();
    private final Shape result = new Shape();
    private final Map<String, Json> errors = new LinkedHashMap<>();
    private int calls;
    private int objects;
    private int arrays;
    private int fewest = Integer.MAX_VALUE;
    private boolean isRequest;
    private @Nullable Json example;

    void params(@Nullable Json params) {
      calls++;
      if (params == null || params.kind() == Json.Kind.ARRAY) {
        List<Json> elements = params == null ? List.of() : params.elements();
        arrays += elements.isEmpty() ? 0 : 1;
        fewest = Math.min(fewest, elements.size());
        for (int i = 0; i < elements.size() && i < Shape.MOST_NAMES; i++) {
          if (i == positions.size()) {
            positions.add(new Shape());
          }
          positions.get(i).add(elements.get(i));
        }
      } else if (params.kind() == Json.Kind.OBJECT) {
        objects++;
        params.members().forEach((name, value) -> {
          Shape shape = named.get(name);
          if (shape == null && named.size() < Shape.MOST_NAMES) {
            shape = new Shape();
            named.put(name, shape);
          }
          if (shape != null) {
            shape.add(value);
          }
        });
      }
    }

    Json json(String name) {
      boolean isByName = objects > 0;
      List<Json> params = new ArrayList<>();
      if (isByName) {
        named.forEach((each, shape) -> params.add(param(each, shape.count() == calls, shape)));
      } else {
        for (int i = 0; i < positions.size(); i++) {
          params.add(param("arg" + i, i < fewest, positions.get(i)));
        }
      }
      JsonObjectBuilder method = new JsonObjectBuilder().put("name", name);
      if (isByName || arrays > 0) {
        method.put("paramStructure", isByName ? "by-name" : "by-position");
      }
      method.put("params", params);
      if (isRequest) {
        method.put("result", content("result", result.schema()).build());
      }
      return method
          .putUnlessEmpty("errors", errors.values())
          .put("examples", example == null ? null : List.of(example))
          .build();
    }

    private static Json param(String name, boolean isRequired, Shape shape) {
      return content(name, shape.schema()).flag("required", isRequired).build();
    }

    private static JsonObjectBuilder content(String name, Json schema) {
      return new JsonObjectBuilder().put("name", name).put("schema", schema);
    }
  }

  /** Adds the entries of a recording. */
  static Json document(Stream<Entry> entries, String title) {
    Inference inference = new Inference();
    entries.forEach(entry -> {
      if (entry instanceof Entry.Frame frame && frame.message() != null) {
        inference.add(frame, frame.message());
      }
    });
    return inference.document(title);
  }

  private Json document(String title) {
    Map<String, Seen> served = methods.values().stream()
        .max(Comparator.comparingInt(Inference::requests))
        .orElse(Map.of());
    List<Json> described = new ArrayList<>();
    served.forEach((name, seen) -> described.add(seen.json(name)));
    return new JsonObjectBuilder()
        .put("openrpc", "1.4.1")
        .put("info", Json.of(Map.of("title", title, "version", "0")))
        .put("methods", described)
        .build();
  }

  private static int requests(Map<String, Seen> methods) {
    return methods.values().stream()
        .filter(seen -> seen.isRequest)
        .mapToInt(s -> s.calls)
        .sum();
  }

  private void add(Entry.Frame frame, Json message) {
    if (message.kind() == Json.Kind.ARRAY) {
      message.elements().forEach(each -> addSingle(frame, each));
    } else {
      addSingle(frame, message);
    }
  }

  private void addSingle(Entry.Frame frame, Json message) {
    Json id = message.get("id");
    String method = message.string("method");
    if (method != null) {
      request(frame, method, id, message.get("params"));
    } else if (id != null) {
      Direction asked = frame.direction() == Direction.IN ? Direction.OUT : Direction.IN;
      Pending request = pending.remove(key(frame.connection(), asked, id));
      if (request != null) {
        answer(request, message);
      }
    }
  }

  private static String key(long connection, Direction direction, Json id) {
    return connection + " " + direction + " " + id;
  }

  private void request(Entry.Frame frame, String method, @Nullable Json id, @Nullable Json params) {
    if (method.startsWith("rpc.")) {
      return;
    }
    Map<String, Seen> known =
        methods.computeIfAbsent(frame.direction(), any -> new LinkedHashMap<>());
    Seen seen = known.get(method);
    if (seen == null) {
      if (known.size() == MOST_METHODS) {
        return;
      }
      seen = new Seen();
      known.put(method, seen);
    }
    seen.params(params);
    if (id != null) {
      seen.isRequest = true;
      if (pending.size() < MOST_PENDING) {
        pending.put(key(frame.connection(), frame.direction(), id), new Pending(seen, params));
      }
    }
  }

  private static void answer(Pending request, Json message) {
    Seen seen = request.method;
    Json result = message.get("result");
    Json error = message.get("error");
    if (result != null) {
      seen.result.add(result);
      example(seen, request.params, result);
    } else if (error != null && seen.errors.size() < MOST_ERRORS) {
      Json code = error.get("code");
      String text = error.string("message");
      if (code != null && code.kind() == Json.Kind.NUMBER && text != null && isOfService(code)) {
        seen.errors.putIfAbsent(
            code.toString(),
            new JsonObjectBuilder().put("code", code).put("message", text).build());
      }
    }
  }

  /** The errors of JSON-RPC itself are not described, and a code has to be an integer. */
  private static boolean isOfService(Json code) {
    return code.toString().matches("(?!-32(700|60[0-3])$)-?[0-9]{1,18}");
  }

  private static void example(Seen seen, @Nullable Json params, Json result) {
    int length = result.length() + (params == null ? 0 : params.length());
    if (seen.example != null || length > LONGEST_EXAMPLE) {
      return;
    }
    List<Json> arguments = new ArrayList<>();
    if (params != null && params.kind() == Json.Kind.OBJECT) {
      params.members().forEach((name, value) -> arguments.add(value(name, value)));
    } else if (params != null) {
      params.elements().forEach(value -> arguments.add(value("arg" + arguments.size(), value)));
    }
    seen.example = new JsonObjectBuilder()
        .put("name", "recorded")
        .put("params", arguments)
        .put("result", value("result", result))
        .build();
  }

  private static Json value(String name, Json value) {
    return new JsonObjectBuilder().put("name", name).put("value", value).build();
  }
}
