package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JacksonAnnotation;
import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import dev.repartee.json.Binder;
import dev.repartee.json.JsonType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Binds with Jackson 3 the types that core does not bind itself, and records with an annotation of
 * Jackson (on the record, an interface of it, a component, a constructor or a method). Thread-safe.
 *
 * <p>To use another mapper, register a subclass as a service ({@code provides
 * dev.repartee.json.Binder with ...}, or {@code META-INF/services/dev.repartee.json.Binder}). It
 * takes precedence over this class:
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
 * <p>A mapper never changes records without such annotations: core binds these.
 */
public class JacksonBinder implements Binder {
  /**
   * The default mapper, made when the first type is bound: Jackson is slow to load, and may never
   * be needed.
   */
  private static final class Default {
    static final JsonMapper MAPPER =
        builder().addModule(new JsonModule(JacksonBinder.class)).build();
  }

  /** The mapper of a subclass, null for the default. */
  private final @Nullable JsonMapper given;

  /** Makes a binder with the mapper of {@link #builder()}. */
  public JacksonBinder() {
    this.given = null;
  }

  /**
   * Makes a binder with a copy of a mapper. The copy also reads and writes {@link
   * dev.repartee.json.Json}, and does not indent, since a line break would end a message under line
   * framing.
   */
  public JacksonBinder(JsonMapper mapper) {
    this.given = mapper.rebuild().addModule(new JsonModule(getClass())).build();
  }

  /**
   * Returns a builder with the default settings, to be changed as needed.
   *
   * <ul>
   *   <li>Missing and repeated members are refused, and so are null for a primitive, a string for a
   *       number, a number for a string, and a fraction for an integer. This includes elements of
   *       arrays and keys of maps. The endpoint, not the mapper, decides about unknown members; see
   *       {@link dev.repartee.json.UnknownMembers}.
   *   <li>Times and dates are ISO 8601 texts. Enums, months among them, are written by their names.
   *       An empty optional is left out.
   *   <li>If no type is declared for a number, it keeps all its digits: a fraction is a {@link
   *       java.math.BigDecimal}.
   *   <li>Subtypes are found by the names that {@code @JsonTypeInfo} and {@code @JsonSubTypes}
   *       declare. Class names are refused even if they are declared.
   *   <li>Depth, and the length and exponent of numbers, have the same limits as in core.
   * </ul>
   */
  public static JsonMapper.Builder builder() {
    return Strict.builder();
  }

  /**
   * Returns the binding of a type, or null if the type can be neither read nor written, such as an
   * input stream.
   */
  @Override
  public @Nullable JsonType<?> bind(Type type) {
    JsonMapper mapper = given == null ? Default.MAPPER : given;
    JavaType declared = mapper.constructType(declared(type));
    return JacksonType.of(mapper, declared);
  }

  /** Returns the type itself, or the enum of a constant that has a class of its own. */
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

  /**
   * Returns the position among the binders: the last one for this class itself, so that any other
   * binder takes precedence; 0 for subclasses.
   */
  @Override
  public int order() {
    return getClass() == JacksonBinder.class ? Integer.MAX_VALUE : 0;
  }
}
