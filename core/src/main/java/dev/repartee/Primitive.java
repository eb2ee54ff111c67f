package dev.repartee;

/**
 * A primitive type, or {@code void}, as the engine passes it: the value travels as the bits of a
 * {@code long}. So one method can read or write all primitive types without boxing.
 *
 * <p>Callers pass a constant, so the comparisons below cost nothing in compiled code. A switch
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
  long read(Cursor c) {
    if (this == INT) {
      return Scalars.readInt(c);
    } else if (this == LONG) {
      return Scalars.readLong(c);
    } else if (this == DOUBLE) {
      return Double.doubleToRawLongBits(Scalars.readDouble(c));
    } else if (this == BOOLEAN) {
      return Scalars.readBoolean(c) ? 1 : 0;
    } else if (this == FLOAT) {
      return Float.floatToRawIntBits(Scalars.readFloat(c));
    } else if (this == BYTE) {
      return Scalars.readByte(c);
    } else if (this == SHORT) {
      return Scalars.readShort(c);
    } else if (this == CHAR) {
      return Scalars.readChar(c);
    }
    throw new IllegalStateException("there is no value of type void");
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
