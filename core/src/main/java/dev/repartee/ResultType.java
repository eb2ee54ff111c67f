package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnknownMembers;
import org.jspecify.annotations.Nullable;

/**
 * The result type of a method. A result is written as the method declares it. A layer may return a
 * value of another class instead, which is written by its class.
 *
 * @param declared the declared type
 */
record ResultType(JsonType<@Nullable Object> declared) implements JsonType<@Nullable Object> {
  /** The type of methods without a declared result type. */
  @SuppressWarnings("unchecked") // null is a value of every mapping
  static final ResultType ANY =
      new ResultType((JsonType<@Nullable Object>) (JsonType<?>) JsonType.of(Object.class));

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
      out.value(value);
    }
  }

  @Override
  public Json schema() {
    return declared.schema();
  }
}
