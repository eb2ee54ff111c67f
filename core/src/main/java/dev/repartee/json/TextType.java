package dev.repartee.json;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The type of a class with values that are strings; see {@link Binder#text}. */
final class TextType<T> extends StreamingType<@Nullable T> {
  private static final Json SCHEMA = Json.parse("{\"type\":\"string\"}");

  private final String form;
  private final Function<String, ? extends T> reader;
  private final Function<T, String> writer;

  TextType(String form, Function<String, ? extends T> reader, Function<T, String> writer) {
    this.form = form;
    this.reader = reader;
    this.writer = writer;
  }

  @Override
  public @Nullable T read(JsonReader c) {
    if (c.isNull()) {
      return null;
    } else if (c.bytes[c.at] != '"') {
      throw JsonException.expected(form, c.bytes, c.at);
    }
    String text = c.readString();
    try {
      return reader.apply(text);
    } catch (RuntimeException e) { // its message may contain internals of the program
      throw new JsonException("expected " + form + ", got another string", e);
    }
  }

  @Override
  public void write(JsonWriter out, @Nullable T value) {
    if (value == null) {
      out.nil();
    } else {
      out.string(writer.apply(value));
    }
  }

  @Override
  public Json schema() {
    return SCHEMA;
  }
}
