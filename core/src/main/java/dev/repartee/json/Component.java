package dev.repartee.json;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
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
  final MemberName label;
  final JsonType<@Nullable Object> type;
  final @Nullable Json fallback;
  private final String description;
  private final int slot;
  private final Kind kind;
  private final MethodHandle accessor;
  private final boolean optional;

  /**
   * Creates the component with that index.
   *
   * @param fallback the value for a missing member; null if the member is required
   * @param description the description for the schema, may be empty
   */
  Component(
      String name,
      int index,
      JsonType<@Nullable Object> type,
      @Nullable Json fallback,
      String description,
      MethodHandle accessor) {
    Class<?> raw = accessor.type().returnType();
    this.name = name;
    this.label = new MemberName(name);
    this.type = type;
    this.fallback = fallback;
    this.description = description;
    this.slot = index;
    this.kind = Kind.of(raw);
    this.accessor = accessor.asType(methodType(kind.carrier, Object.class));
    this.optional = raw == Object.class || OptionalType.is(raw);
  }

  /** Returns the JSON schema of the values, with the description. */
  Json schema() {
    return Schemas.described(type.schema(), description);
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
}
