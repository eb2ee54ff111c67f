package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a value of the run, such as {@code steps.fetch.output.items[0].name}.
 *
 * @param text the text of the reference in the plan, without the braces
 * @param root {@code input}, {@code item}, {@code index} or {@code steps}
 * @param step the name of the step; null for other roots
 * @param path the member names (strings) and indices (integers) after the root, or after {@code
 *     output}
 */
public record Reference(String text, String root, @Nullable String step, List<Object> path) {
  private static final Pattern PART =
      Pattern.compile("\\.(?<name>[^.\\[\\]\"]+)|\\[(?<index>\\d{1,9})]|\\[\"(?<quoted>[^\"]*)\"]");
  private static final Pattern ROOT = Pattern.compile("[a-z]+");

  /** Copies the path. */
  public Reference {
    path = List.copyOf(path);
  }

  /** Reads the text between <code>${</code> and <code>}</code>. */
  static Reference parse(String text, String place) {
    Matcher root = ROOT.matcher(text);
    if (!root.lookingAt()) {
      throw unreadable(text, place);
    }
    List<Object> path = new ArrayList<>();
    Matcher part = PART.matcher(text);
    int at = root.end();
    while (at < text.length()) {
      if (!part.find(at) || part.start() != at) {
        throw unreadable(text, place);
      }
      String name = part.group("name") == null ? part.group("quoted") : part.group("name");
      path.add(name == null ? (Object) Integer.valueOf(part.group("index")) : name);
      at = part.end();
    }
    return switch (root.group()) {
      case "input", "item" -> new Reference(text, root.group(), null, path);
      case "index" -> {
        if (!path.isEmpty()) {
          throw unreadable(text, place);
        }
        yield new Reference(text, "index", null, path);
      }
      case "steps" -> ofStep(text, path, place);
      default -> throw unreadable(text, place);
    };
  }

  private static Reference ofStep(String text, List<Object> path, String place) {
    if (path.size() < 2 || !(path.get(0) instanceof String step) || !"output".equals(path.get(1))) {
      throw new PlanException(
          place, "'${" + text + "}' has to be ${steps.NAME.output}, or a path that begins with it");
    }
    return new Reference(text, "steps", step, path.subList(2, path.size()));
  }

  private static PlanException unreadable(String text, String place) {
    return new PlanException(
        place,
        "'${" + text + "}' is not a reference; write ${input.name}, ${steps.NAME.output.name[0]},"
            + " ${item} or ${index}, or $${ for the characters ${");
  }

  /** Returns the part of a value at the path; null if there is none. */
  @Nullable Json in(Json value) {
    Json part = value;
    for (Object next : path) {
      Json inner;
      if (next instanceof Integer index) {
        inner = part.at(index);
      } else {
        inner = part.kind() == Json.Kind.OBJECT ? part.get((String) next) : null;
      }
      if (inner == null) {
        return null;
      }
      part = inner;
    }
    return part;
  }

  /** Supplies the values of references. */
  public interface Values {
    /**
     * Returns the value of the root of a reference, such as the input or the output of a step; null
     * if there is none.
     */
    @Nullable Json root(Reference reference);

    /** Returns values with an input and no steps. */
    static Values of(Json input) {
      return reference -> reference.root().equals("input") ? input : null;
    }

    /** Returns values with an input, and with outputs by the names of their steps. */
    static Values of(Json input, Map<String, Json> outputs) {
      return reference -> switch (reference.root()) {
        case "input" -> input;
        case "steps" -> outputs.get(reference.step());
        default -> null;
      };
    }
  }
}
