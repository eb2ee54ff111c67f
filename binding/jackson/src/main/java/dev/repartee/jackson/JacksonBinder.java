package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JacksonAnnotation;
import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import dev.repartee.json.Binder;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.Naming;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Binds with Jackson 3 the types that core does not bind itself, and records with an annotation of
 * Jackson (on the record, an interface of it, a component, a constructor or a method). Thread-safe.
 *
 * <p>To use another mapper for one endpoint, give it to the options of the endpoint. It takes
 * precedence over the installed binder of this class:
 *
 * <pre>{@code
 * Options options = Options.builder().binder(new JacksonBinder(mapper)).build();
 * }</pre>
 *
 * <p>To use another mapper for the whole process, register a subclass as a service ({@code provides
 * dev.repartee.json.Binder with ...}, or {@code META-INF/services/dev.repartee.json.Binder}):
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
 * <p>A mapper changes the types that it binds, with all that is inside of them, except types of
 * other binders. Records without such annotations that stand alone or in types of core are bound by
 * core, which uses the {@linkplain JsonTypes#naming naming of the endpoint}. The default mapper
 * uses that naming, too; a mapper of yours has its own {@code PropertyNamingStrategy}.
 */
public class JacksonBinder implements Binder {
  /** The mapper of the user, null for the default. */
  private final @Nullable JsonMapper given;

  /** Makes a binder with the mapper of {@link #builder()}. */
  public JacksonBinder() {
    this.given = null;
  }

  /**
   * Makes a binder that uses copies of a mapper. A copy also reads and writes {@link
   * dev.repartee.json.Json}, and does not indent, since a line break would end a message under line
   * framing.
   */
  public JacksonBinder(JsonMapper mapper) {
    this.given = mapper;
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
  public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
    JsonMapper mapper = types.keep(this, () -> mapper(types));
    JavaType declared = mapper.constructType(declared(type));
    return JacksonType.of(mapper, declared, types);
  }

  /**
   * Makes the mapper of a registry when the first type is bound: Jackson is slow to load, and may
   * never be needed.
   */
  private JsonMapper mapper(JsonTypes types) {
    JsonMapper.Builder builder = given == null ? builder() : given.rebuild();
    if (given == null && types.naming() != Naming.AS_DECLARED) {
      builder.propertyNamingStrategy(new EndpointNaming(types.naming()));
    }
    return builder.addModule(new JsonModule(this, types)).build();
  }

  /** Returns the type itself, or the enum of a constant that has a separate class. */
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
   * Returns the position among the binders: the last one for this class itself, since it binds
   * almost any type; 0 for subclasses.
   */
  @Override
  public int order() {
    return getClass() == JacksonBinder.class ? Integer.MAX_VALUE : 0;
  }
}
