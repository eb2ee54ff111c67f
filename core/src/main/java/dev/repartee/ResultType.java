package dev.repartee;

import org.jspecify.annotations.Nullable;

/** A result as its method declares it; what a layer put in its place is written by its class. */
record ResultType(JsonType<@Nullable Object> declared) implements JsonType<@Nullable Object> {
  /** What is written where nothing was declared. */
  static final ResultType ANY = new ResultType(NaturalType.INSTANCE);

  @Override
  public @Nullable Object read(byte[] bytes, int from, int to) {
    return declared.read(bytes, from, to);
  }

  @Override
  public void write(Output out, @Nullable Object value) {
    int mark = out.size();
    try {
      declared.write(out, value);
    } catch (ClassCastException e) {
      out.truncate(mark);
      Types.write(out, value);
    }
  }

  @Override
  public Json schema() {
    return declared.schema();
  }
}
