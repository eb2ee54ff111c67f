package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JacksonAnnotation;
import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import dev.repartee.Binder;
import dev.repartee.JsonType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Binds with Jackson 3 what core does not bind itself, and records that bear an annotation of
 * Jackson's (on the record, an interface of it, a component, a constructor or a method). Thread-safe.
 *
 * <p>A mapper of one's own comes with a subclass that is registered as a service ({@code provides
 * dev.repartee.Binder with ...}, or {@code META-INF/services/dev.repartee.Binder}) and is then asked
 * first:
 *
 * <pre>{@code
 * public final class SnakeCase extends JacksonBinder {
 *   public SnakeCase() {
 *     super(JacksonBinder.builder()
 *         .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
 *         .build());
 *   }
 * }
 * }</pre>
 *
 * <p>Plain records stay with core, whatever the mapper.
 */
public class JacksonBinder implements Binder {
  /** Made when the first type is bound: Jackson is slow to load, and may never be needed. */
  private static final class Default {
    static final JsonMapper MAPPER = builder().addModule(new JsonModule()).build();
  }

  private final @Nullable JsonMapper given;

  /** Binds with a mapper as {@link #builder()} makes it. */
  public JacksonBinder() {
    this.given = null;
  }

  /**
   * Binds with that mapper; it learns to read and write {@link dev.repartee.Json}, and does not indent,
   * since a line may be a message.
   */
  public JacksonBinder(JsonMapper mapper) {
    this.given = mapper.rebuild().addModule(new JsonModule()).build();
  }

  /**
   * The defaults, to build on. Members that are unknown, missing or stand twice are refused, and so
   * are null for a primitive, a string for a number, a number for a string, a fraction for an integer;
   * times and dates are ISO 8601 texts, enums (months too) go by their names, an empty optional is left
   * out. That holds for elements of arrays and keys of maps as well. Where no type says what a number is, it
   * keeps its digits: a fraction is a {@link java.math.BigDecimal}. Types are told apart by the names that {@code @JsonTypeInfo} and {@code @JsonSubTypes} declare; names of
   * classes are refused even where they are declared. Depth, and the length and exponent of numbers, are
   * bounded as in core.
   */
  public static JsonMapper.Builder builder() {
    return Strict.builder();
  }

  /** Answers null for a type that could be neither read nor written, such as an input stream. */
  @Override
  public @Nullable JsonType<?> bind(Type type) {
    JsonMapper mapper = given == null ? Default.MAPPER : given;
    JavaType declared = mapper.constructType(declared(type));
    return JacksonType.of(mapper, declared);
  }

  /** The type itself, or the enum whose constant has a class of its own. */
  private static Type declared(Type type) {
    boolean constant = type instanceof Class<?> c && Enum.class.isAssignableFrom(c) && !c.isEnum();
    return constant && ((Class<?>) type).getSuperclass().isEnum()
        ? ((Class<?>) type).getSuperclass()
        : type;
  }

  @Override
  public boolean claims(Class<? extends Annotation> annotation) {
    return annotation.isAnnotationPresent(JacksonAnnotation.class)
        || annotation.isAnnotationPresent(JacksonAnnotationsInside.class);
  }

  /** The last of all for this class itself, so that any other binder comes before; 0 for others. */
  @Override
  public int order() {
    return getClass() == JacksonBinder.class ? Integer.MAX_VALUE : 0;
  }
}
