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

  /** Reads it as an object. */
  @Nullable Object read(byte[] bytes, int[] spans) {
    boolean absent = spans[at] == Arguments.ABSENT;
    byte[] b = absent ? fallback : bytes;
    int from = absent ? 0 : spans[at];
    try {
      return argument.variadic()
          ? rest(b, from)
          : argument.type().read(b, from, absent ? b.length : spans[at + 1]);
    } catch (JsonException e) {
      throw unfit(e);
    }
  }

  private Object rest(byte[] b, int from) {
    Cursor c = new Cursor(b, from);
    c.enter(b[from] == ',' ? ',' : '[', "an array");
    return ((ArrayType) (JsonType<?>) argument.type()).elements(c);
  }

  private RpcException unfit(JsonException e) {
    return RpcException.invalidParams(argument.name() + ": " + e.getMessage());
  }

  private boolean absent(Exchange e) {
    return e.spans(arguments)[at] == Arguments.ABSENT;
  }

  private byte[] bytes(Exchange e) {
    return absent(e) ? fallback : e.bytes;
  }

  private int start(Exchange e) {
    return absent(e) ? 0 : e.spans(arguments)[at];
  }

  private int end(Exchange e) {
    return absent(e) ? fallback.length : e.spans(arguments)[at + 1];
  }

  // The readers that reader() finds by name.

  @Nullable Object from(Exchange e) {
    return read(e.bytes, e.spans(arguments));
  }

  boolean booleanFrom(Exchange e) {
    try {
      return Scalars.readBoolean(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  byte byteFrom(Exchange e) {
    try {
      return Scalars.readByte(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  short shortFrom(Exchange e) {
    try {
      return Scalars.readShort(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  char charFrom(Exchange e) {
    try {
      return Scalars.readChar(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  int intFrom(Exchange e) {
    try {
      return Scalars.readInt(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  long longFrom(Exchange e) {
    try {
      return Scalars.readLong(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  float floatFrom(Exchange e) {
    try {
      return Scalars.readFloat(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }

  double doubleFrom(Exchange e) {
    try {
      return Scalars.readDouble(bytes(e), start(e), end(e));
    } catch (JsonException x) {
      throw unfit(x);
    }
  }
}
