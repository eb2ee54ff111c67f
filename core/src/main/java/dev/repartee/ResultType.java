package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnknownMembers;
import org.jspecify.annotations.Nullable;

/**
 * The result type of a method. A result is written as the method declares it. A layer may return a
 * value of another class instead, which is written by its class.
 *
 * @param declared the declared type
 * @param types the registry that knows the classes of other values
 */
record ResultType(JsonType<@Nullable Object> declared, JsonTypes types)
    implements JsonType<@Nullable Object> {
  /** Returns the type of methods without a declared result type. */
  @SuppressWarnings("unchecked") // null is a value of every mapping
  static ResultType any(JsonTypes types) {
    return new ResultType((JsonType<@Nullable Object>) (JsonType<?>) types.of(Object.class), types);
  }

  @Override
  public @Nullable Object read(byte[] bytes, int from, int to) {
    return declared.read(bytes, from, to);
  }

  @Override
  public @Nullable Object read(byte[] bytes, int from, int to, UnknownMembers unknown) {
    return declared.read(bytes, from, to, unknown);
  }

  @Override
  public void write(JsonWriter out, @Nullable Object value) {
    int mark = out.size();
    try {
      declared.write(out, value);
    } catch (ClassCastException e) {
      out.truncate(mark);
      types.write(out, value);
    }
  }

  @Override
  public Json schema() {
    return declared.schema();
  }
}
