package dev.repartee.json;

import java.lang.reflect.Array;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Binds arrays of primitives or of objects. Arrays of {@code int}, {@code long} and {@code double},
 * which may be large, are read and written without boxing their elements.
 */
final class ArrayType extends StreamingType<@Nullable Object> {
  private final Class<?> component;
  private final JsonType<@Nullable Object> element;

  ArrayType(Class<?> component, JsonType<@Nullable Object> element) {
    this.component = component;
    this.element = element;
  }

  @Override
  public @Nullable Object read(JsonReader c) {
    if (c.isNull()) {
      return null;
    }
    c.enterArray();
    return elements(c);
  }

  /**
   * Reads elements up to the closing bracket. The cursor is after the opening bracket or a comma.
   */
  Object elements(JsonReader c) {
    if (component == int.class) {
      return ints(c);
    } else if (component == long.class) {
      return longs(c);
    } else if (component == double.class) {
      return doubles(c);
    }
    Object array = Array.newInstance(component, 8);
    int size = 0;
    for (; c.more(); size++) {
      if (size == Array.getLength(array)) {
        array = resized(array, size, 2 * size);
      }
      Array.set(array, size, c.element(element, size));
    }
    return resized(array, size, size);
  }

  private Object resized(Object array, int size, int length) {
    Object copy = Array.newInstance(component, length);
    System.arraycopy(array, 0, copy, 0, size);
    return copy;
  }

  private static int[] ints(JsonReader c) {
    int[] array = new int[8];
    int size = 0;
    while (c.more()) {
      if (size == array.length) {
        array = Arrays.copyOf(array, 2 * size);
      }
      try {
        array[size++] = Scalars.readInt(c);
      } catch (JsonException e) {
        throw e.in("element " + (size - 1));
      }
    }
    return Arrays.copyOf(array, size);
  }

  private static long[] longs(JsonReader c) {
    long[] array = new long[8];
    int size = 0;
    while (c.more()) {
      if (size == array.length) {
        array = Arrays.copyOf(array, 2 * size);
      }
      try {
        array[size++] = Scalars.readLong(c);
      } catch (JsonException e) {
        throw e.in("element " + (size - 1));
      }
    }
    return Arrays.copyOf(array, size);
  }

  private static double[] doubles(JsonReader c) {
    double[] array = new double[8];
    int size = 0;
    while (c.more()) {
      if (size == array.length) {
        array = Arrays.copyOf(array, 2 * size);
      }
      try {
        array[size++] = Scalars.readDouble(c);
      } catch (JsonException e) {
        throw e.in("element " + (size - 1));
      }
    }
    return Arrays.copyOf(array, size);
  }

  @Override
  public void write(JsonWriter out, @Nullable Object array) {
    if (array == null) {
      out.nil();
    } else if (!array.getClass().isArray()) {
      throw new ClassCastException(array.getClass() + " is no array");
    } else {
      out.open('[');
      elements(out, array);
      out.close(']');
    }
  }

  /** Writes the elements, separated by commas, without brackets. */
  void elements(JsonWriter out, Object array) {
    int length = Array.getLength(array);
    for (int i = 0; i < length; i++) {
      if (i > 0) {
        out.put(',');
      }
      if (array instanceof int[] ints) {
        out.number(ints[i]);
      } else if (array instanceof long[] longs) {
        out.number(longs[i]);
      } else if (array instanceof double[] doubles) {
        out.number(doubles[i]);
      } else {
        element.write(out, Array.get(array, i));
      }
    }
  }

  @Override
  public Json schema() {
    return Schemas.array(element.schema());
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return Schemas.array(element.schema(definitions));
  }
}
