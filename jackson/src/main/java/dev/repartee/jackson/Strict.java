package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.repartee.Limits;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MutableCoercionConfig;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;
import tools.jackson.databind.type.LogicalType;

/** Jackson's settings, as strict as core is: see {@link JacksonBinder#builder}. */
final class Strict {
  /** As core bounds them: arithmetic on a long number eats the machine. */
  private static final int NUMBER_LENGTH = 1_000;

  static final JsonFactory FACTORY = JsonFactory.builder()
      .streamReadConstraints(StreamReadConstraints.builder()
          .maxNestingDepth(Limits.DEPTH)
          .maxNumberLength(NUMBER_LENGTH)
          .build())
      .streamWriteConstraints(
          StreamWriteConstraints.builder().maxNestingDepth(Limits.DEPTH).build())
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .build();

  private Strict() {}

  static JsonMapper.Builder builder() {
    JsonMapper.Builder builder = JsonMapper.builder(FACTORY)
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        // A number keeps its digits where no type says how many there are.
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
        .nodeFactory(new Bounds.Nodes())
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        // Members stand in the order of declaration, as those of core's records do.
        .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
        // What an enum says of itself to people may change; its names may not.
        .disable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
        .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
        // A time keeps the offset that it came with.
        .disable(
            DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
            DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
        .polymorphicTypeValidator(new NamesOnly())
        .annotationIntrospector(
            AnnotationIntrospector.pair(new JacksonAnnotationIntrospector(), new Required()))
        .addModule(new StrictModule());
    Stream.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class)
        .forEach(optional -> builder.withConfigOverride(
            optional,
            o -> o.setInclude(JsonInclude.Value.construct(
                JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))));
    return builder
        .withCoercionConfigDefaults(Strict::refuse)
        .withCoercionConfig(
            LogicalType.Float,
            c -> c.setCoercion(CoercionInputShape.Integer, CoercionAction.TryConvert));
  }

  private static void refuse(MutableCoercionConfig coercion) {
    for (CoercionInputShape shape : CoercionInputShape.values()) {
      coercion.setCoercion(shape, CoercionAction.Fail);
    }
  }

  /** A peer may choose among names that were declared; which class it meant is not for it to say. */
  private static final class NamesOnly extends PolymorphicTypeValidator.Base {
    private static final long serialVersionUID = 1;

    @Override
    public Validity validateBaseType(DatabindContext context, JavaType base) {
      return Validity.DENIED;
    }

    /** Asked for declared types only, of those that are told apart by their members. */
    @Override
    public Validity validateSubClassName(DatabindContext context, JavaType base, String name) {
      return Validity.ALLOWED;
    }
  }
}
