package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.repartee.json.Json;
import java.io.Serial;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Month;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.deser.std.FromStringDeserializer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.ArrayType;

/** Makes Jackson strict where no setting does. */
final class StrictModule extends SimpleModule {
  @Serial
  private static final long serialVersionUID = 1;

  private static final Set<Class<?>> NUMBERS = Set.of(
      double.class,
      Double.class,
      float.class,
      Float.class,
      byte.class,
      Byte.class,
      Number.class); // includes every number of an untyped tree

  StrictModule() {
    super("repartee-strict");
    addDeserializer(BigDecimal.class, new Exact<>(BigDecimal.class));
    addDeserializer(BigInteger.class, new Exact<>(BigInteger.class));
    addDeserializer(OptionalDouble.class, new Optionals());
    addDeserializer(Month.class, new Months.Reader());
    addSerializer(Month.class, new Months.Writer());
    addKeyDeserializer(Month.class, new Months.Keys());
    addDeserializer(Class.class, new NoClasses<>(Class.class));
    addDeserializer(JavaType.class, new NoClasses<>(JavaType.class));
    setDeserializerModifier(new Narrowed());
  }

  /** Reads numbers without a bound by core, which limits them. */
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

  /** Accepts only numbers, as for a {@code double}. */
  private static final class Optionals extends StdScalarDeserializer<OptionalDouble> {
    Optionals() {
      super(OptionalDouble.class);
    }

    @Override
    public @Nullable Object getNullValue(DeserializationContext context) {
      return OptionalDouble.empty();
    }

    @Override
    public @Nullable Object getAbsentValue(DeserializationContext context) {
      return OptionalDouble.empty();
    }

    @Override
    public OptionalDouble deserialize(JsonParser parser, DeserializationContext context) {
      double value = parser.currentToken().isNumeric() ? parser.getDoubleValue() : Double.NaN;
      return Double.isFinite(value)
          ? OptionalDouble.of(value)
          : (OptionalDouble) context.handleUnexpectedToken(getValueType(context), parser);
    }
  }

  /** Refuses class names: naming a class would be enough to load and initialize it. */
  static final class NoClasses<T> extends StdScalarDeserializer<T> {
    NoClasses(Class<T> type) {
      super(type);
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) {
      return context.reportBadDefinition(getValueType(context), "a peer does not name classes");
    }
  }

  /** Replaces or wraps Jackson's deserializers that accept too much. */
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
      Unread unread = Unread.of(type, deserializer);
      if (unread != null) {
        return unread;
      }
      JsonToken token = deserializer instanceof FromStringDeserializer
          ? JsonToken.VALUE_STRING
          : IsoTexts.token(type);
      return token == null ? deserializer : new Shaped(deserializer, token);
    }

    @Override
    public ValueDeserializer<?> modifyArrayDeserializer(
        DeserializationConfig config,
        ArrayType type,
        BeanDescription.Supplier description,
        ValueDeserializer<?> deserializer) {
      Class<?> array = type.getRawClass();
      return array == double[].class || array == float[].class || array == byte[].class
          ? new ByCore(deserializer, array)
          : deserializer;
    }

    @Override
    public KeyDeserializer modifyKeyDeserializer(
        DeserializationConfig config, JavaType type, KeyDeserializer deserializer) {
      return StrictKeys.of(type.getRawClass(), deserializer);
    }
  }

  /** Refuses the texts "NaN" and "Infinity", and numbers that do not fit the type exactly. */
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
      return value != null && isSame(value, parser)
          ? value
          : context.handleUnexpectedToken(getValueType(context), parser);
    }

    /**
     * Whether the value is the number in the text: not one that overflowed to infinity, nor a byte
     * from 128 to 255, which Jackson reads as negative.
     */
    private static boolean isSame(Object number, JsonParser parser) {
      if (number instanceof BigDecimal decimal) {
        Bounds.check(decimal);
      }
      return number instanceof Byte octet
          ? octet.intValue() == parser.getIntValue()
          : Double.isFinite(((Number) number).doubleValue()) || number instanceof BigDecimal;
    }
  }

  /** Lets core read arrays of numbers. A byte array may still be a text in Base64. */
  private static final class ByCore extends DelegatingDeserializer {
    private final Class<?> type;

    ByCore(ValueDeserializer<?> deserializer, Class<?> type) {
      super(deserializer);
      this.type = type;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
      return new ByCore(deserializer, type);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
      return type == byte[].class && parser.currentToken() != JsonToken.START_ARRAY
          ? super.deserialize(parser, context)
          : JsonModule.read(parser).as(type);
    }
  }

  /**
   * Accepts for dates and times only texts in ISO 8601, and for years only numbers, unless an
   * annotation sets another shape.
   */
  private static final class Shaped extends DelegatingDeserializer {
    private final JsonToken token;

    Shaped(ValueDeserializer<?> deserializer, JsonToken token) {
      super(deserializer);
      this.token = token;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
      return new Shaped(deserializer, token);
    }

    @Override
    public ValueDeserializer<?> createContextual(
        DeserializationContext context, @Nullable BeanProperty property) {
      ValueDeserializer<?> inner = context.handleSecondaryContextualization(
          _delegatee, property, context.constructType(handledType()));
      JsonFormat.Value format = findFormatOverrides(context, property, handledType());
      return format.hasPattern() || isOther(format.getShape()) ? inner : new Shaped(inner, token);
    }

    private boolean isOther(JsonFormat.Shape shape) {
      return switch (shape) {
        case NUMBER, NUMBER_INT, NUMBER_FLOAT, ARRAY -> token == JsonToken.VALUE_STRING;
        case STRING -> token != JsonToken.VALUE_STRING;
        default -> false;
      };
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
      if (parser.currentToken() != token) {
        return context.handleUnexpectedToken(getValueType(context), parser);
      }
      return token != JsonToken.VALUE_STRING || IsoTexts.isOne(handledType(), parser.getString())
          ? super.deserialize(parser, context)
          : context.handleWeirdStringValue(handledType(), parser.getString(), "not ISO 8601");
    }
  }
}
