package dev.repartee.json;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** The type of a record that is written as its only component; see {@link Inline}. */
final class InlineType<R> extends StreamingType<@Nullable R> implements TypeResolver.Part {
  private final Type declared;
  private final JsonTypes types;
  private final MethodHandle constructor;
  private final MethodHandle accessor;

  // Set before the type is published, since a component may contain this type.
  private @Nullable JsonType<@Nullable Object> component;
  private @Nullable Json absent;
  private @Nullable Json schema;

  /**
   * Creates the type without its component.
   *
   * @param constructor the canonical constructor, (C)R, where C is the component and R the record
   * @param accessor the accessor of the component, (R)C
   */
  InlineType(Type declared, JsonTypes types, MethodHandle constructor, MethodHandle accessor) {
    this.declared = declared;
    this.types = types;
    // Both have the type (Object)Object.
    this.constructor = constructor.asType(methodType(Object.class, Object.class));
    this.accessor = accessor.asType(methodType(Object.class, Object.class));
  }

  /**
   * Sets the component.
   *
   * @param absent see {@link JsonType#absent}
   */
  void describe(JsonType<@Nullable Object> component, @Nullable Json absent) {
    this.component = component;
    this.absent = absent;
  }

  @Override
  public void drawSchema() {
    schema = component().schema();
  }

  @Override
  public void check() {
    try {
      Forms.requireEnd(this);
      if (absent != null) {
        Component.requireFit("the default", absent, this);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(declared.getTypeName() + ": " + e.getMessage(), e);
    }
  }

  JsonType<@Nullable Object> component() {
    JsonType<@Nullable Object> known = component;
    if (known == null) {
      throw new IllegalStateException("not described yet: " + declared.getTypeName());
    }
    return known;
  }

  @Override
  @SuppressWarnings("unchecked")
  public @Nullable R read(JsonReader c) {
    Object value = c.value(component());
    if (value == null) {
      return null;
    }
    try {
      return (R) (Object) constructor.invokeExact(value);
    } catch (RuntimeException e) { // its message may contain internals of the program
      throw new JsonException("the value is not possible here", e);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // a canonical constructor declares no checked exception
    }
  }

  @Override
  public void write(JsonWriter out, @Nullable R value) {
    if (value == null) {
      out.nil();
      return;
    }
    try {
      component().write(out, (Object) accessor.invokeExact((Object) value));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // an accessor declares no checked exception
    }
  }

  @Override
  public @Nullable Json absent() {
    return absent;
  }

  @Override
  public Json schema() {
    return schema == null ? Json.TRUE : schema;
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return definitions.named(declared, types, () -> component().schema(definitions));
  }
}
