package dev.repartee;

import static java.lang.invoke.MethodType.methodType;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.UnsafeJson;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * The reader of one argument of a typed method. {@link Arguments#split} writes the start and end of
 * each argument's JSON text to a span; this class decodes the text of one span.
 *
 * <p>Primitives are read from an {@link Exchange}, without boxing. Any argument can be read as an
 * object, with any cursor.
 */
final class ArgumentReader {
  /**
   * The JSON text of a variadic argument that is left out. A required argument is never absent
   * here: {@link Arguments#split} refuses such params before.
   */
  private static final byte[] NONE = "[]".getBytes(US_ASCII);

  private final Signature.Argument argument;

  /** The index of the argument's start in the spans; its end follows. */
  private final int at;

  /** The number of all arguments of the method, for the size of the spans. */
  private final int arguments;

  /** The JSON text that is read if the argument is left out. */
  private final byte[] fallback;

  /** The beginning of error messages: the name of the argument, unless it is all of the params. */
  private final String where;

  /**
   * Creates the reader of one argument.
   *
   * @param index the index of the argument
   * @param arguments the number of all arguments
   * @param whole whether the argument is the params as a whole
   */
  ArgumentReader(Signature.Argument argument, int index, int arguments, boolean whole) {
    this.argument = argument;
    this.at = 2 * index;
    this.arguments = arguments;
    this.where = whole ? "" : argument.name() + ": ";
    Json otherwise = argument.fallback();
    this.fallback = otherwise == null ? NONE : UnsafeJson.array(otherwise);
  }

  /**
   * Returns a method handle of type (Exchange)P, where P is the class of the parameter.
   *
   * <p>For an {@code int} parameter this is {@link #intFrom} bound to this object; for a reference
   * type it is {@link #from}, with a cast to the type of the parameter.
   */
  MethodHandle reader() {
    Class<?> type = argument.raw();
    try {
      return from(type) // (ArgumentReader, Exchange)R; R is P if primitive, else Object
          .bindTo(this) // (Exchange)R
          .asType(methodType(type, Exchange.class)); // (Exchange)P
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e); // cannot happen: the methods are below
    }
  }

  /**
   * Reads the argument as an object, with a cursor that the caller provides.
   *
   * @param bytes the text that the spans refer to
   * @throws RpcException invalid params (-32602) if the text does not fit the type
   */
  @Nullable Object read(JsonReader c, byte[] bytes, int[] spans) {
    move(c, bytes, spans);
    try {
      return argument.variadic() ? c.rest(argument.type()) : c.value(argument.type());
    } catch (JsonException e) {
      throw unfit(e);
    }
  }

  private JsonReader move(JsonReader c, byte[] bytes, int[] spans) {
    return spans[at] == Arguments.ABSENT
        ? c.move(fallback, 0, fallback.length)
        : c.move(bytes, spans[at], spans[at + 1]);
  }

  private RpcException unfit(JsonException e) {
    return RpcException.invalidParams(where + e.getMessage());
  }

  // ---------------------------------------------------------------- from an exchange, unboxed

  // The handles are looked up one by one. Constants for all nine would need 3 to 10 ms at the start
  // of a program, and most programs need two.

  private static MethodHandle from(Class<?> type) throws ReflectiveOperationException {
    return switch (type.getName()) {
      case "boolean" -> from("booleanFrom", boolean.class);
      case "byte" -> from("byteFrom", byte.class);
      case "short" -> from("shortFrom", short.class);
      case "char" -> from("charFrom", char.class);
      case "int" -> from("intFrom", int.class);
      case "long" -> from("longFrom", long.class);
      case "float" -> from("floatFrom", float.class);
      case "double" -> from("doubleFrom", double.class);
      default -> from("from", Object.class);
    };
  }

  /** Returns the method of that name as a handle of type (ArgumentReader, Exchange)R. */
  private static MethodHandle from(String name, Class<?> result)
      throws ReflectiveOperationException {
    return MethodHandles.lookup()
        .findVirtual(ArgumentReader.class, name, methodType(result, Exchange.class));
  }

  boolean booleanFrom(Exchange e) {
    return bits(Primitive.BOOLEAN, e) != 0;
  }

  byte byteFrom(Exchange e) {
    return (byte) bits(Primitive.BYTE, e);
  }

  short shortFrom(Exchange e) {
    return (short) bits(Primitive.SHORT, e);
  }

  char charFrom(Exchange e) {
    return (char) bits(Primitive.CHAR, e);
  }

  int intFrom(Exchange e) {
    return (int) bits(Primitive.INT, e);
  }

  long longFrom(Exchange e) {
    return bits(Primitive.LONG, e);
  }

  float floatFrom(Exchange e) {
    return Float.intBitsToFloat((int) bits(Primitive.FLOAT, e));
  }

  double doubleFrom(Exchange e) {
    return Double.longBitsToDouble(bits(Primitive.DOUBLE, e));
  }

  private long bits(Primitive type, Exchange e) {
    try {
      return type.read(move(e.cursor, e.bytes, e.spans(arguments)));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  @Nullable Object from(Exchange e) {
    return read(e.cursor, e.bytes, e.spans(arguments));
  }
}
