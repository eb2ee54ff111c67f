package dev.repartee.agents.run;

import dev.repartee.agents.plan.Reference;
import dev.repartee.json.Json;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The values that the steps of a run may refer to. Each element of a map has its own values, and
 * falls back to the values of the enclosing steps. Thread-safe.
 */
final class Outputs implements Reference.Values {
  private final @Nullable Outputs outer;
  private final Json input;
  private final @Nullable Json item;
  private final int index;
  private final Map<String, Json> outputs = new ConcurrentHashMap<>(8);

  Outputs(Json input) {
    this(null, input, null, 0);
  }

  private Outputs(@Nullable Outputs outer, Json input, @Nullable Json item, int index) {
    this.outer = outer;
    this.input = input;
    this.item = item;
    this.index = index;
  }

  /** Returns the values for one element of a map. */
  Outputs element(Json item, int index) {
    return new Outputs(this, input, item, index);
  }

  void put(String step, Json output) {
    outputs.put(step, output);
  }

  @Override
  public @Nullable Json root(Reference reference) {
    return switch (reference.root()) {
      case "input" -> input;
      case "item" -> item;
      case "index" -> item == null ? null : Json.of(index);
      default -> output(String.valueOf(reference.step()));
    };
  }

  private @Nullable Json output(String step) {
    Json known = outputs.get(step);
    return known == null && outer != null ? outer.output(step) : known;
  }
}
