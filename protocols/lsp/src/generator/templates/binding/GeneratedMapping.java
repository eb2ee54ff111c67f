package dev.repartee.generator.template.binding;

import static java.lang.invoke.MethodType.methodType;

import dev.repartee.generator.template.types.GeneratedType;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.StreamingType;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * Calls the methods {@code read} and {@code write} of a generated type, or of the class that a
 * union has for them.
 */
final class GeneratedMapping extends StreamingType<@Nullable Object> {
  private final MethodHandle read;
  private final MethodHandle write;
  private final boolean nullable;

  private GeneratedMapping(MethodHandle read, MethodHandle write, boolean nullable) {
    this.read = read.asType(methodType(Object.class, JsonReader.class));
    this.write = write.asType(methodType(void.class, JsonWriter.class, Object.class));
    this.nullable = nullable;
  }

  /**
   * Returns the mapping of a type. That of a variant inside a union is the mapping of the union.
   */
  static GeneratedMapping of(Class<?> generated) {
    Class<?> outer = generated.getDeclaringClass();
    Class<?> type = outer == null ? generated : outer;
    try {
      Class<?> codec = type.isInterface()
          ? Class.forName(type.getName() + "Json", true, type.getClassLoader())
          : type;
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(codec, MethodHandles.lookup());
      return new GeneratedMapping(
          lookup.findStatic(codec, "read", methodType(type, JsonReader.class)),
          lookup.findStatic(codec, "write", methodType(void.class, JsonWriter.class, type)),
          type.getAnnotation(GeneratedType.class).nullable());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e); // the generator has made these methods
    }
  }

  @Override
  public @Nullable Object read(JsonReader in) {
    if (nullable && in.isNull()) {
      return null;
    }
    try {
      return (Object) read.invokeExact(in);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // the method declares no checked exception
    }
  }

  @Override
  public void write(JsonWriter out, @Nullable Object value) {
    if (value == null) {
      out.nil();
      return;
    }
    try {
      write.invokeExact(out, value);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // the method declares no checked exception
    }
  }
}
