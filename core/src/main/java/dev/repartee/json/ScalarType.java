package dev.repartee.json;

import dev.repartee.internal.Text;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The {@link JsonType} of a Java type that holds no other values: a primitive, its box, a string, a
 * number, {@link Json} or {@code void}.
 *
 * <p>JSON {@code null} reads as Java's null, except for primitives, which refuse it, and for {@link
 * Json}, which represents it by {@link Json#NULL}. {@code Void} accepts any value and reads it as
 * null, so that a caller can ignore a result.
 */
final class ScalarType<T> extends StreamingType<@Nullable T> {
  /** See {@link StreamingType#read}. */
  private interface Reader<T> {
    @Nullable T read(JsonReader c);
  }

  /** See {@link JsonType#write}; never called with null. */
  private interface Writer<T> {
    void write(JsonWriter out, T value);
  }

  private final boolean nullable;
  private final Reader<T> reader;
  private final Writer<T> writer;
  private final Json schema;

  private ScalarType(Class<?> type, Reader<T> reader, Writer<T> writer, String schema) {
    this.nullable = !type.isPrimitive() && type != Json.class; // null is a value of Json
    this.reader = reader;
    this.writer = writer;
    this.schema = Json.wrap(Text.utf8(schema));
  }

  @Override
  public @Nullable T read(JsonReader c) {
    return nullable && c.isNull() ? null : reader.read(c);
  }

  @Override
  public void write(JsonWriter out, @Nullable T value) {
    if (value == null) {
      out.nil();
    } else {
      writer.write(out, value);
    }
  }

  @Override
  public Json schema() {
    return schema;
  }

  /**
   * Returns the scalar type of a class, or null if the class is not one. A type is made only when
   * it is first asked for; {@link JsonTypes} keeps it.
   */
  static @Nullable JsonType<?> of(Class<?> type) {
    return switch (type.getName()) {
      case "java.lang.String", "java.lang.CharSequence" ->
        new ScalarType<CharSequence>(
            type, JsonReader::readString, JsonWriter::string, kind("string"));
      case "boolean", "java.lang.Boolean" ->
        new ScalarType<Boolean>(type, Scalars::readBoolean, JsonWriter::bool, kind("boolean"));
      case "char", "java.lang.Character" ->
        new ScalarType<Character>(
            type,
            Scalars::readChar,
            (out, value) -> out.string(value.toString()),
            "{\"type\":\"string\",\"minLength\":1,\"maxLength\":1}");
      case "dev.repartee.json.Json" ->
        new ScalarType<Json>(type, Json::read, JsonWriter::json, "true");
      case "void", "java.lang.Void" ->
        new ScalarType<Void>(type, JsonReader::nothing, (out, value) -> out.nil(), kind("null"));
      default -> number(type);
    };
  }

  private static @Nullable JsonType<?> number(Class<?> type) {
    return switch (type.getName()) {
      case "int", "java.lang.Integer" ->
        new ScalarType<Integer>(
            type,
            Scalars::readInt,
            JsonWriter::number,
            range(Integer.MIN_VALUE, Integer.MAX_VALUE));
      case "long", "java.lang.Long" ->
        new ScalarType<Long>(type, Scalars::readLong, JsonWriter::number, kind("integer"));
      case "double", "java.lang.Double" ->
        new ScalarType<Double>(type, Scalars::readDouble, JsonWriter::number, kind("number"));
      case "float", "java.lang.Float" ->
        new ScalarType<Float>(type, Scalars::readFloat, JsonWriter::number, kind("number"));
      case "short", "java.lang.Short" ->
        new ScalarType<Short>(
            type, Scalars::readShort, JsonWriter::number, range(Short.MIN_VALUE, Short.MAX_VALUE));
      case "byte", "java.lang.Byte" ->
        new ScalarType<Byte>(
            type, Scalars::readByte, JsonWriter::number, range(Byte.MIN_VALUE, Byte.MAX_VALUE));
      case "java.math.BigInteger" ->
        new ScalarType<BigInteger>(
            type, Decimals::readInteger, JsonWriter::number, kind("integer"));
      case "java.math.BigDecimal" ->
        new ScalarType<BigDecimal>(type, Decimals::readDecimal, JsonWriter::number, kind("number"));
      default -> null;
    };
  }

  private static String kind(String name) {
    return "{\"type\":\"" + name + "\"}";
  }

  private static String range(int min, int max) {
    return "{\"type\":\"integer\",\"minimum\":" + min + ",\"maximum\":" + max + "}";
  }
}
