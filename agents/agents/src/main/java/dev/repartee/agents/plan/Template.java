package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A JSON value with references, such as {@code {"path": "${input.folder}/a.txt"}}. Immutable.
 *
 * <p>A string that is exactly one reference is replaced by the referenced value of any kind. A
 * reference inside a longer string is replaced by text.
 */
public final class Template {
  /** The maximum length of all referenced values of a template, in bytes. */
  private static final int MOST_BYTES = 8 << 20;

  private final Node node;
  private final Json source;

  private Template(Node node, Json source) {
    this.node = node;
    this.source = source;
  }

  private sealed interface Node {}

  private record Constant(Json value) implements Node {}

  /** A string that is exactly one reference. */
  private record Whole(Reference reference) implements Node {}

  /** A string with references. Each part is a {@link String} or a {@link Reference}. */
  private record Text(List<Object> parts) implements Node {}

  private record Elements(List<Node> nodes) implements Node {}

  private record Members(Map<String, Node> nodes) implements Node {}

  /**
   * Reads a value.
   *
   * @param place its path in the plan, for errors
   */
  static Template parse(Json value, String place) {
    return new Template(node(value, place), value);
  }

  /** Returns a template without references. */
  public static Template constant(Json value) {
    return new Template(new Constant(value), value);
  }

  /** Returns the value in the plan, with its references. */
  public Json source() {
    return source;
  }

  private static Node node(Json value, String place) {
    return switch (value.kind()) {
      case STRING -> text(value, place);
      case ARRAY -> {
        List<Node> nodes = new ArrayList<>();
        for (Json element : value.elements()) {
          nodes.add(node(element, place + "[" + nodes.size() + "]"));
        }
        yield nodes.stream().allMatch(Constant.class::isInstance)
            ? new Constant(value)
            : new Elements(nodes);
      }
      case OBJECT -> {
        Map<String, Node> nodes = new LinkedHashMap<>();
        value
            .members()
            .forEach((name, member) -> nodes.put(name, node(member, place + "." + name)));
        yield nodes.values().stream().allMatch(Constant.class::isInstance)
            ? new Constant(value)
            : new Members(nodes);
      }
      default -> new Constant(value);
    };
  }

  private static Node text(Json value, String place) {
    String text = value.as(String.class);
    List<Object> parts = new ArrayList<>();
    StringBuilder plain = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      if (text.startsWith("$${", at)) {
        plain.append("${");
        at += 3;
      } else if (text.startsWith("${", at)) {
        int end = end(text, at);
        if (end < 0) {
          throw new PlanException(place, "a '}' is missing after '" + text.substring(at) + "'");
        }
        if (plain.length() > 0) {
          parts.add(plain.toString());
          plain.setLength(0);
        }
        parts.add(Reference.parse(text.substring(at + 2, end).strip(), place));
        at = end + 1;
      } else {
        plain.append(text.charAt(at++));
      }
    }
    if (parts.isEmpty()) {
      return new Constant(Json.of(plain.toString()));
    }
    if (plain.length() > 0) {
      parts.add(plain.toString());
    }
    return parts.size() == 1 && parts.get(0) instanceof Reference whole
        ? new Whole(whole)
        : new Text(parts);
  }

  /** Returns the position of the brace that ends a reference; -1 if there is none. Skips quotes. */
  private static int end(String text, int from) {
    boolean quoted = false;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '}' && !quoted) {
        return i;
      }
    }
    return -1;
  }

  /** Passes all references to a consumer. */
  public void forEachReference(Consumer<Reference> consumer) {
    forEachReference(node, consumer);
  }

  private static void forEachReference(Node node, Consumer<Reference> consumer) {
    if (node instanceof Whole whole) {
      consumer.accept(whole.reference());
    } else if (node instanceof Text text) {
      text.parts().forEach(part -> {
        if (part instanceof Reference reference) {
          consumer.accept(reference);
        }
      });
    } else if (node instanceof Elements elements) {
      elements.nodes().forEach(element -> forEachReference(element, consumer));
    } else if (node instanceof Members members) {
      members.nodes().values().forEach(member -> forEachReference(member, consumer));
    }
  }

  /**
   * Returns the value with all references replaced.
   *
   * @throws IllegalArgumentException if a reference has no value, or the value becomes larger than
   *     8 MiB; the message names the reference
   */
  public Json resolve(Reference.Values values) {
    return new Resolver(values).json(node);
  }

  /** Replaces the references of one template, up to the size limit. */
  private static final class Resolver {
    private final Reference.Values values;
    private long bytes;

    Resolver(Reference.Values values) {
      this.values = values;
    }

    Json json(Node node) {
      if (node instanceof Constant constant) {
        return constant.value();
      } else if (node instanceof Whole whole) {
        return value(whole.reference());
      } else if (node instanceof Text text) {
        return Json.of(text(text));
      } else if (node instanceof Elements elements) {
        List<Json> all = new ArrayList<>();
        elements.nodes().forEach(element -> all.add(json(element)));
        return Json.of(all);
      }
      Map<String, Json> all = new LinkedHashMap<>();
      ((Members) node).nodes().forEach((name, member) -> all.put(name, json(member)));
      return Json.of(all);
    }

    private String text(Text text) {
      StringBuilder joined = new StringBuilder();
      for (Object part : text.parts()) {
        if (part instanceof Reference reference) {
          Json value = value(reference);
          joined.append(value.text());
        } else {
          joined.append(part);
        }
      }
      return joined.toString();
    }

    private Json value(Reference reference) {
      Json root = values.root(reference);
      Json value = root == null ? null : reference.in(root);
      if (value == null) {
        throw new IllegalArgumentException("'${" + reference.text() + "}' has no value");
      }
      bytes += value.length();
      if (bytes > MOST_BYTES) {
        throw new IllegalArgumentException(
            "'${" + reference.text() + "}' makes the value larger than " + (MOST_BYTES >> 20)
                + " MiB; refer to a part of it");
      }
      return value;
    }
  }
}
