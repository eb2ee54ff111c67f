package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.repartee.limits.Limits;
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

/** Settings that make Jackson as strict as core. See {@link JacksonBinder#builder}. */
final class Strict {
  /**
   * The maximum number of digits, as in core: arithmetic with longer numbers takes too much time.
   */
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
        // If no type says how many digits a number has, it keeps all of them.
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
        .nodeFactory(new Bounds.Nodes())
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        // Members are written in the order of declaration, like the members of core's records.
        .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
        // The toString() of an enum is for people and may change; its names may not.
        .disable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
        .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
        // A time keeps the offset that it was written with.
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

  /** Allows subtypes by declared names only. A peer must not choose a class. */
  private static final class NamesOnly extends PolymorphicTypeValidator.Base {
    private static final long serialVersionUID = 1;

    @Override
    public Validity validateBaseType(DatabindContext context, JavaType base) {
      return Validity.DENIED;
    }

    /** Called only for declared subtypes that are distinguished by their members. */
    @Override
    public Validity validateSubClassName(DatabindContext context, JavaType base, String name) {
      return Validity.ALLOWED;
    }
  }
}
