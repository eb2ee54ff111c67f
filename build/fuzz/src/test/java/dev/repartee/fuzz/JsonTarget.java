package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks that {@link Json} and Jackson accept the same texts and read the same values from them.
 */
final class JsonTarget {
  private JsonTarget() {}

  static void run(byte[] input) {
    Tree tree = Tree.parse(input, Limits.DEPTH);
    Json json = parse(input);
    same("is JSON", tree != null, json != null);
    if (tree == null || json == null) {
      return;
    }
    same("the text", new String(input, UTF_8).strip(), json.toString());
    same("the text read again", json, Json.parse(json.toBytes()));
    same("the value", tree.distinct(), Tree.of(json));
    List<Json> elements = json.elements();
    for (int i = 0; i < Math.min(3, elements.size()); i++) {
      same("element " + i, elements.get(i), json.at(i));
    }
    check(json.at(elements.size()) == null, "an element behind the last");
    rewrite(tree, json);
  }

  /** Parses the text. Returns null if it is refused, after checking the offset of the error. */
  private static @Nullable Json parse(byte[] input) {
    try {
      return Json.parse(input);
    } catch (JsonException e) {
      check(e.offset() >= 0 && e.offset() <= input.length, "the fault stands at " + e.offset());
      return null;
    }
  }

  /**
   * Checks that the value is the same after a conversion to Java objects and back, if it can be
   * converted.
   */
  private static void rewrite(Tree tree, Json json) {
    Object value;
    try {
      value = json.as(Object.class);
    } catch (JsonException e) {
      check(
          !tree.isBounded() || !tree.distinct().equals(tree),
          "refused though no number is out of bounds and no member is repeated: " + e.getMessage());
      return;
    }
    check(tree.isBounded(), "a number out of bounds was taken");
    same("distinct members", tree.distinct(), tree);
    Json rewritten = Json.of(value);
    Tree again = Tree.parse(rewritten.toBytes(), Limits.DEPTH);
    check(again != null, "what was written is no JSON: " + rewritten);
    same("the value written again", tree.numeric(), again.numeric());
  }
}
