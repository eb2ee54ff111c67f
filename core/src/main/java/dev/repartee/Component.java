package dev.repartee;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One component of a record, on its way to the constructor and back without a box where that pays. */
final class Component {
  /** What it is in Java: bulk has a way of its own, the rarer primitives are boxed. */
  private enum Kind {
    INT(int.class),
    LONG(long.class),
    DOUBLE(double.class),
    BOOLEAN(boolean.class),
    OBJECT(Object.class);

    final Class<?> carrier;

    Kind(Class<?> carrier) {
      this.carrier = carrier;
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
  final Label label;
  final JsonType<@Nullable Object> type;
  final @Nullable Json fallback;
  private final String description;
  private final int slot;
  private final Kind kind;
  private final MethodHandle accessor;
  private final boolean optional;

  /**
   * The component of that index.
   *
   * @param fallback what stands for it where it is missing, null where it is required
   * @param description what it means, or empty
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
    this.label = new Label(name);
    this.type = type;
    this.fallback = fallback;
    this.description = description;
    this.slot = index;
    this.kind = Kind.of(raw);
    this.accessor = accessor.asType(methodType(kind.carrier, Object.class));
    this.optional = raw == Object.class || OptionalType.is(raw);
  }

  /** The schema of its values, with what they mean. */
  Json schema() {
    return Schemas.described(type.schema(), description);
  }

  /** What the constructor is given, of the type (Slots)P, where P is the class. */
  MethodHandle argument(Class<?> raw) {
    MethodType type = methodType(kind.carrier, int.class);
    String getter = kind.name().toLowerCase(Locale.ROOT) + "At";
    try {
      MethodHandle get = MethodHandles.lookup().findVirtual(Slots.class, getter, type);
      return MethodHandles.insertArguments(get, 1, slot).asType(methodType(raw, Slots.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e); // there is a getter for each kind
    }
  }

  /** Reads the value at the cursor into the slot. */
  void read(Cursor c, Slots slots) {
    switch (kind) {
      case INT -> slots.put(slot, Scalars.readInt(c));
      case LONG -> slots.put(slot, Scalars.readLong(c));
      case DOUBLE -> slots.put(slot, Scalars.readDouble(c));
      case BOOLEAN -> slots.put(slot, Scalars.readBoolean(c));
      case OBJECT -> slots.put(slot, c.value(type));
    }
  }

  /** Fills the slot where the member is missing; false if it must not be. */
  boolean readFallback(Slots slots) {
    if (fallback == null) {
      return false;
    }
    read(new Cursor(fallback.array(), 0, fallback.length()), slots); // anew: it may be mutable
    return true;
  }

  /** Writes the value that it has in a record, after a label; nothing for an optional that is empty. */
  void write(Output out, Object of, boolean first) {
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
