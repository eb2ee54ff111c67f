package dev.repartee;

import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonWriter;
import org.jspecify.annotations.Nullable;

/**
 * A primitive type, or {@code void}, as the engine passes it: the value travels as the bits of a
 * {@code long}. One method can then read or write all primitive types without boxing.
 *
 * <p>Callers pass a constant; the comparisons below then cost nothing in compiled code. A switch
 * would look each constant up in an array.
 */
enum Primitive {
  BOOLEAN,
  BYTE,
  SHORT,
  CHAR,
  INT,
  LONG,
  FLOAT,
  DOUBLE,
  VOID;

  /**
   * Reads a value of this type; returns its bits.
   *
   * @throws JsonException if the value at the cursor does not fit the type
   */
  long read(JsonReader c) {
    if (this == INT) {
      return c.readInt();
    } else if (this == LONG) {
      return c.readLong();
    } else if (this == DOUBLE) {
      return Double.doubleToRawLongBits(c.readDouble());
    } else if (this == BOOLEAN) {
      return c.readBoolean() ? 1 : 0;
    } else if (this == FLOAT) {
      return Float.floatToRawIntBits(c.readFloat());
    } else if (this == BYTE) {
      return c.readByte();
    } else if (this == SHORT) {
      return c.readShort();
    } else if (this == CHAR) {
      return c.readChar();
    }
    throw new IllegalStateException("there is no value of type void");
  }

  /** Returns the value with these bits as an object; null for {@code void}. */
  @Nullable Object box(long bits) {
    return switch (this) {
      case VOID -> null;
      case BOOLEAN -> bits != 0;
      case BYTE -> (byte) bits;
      case SHORT -> (short) bits;
      case CHAR -> (char) bits;
      case INT -> (int) bits;
      case LONG -> bits;
      case FLOAT -> Float.intBitsToFloat((int) bits);
      case DOUBLE -> Double.longBitsToDouble(bits);
    };
  }

  /** Writes the value with these bits; null for {@code void}. */
  void write(JsonWriter out, long bits) {
    if (this == VOID) {
      out.nil();
    } else if (this == BOOLEAN) {
      out.bool(bits != 0);
    } else if (this == DOUBLE) {
      out.number(Double.longBitsToDouble(bits));
    } else if (this == FLOAT) {
      out.number(Float.intBitsToFloat((int) bits));
    } else if (this == CHAR) {
      out.string(String.valueOf((char) bits));
    } else {
      out.number(bits);
    }
  }
}
