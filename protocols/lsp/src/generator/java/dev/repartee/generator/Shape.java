package dev.repartee.generator;

import org.jspecify.annotations.Nullable;

/** The Java form of a type of the meta model, without its null. */
sealed interface Shape {
  /** Returns the Java type, boxed where it is primitive. */
  String boxed();

  /** Returns the Java type. */
  default String java() {
    return boxed();
  }

  /** Returns the expression that reads a value from {@code in}. */
  String read();

  /** Returns the expression that writes {@code value} to {@code out}. */
  String write(String value);

  /**
   * Returns the expression for the neutral value: zero, false or an empty value; null if the type
   * has no such value.
   */
  default @Nullable String neutral() {
    return null;
  }

  /** Returns the first byte of the JSON text, in the letters of {@code Wire.look}. */
  char letter();

  default boolean isPrimitive() {
    return !boxed().equals(java());
  }

  /** A type that exists in JSON. */
  enum Scalar implements Shape {
    STRING("String", "String", "in.readString()", "out.string(%s)", 's'),
    INTEGER("Integer", "int", "in.readInt()", "out.number(%s)", 'n'),
    UINTEGER("Integer", "int", "in.readInt(0, Integer.MAX_VALUE)", "out.number(%s)", 'n'),
    LONG("Long", "long", "in.readLong()", "out.number(%s)", 'n'),
    DECIMAL("Double", "double", "in.readDouble()", "out.number(%s)", 'n'),
    NULLABLE_STRING(
        "@Nullable String", "@Nullable String", "Wire.text(in)", "Wire.text(out, %s)", '*'),
    BOOLEAN("Boolean", "boolean", "in.readBoolean()", "out.bool(%s)", 'b'),
    JSON("Json", "Json", "Wire.json(in)", "out.json(%s)", '*');

    private final String boxed;
    private final String java;
    private final String read;
    private final String write;
    private final char letter;

    Scalar(String boxed, String java, String read, String write, char letter) {
      this.boxed = boxed;
      this.java = java;
      this.read = read;
      this.write = write;
      this.letter = letter;
    }

    @Override
    public String boxed() {
      return boxed;
    }

    @Override
    public String java() {
      return java;
    }

    @Override
    public String read() {
      return read;
    }

    @Override
    public @Nullable String neutral() {
      return switch (this) {
        case STRING -> "\"\"";
        case INTEGER, UINTEGER, LONG, DECIMAL -> "0";
        case BOOLEAN -> "false";
        case NULLABLE_STRING, JSON -> null;
      };
    }

    @Override
    public String write(String value) {
      return write.formatted(value);
    }

    @Override
    public char letter() {
      return letter;
    }
  }

  /**
   * A generated type.
   *
   * @param codec the class with its methods {@code read} and {@code write}
   */
  record Named(String boxed, String codec, char letter) implements Shape {
    @Override
    public String read() {
      return codec + ".read(in)";
    }

    @Override
    public @Nullable String neutral() {
      return letter == 's' ? boxed + ".of(\"\")" : null; // an enumeration of strings
    }

    @Override
    public String write(String value) {
      return codec + ".write(out, " + value + ")";
    }
  }

  /** An array, or an object whose names are not known in advance. */
  record Container(Shape element, boolean isMap) implements Shape {
    @Override
    public String boxed() {
      return (isMap ? "Map<String, " : "List<") + element.boxed() + ">";
    }

    /** Returns the end of the names of the methods that read and write such values. */
    String id() {
      String of = element instanceof Container inner
          ? inner.id()
          : element.boxed().replace("@Nullable ", "Nullable");
      return of + (isMap ? "Map" : "List");
    }

    @Override
    public String read() {
      return "Containers.read" + id() + "(in)";
    }

    @Override
    public @Nullable String neutral() {
      return isMap ? "Map.of()" : "List.of()";
    }

    @Override
    public String write(String value) {
      return "Containers.write" + id() + "(out, " + value + ")";
    }

    @Override
    public char letter() {
      return isMap ? 'o' : 'a';
    }
  }
}
