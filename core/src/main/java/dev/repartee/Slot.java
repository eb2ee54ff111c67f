package dev.repartee;

import static java.lang.invoke.MethodType.methodType;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * Reads one argument from where {@link Arguments#split} found it: as a primitive from the exchange,
 * or as an object from anywhere.
 */
final class Slot {
  private static final byte[] NONE = "[]".getBytes(US_ASCII);

  private final Signature.Argument argument;
  private final int at;
  private final int arguments;
  private final byte[] fallback;

  Slot(Signature.Argument argument, int index, int arguments) {
    this.argument = argument;
    this.at = 2 * index;
    this.arguments = arguments;
    Json otherwise = argument.fallback();
    this.fallback = otherwise == null ? NONE : otherwise.array();
  }

  /** The reader of this argument, of the type (Exchange)P, where P is the parameter's class. */
  MethodHandle reader() {
    Class<?> type = argument.raw();
    String name = type.isPrimitive() ? type.getName() + "From" : "from";
    Class<?> read = type.isPrimitive() ? type : Object.class;
    try {
      return MethodHandles.lookup()
          .findVirtual(Slot.class, name, methodType(read, Exchange.class))
          .bindTo(this)
          .asType(methodType(type, Exchange.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e); // there is a reader below for each primitive
    }
  }

  /** Reads it as an object, with a cursor of the caller's. */
  @Nullable Object read(Cursor c, byte[] bytes, int[] spans) {
    move(c, bytes, spans);
    try {
      return argument.variadic() ? rest(c) : c.value(argument.type());
    } catch (JsonException e) {
      throw unfit(e);
    }
  }

  private Object rest(Cursor c) {
    c.enter(c.bytes[c.at] == ',' ? ',' : '[', "an array");
    return ((ArrayType) (JsonType<?>) argument.type()).elements(c);
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

  // The readers that reader() finds by name.

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
