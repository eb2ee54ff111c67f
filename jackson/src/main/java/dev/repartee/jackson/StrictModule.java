package dev.repartee.jackson;

import dev.repartee.Json;
import java.io.Serial;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Year;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Calendar;
import java.util.Date;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.module.SimpleModule;

/** What Jackson reads more generously than a setting could forbid. */
final class StrictModule extends SimpleModule {
  @Serial
  private static final long serialVersionUID = 1;

  private static final Set<Class<?>> NUMBERS =
      Set.of(double.class, Double.class, float.class, Float.class, byte.class, Byte.class);

  StrictModule() {
    super("repartee-strict");
    addDeserializer(BigDecimal.class, new Exact<>(BigDecimal.class));
    addDeserializer(BigInteger.class, new Exact<>(BigInteger.class));
    addDeserializer(Class.class, new NoClasses());
    setDeserializerModifier(new Narrowed());
  }

  /** Numbers without bounds are read by core, which bounds them. */
  private static final class Exact<T> extends StdScalarDeserializer<T> {
    private final Class<T> type;

    Exact(Class<T> type) {
      super(type);
      this.type = type;
    }

    @Override
    public @Nullable T deserialize(JsonParser parser, DeserializationContext context) {
      return parser.currentToken().isNumeric()
          ? Json.parse(parser.getString()).as(type)
          : type.cast(context.handleUnexpectedToken(getValueType(context), parser));
    }
  }

  /** Naming a class is enough to load and initialise it. */
  @SuppressWarnings("rawtypes")
  private static final class NoClasses extends StdScalarDeserializer<Class> {
    NoClasses() {
      super(Class.class);
    }

    @Override
    public Class<?> deserialize(JsonParser parser, DeserializationContext context) {
      return context.reportBadDefinition(getValueType(context), "a peer does not name classes");
    }
  }

  private static final class Narrowed extends ValueDeserializerModifier {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public ValueDeserializer<?> modifyDeserializer(
        DeserializationConfig config,
        BeanDescription.Supplier description,
        ValueDeserializer<?> deserializer) {
      Class<?> type = description.getBeanClass();
      if (NUMBERS.contains(type)) {
        return new Numeric(deserializer);
      }
      return isTime(type) ? new Textual(deserializer) : deserializer;
    }

    private static boolean isTime(Class<?> type) {
      return type != Year.class
          && (TemporalAccessor.class.isAssignableFrom(type)
              || TemporalAmount.class.isAssignableFrom(type)
              || Date.class.isAssignableFrom(type)
              || Calendar.class.isAssignableFrom(type));
    }
  }

  /** Refuses the texts "NaN" and "Infinity", and numbers that would not stay what they are. */
  private static final class Numeric extends DelegatingDeserializer {
    Numeric(ValueDeserializer<?> deserializer) {
      super(deserializer);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
      return new Numeric(deserializer);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
      Object value = parser.currentToken() == JsonToken.VALUE_STRING
          ? null
          : super.deserialize(parser, context);
      return value instanceof Number number && isSame(number, parser)
          ? value
          : context.handleUnexpectedToken(getValueType(context), parser);
    }

    /** Not one past the largest, nor a byte from 128 to 255. */
    private static boolean isSame(Number number, JsonParser parser) {
      return number instanceof Byte
          ? number.intValue() == parser.getIntValue()
          : !Double.isInfinite(number.doubleValue());
    }
  }

  /** Reads ISO 8601 texts only, unless an annotation on the member chose another shape. */
  private static final class Textual extends DelegatingDeserializer {
    Textual(ValueDeserializer<?> deserializer) {
      super(deserializer);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
      return new Textual(deserializer);
    }

    @Override
    public ValueDeserializer<?> createContextual(
        DeserializationContext context, @Nullable BeanProperty property) {
      ValueDeserializer<?> inner = context.handleSecondaryContextualization(
          _delegatee, property, context.constructType(handledType()));
      boolean chosen =
          switch (findFormatOverrides(context, property, handledType()).getShape()) {
            case NUMBER, NUMBER_INT, NUMBER_FLOAT, ARRAY -> true;
            default -> false;
          };
      return chosen ? inner : new Textual(inner);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
      return parser.currentToken() == JsonToken.VALUE_STRING
          ? super.deserialize(parser, context)
          : context.handleUnexpectedToken(getValueType(context), parser);
    }
  }
}
