package dev.repartee.json;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes one component of a record. Components of the common primitive types are passed
 * to the constructor, and returned by the accessor, without boxing.
 */
final class Component {
  /** The type of the component in the method handles. The rare primitive types are boxed. */
  private enum Kind {
    INT(int.class, "intAt"),
    LONG(long.class, "longAt"),
    DOUBLE(double.class, "doubleAt"),
    BOOLEAN(boolean.class, "booleanAt"),
    OBJECT(Object.class, "objectAt");

    final Class<?> carrier;

    /** The method of {@link ComponentBuffer} that returns a value of this kind. */
    final String getter;

    Kind(Class<?> carrier, String getter) {
      this.carrier = carrier;
      this.getter = getter;
    }

    static Kind of(Class<?> raw) {
      return switch (raw.getName()) {
        case "int" -> INT;
        case "long" -> LONG;
        case "double" -> DOUBLE;
        case "boolean" -> BOOLEAN;
        default -> OBJECT;
      };
    }
  }

  final String name;

  /** The name in Java; empty for a {@link #tag}. */
  private final String declared;

  final MemberNames.Label label;
  final JsonType<@Nullable Object> type;
  final @Nullable Json fallback;
  private final String description;
  private final boolean deprecated;
  private final int slot;
  private final Kind kind;
  private final MethodHandle accessor;
  private final boolean optional;

  /**
   * Creates the component with that index.
   *
   * @param name the name in JSON
   * @param declared the name in Java
   * @param fallback the value for a missing member; null if the member is required
   * @param description the description for the schema, may be empty
   * @param deprecated whether the schema says so
   */
  Component(
      String name,
      String declared,
      int index,
      JsonType<@Nullable Object> type,
      @Nullable Json fallback,
      String description,
      boolean deprecated,
      MethodHandle accessor) {
    Class<?> raw = accessor.type().returnType();
    this.name = name;
    this.declared = declared;
    this.label = new MemberNames.Label(name);
    this.type = type;
    this.fallback = fallback;
    this.description = description;
    this.deprecated = deprecated;
    this.slot = index;
    this.kind = Kind.of(raw);
    this.accessor = accessor.asType(methodType(kind.carrier, Object.class));
    this.optional = raw == Object.class || OptionalType.is(raw);
  }

  /**
   * Creates a member that is no component of the record: it has the same value in all records.
   *
   * @param value the value, which a reader requires
   */
  static Component tag(String name, int index, String value) {
    return new Component(
        name,
        "",
        index,
        new Constant(value),
        null,
        "",
        false,
        MethodHandles.dropArguments(
            MethodHandles.constant(String.class, value), 0, Object.class)); // (Object)String
  }

  /**
   * Checks that a type can read a default.
   *
   * @param name the name of the default in the exception
   * @throws IllegalArgumentException if the default does not fit
   */
  static void requireFit(String name, Json fallback, JsonType<?> type) {
    try {
      fallback.as(type);
    } catch (JsonException | StackOverflowError e) {
      String fault = e instanceof JsonException ? e.getMessage() : "it leads back to itself";
      throw new IllegalArgumentException(name + " does not fit: " + fault, e);
    }
  }

  /**
   * Returns the JSON schema of the values, with the description.
   *
   * @param descriptions the descriptions of components without one, by their names in Java
   */
  Json schema(Function<JsonType<?>, Json> schemas, UnaryOperator<String> descriptions) {
    String text = description.isEmpty() ? descriptions.apply(declared) : description;
    return Schemas.annotated(schemas.apply(type), text, deprecated);
  }

  /**
   * Returns a handle that reads this component's value from the buffer, of the type
   * (ComponentBuffer)P, where P is {@code raw}, the component's class.
   */
  MethodHandle argument(Class<?> raw) {
    try {
      // (ComponentBuffer, int)C, where C is the carrier of the kind
      MethodHandle get = MethodHandles.lookup()
          .findVirtual(ComponentBuffer.class, kind.getter, methodType(kind.carrier, int.class));
      return MethodHandles.insertArguments(get, 1, slot) // (ComponentBuffer)C
          .asType(methodType(raw, ComponentBuffer.class)); // (ComponentBuffer)P
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e); // cannot happen: there is a getter for each kind
    }
  }

  /** Reads the value at the cursor into the slot. */
  void read(JsonReader c, ComponentBuffer slots) {
    switch (kind) {
      case INT -> slots.put(slot, Scalars.readInt(c));
      case LONG -> slots.put(slot, Scalars.readLong(c));
      case DOUBLE -> slots.put(slot, Scalars.readDouble(c));
      case BOOLEAN -> slots.put(slot, Scalars.readBoolean(c));
      case OBJECT -> slots.put(slot, c.value(type));
    }
  }

  /** Reads the fallback into the slot; returns false if the member is required. */
  boolean readFallback(ComponentBuffer slots) {
    if (fallback == null) {
      return false;
    }
    read(
        new JsonReader(fallback.array(), 0, fallback.length()),
        slots); // a new value: may be mutable
    return true;
  }

  /** Writes the member of a record: name and value. Writes nothing for an empty optional. */
  void write(JsonWriter out, Object of, boolean first) {
    try {
      if (optional && OptionalType.isEmpty((Object) accessor.invokeExact(of))) {
        return;
      }
      label.write(out, first);
      switch (kind) {
        case INT -> out.number((int) accessor.invokeExact(of));
        case LONG -> out.number((long) accessor.invokeExact(of));
        case DOUBLE -> out.number((double) accessor.invokeExact(of));
        case BOOLEAN -> out.bool((boolean) accessor.invokeExact(of));
        case OBJECT -> type.write(out, (Object) accessor.invokeExact(of));
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // an accessor declares no checked exception
    }
  }

  /** The type of one string. */
  private static final class Constant extends StreamingType<@Nullable Object> {
    private final String value;
    private final String form;

    Constant(String value) {
      this.value = value;
      this.form = Forms.choice(List.of(value));
    }

    @Override
    public Object read(JsonReader c) {
      if (c.bytes[c.at] != '"') {
        throw JsonException.expected(form, c.bytes, c.at);
      } else if (!c.readString().equals(value)) {
        throw JsonException.unfit("expected " + form + ", got another string");
      }
      return value;
    }

    @Override
    public void write(JsonWriter out, @Nullable Object value) {
      out.string(this.value);
    }

    @Override
    public Json schema() {
      return Schemas.json(new JsonWriter().ascii("{\"const\":").string(value).put('}'));
    }
  }
}
