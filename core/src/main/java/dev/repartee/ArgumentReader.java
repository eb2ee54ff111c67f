package dev.repartee;

import static java.lang.invoke.MethodType.methodType;
import static java.nio.charset.StandardCharsets.US_ASCII;

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

  ArgumentReader(Signature.Argument argument, int index, int arguments) {
    this.argument = argument;
    this.at = 2 * index;
    this.arguments = arguments;
    Json otherwise = argument.fallback();
    this.fallback = otherwise == null ? NONE : otherwise.array();
  }

  /**
   * Returns a method handle of type (Exchange)P, where P is the class of the parameter.
   *
   * <p>For an {@code int} parameter this is {@link #intFrom} bound to this object; for a reference
   * type it is {@link #from}, with a cast to the type of the parameter.
   */
  MethodHandle reader() {
    Class<?> type = argument.raw();
    String name = type.isPrimitive() ? type.getName() + "From" : "from";
    Class<?> read = type.isPrimitive() ? type : Object.class;
    try {
      return MethodHandles.lookup()
          .findVirtual(ArgumentReader.class, name, methodType(read, Exchange.class))
          .bindTo(this) // (Exchange)R; R is P if primitive, else Object
          .asType(methodType(type, Exchange.class)); // (Exchange)P
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e); // cannot happen: each primitive has a reader below
    }
  }

  /**
   * Reads the argument as an object, with a cursor that the caller provides.
   *
   * @param bytes the text that the spans refer to
   * @throws RpcException invalid params (-32602) if the text does not fit the type
   */
  @Nullable Object read(Cursor c, byte[] bytes, int[] spans) {
    move(c, bytes, spans);
    try {
      return argument.variadic() ? rest(c) : c.value(argument.type());
    } catch (JsonException e) {
      throw unfit(e);
    }
  }

  // The span of a variadic argument given by position begins at the comma before its first element,
  // so that the remaining elements read like an array. The span of one given by name begins at the
  // bracket.
  private Object rest(Cursor c) {
    c.enter(c.bytes[c.at] == ',' ? ',' : '[', "an array");
    return c.elements(argument.type());
  }

  private Cursor move(Cursor c, byte[] bytes, int[] spans) {
    return spans[at] == Arguments.ABSENT
        ? c.move(fallback, 0, fallback.length)
        : c.move(bytes, spans[at], spans[at + 1]);
  }

  private RpcException unfit(JsonException e) {
    return RpcException.invalidParams(argument.name() + ": " + e.getMessage());
  }

  private Cursor cursor(Exchange e) {
    return move(e.cursor, e.bytes, e.spans(arguments));
  }

  // These methods are found by reader(), by their names: "from", or the primitive type and "From".

  @Nullable Object from(Exchange e) {
    return read(e.cursor, e.bytes, e.spans(arguments));
  }

  boolean booleanFrom(Exchange e) {
    try {
      return Scalars.readBoolean(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  byte byteFrom(Exchange e) {
    try {
      return Scalars.readByte(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  short shortFrom(Exchange e) {
    try {
      return Scalars.readShort(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  char charFrom(Exchange e) {
    try {
      return Scalars.readChar(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  int intFrom(Exchange e) {
    try {
      return Scalars.readInt(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  long longFrom(Exchange e) {
    try {
      return Scalars.readLong(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  float floatFrom(Exchange e) {
    try {
      return Scalars.readFloat(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  double doubleFrom(Exchange e) {
    try {
      return Scalars.readDouble(cursor(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }
}
