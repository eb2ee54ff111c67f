package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import dev.repartee.openrpc.ContentDescriptor;
import dev.repartee.openrpc.ExamplePairing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The examples of a method: results by params. Immutable after the last {@link #add}. */
final class Examples {
  private final List<String> names = new ArrayList<>();
  private final List<Example> examples = new ArrayList<>();

  private record Example(List<Json> params, Json result) {}

  Examples(List<ContentDescriptor> params) {
    params.forEach(param -> names.add(param.name()));
  }

  /** Adds an example. */
  void add(ExamplePairing pairing, Json result) {
    Map<String, Json> named = new HashMap<>();
    List<Json> values = new ArrayList<>();
    pairing.params().forEach(argument -> {
      named.put(argument.name(), argument.value());
      values.add(argument.value());
    });
    boolean isNamed = named.size() == values.size() && names.containsAll(named.keySet());
    examples.add(new Example(isNamed ? ordered(named) : shortened(values), result));
  }

  /** Returns the result for these params, otherwise the first one; null without examples. */
  @Nullable Json result(@Nullable Json params) {
    List<Json> given = params == null
        ? List.of()
        : params.kind() == Json.Kind.ARRAY
            ? shortened(params.elements())
            : ordered(params.members());
    for (Example example : examples) {
      if (isSame(example.params, given)) {
        return example.result;
      }
    }
    return examples.isEmpty() ? null : examples.get(0).result;
  }

  /** Returns params in the order of the parameters; null stands for one that is missing. */
  private List<Json> ordered(Map<String, Json> named) {
    return shortened(
        names.stream().map(name -> named.getOrDefault(name, Json.NULL)).toList());
  }

  /** Removes null at the end, which means the same as a missing param. */
  private static List<Json> shortened(List<Json> params) {
    int end = params.size();
    while (end > 0 && params.get(end - 1).isNull()) {
      end--;
    }
    return params.subList(0, end);
  }

  private static boolean isSame(List<Json> one, List<Json> other) {
    for (int i = 0; i < one.size() && i < other.size(); i++) {
      if (!one.get(i).isSameValue(other.get(i))) {
        return false;
      }
    }
    return one.size() == other.size();
  }
}
