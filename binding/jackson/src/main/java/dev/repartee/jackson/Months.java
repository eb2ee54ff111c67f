package dev.repartee.jackson;

import java.time.Month;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/**
 * Reads and writes months by name, like all other enums. By default Jackson uses numbers for them.
 */
final class Months {
  private static final Map<String, Month> BY_NAME =
      Stream.of(Month.values()).collect(Collectors.toMap(Month::name, Function.identity()));

  private Months() {}

  /** Reads a month. */
  static final class Reader extends StdScalarDeserializer<Month> {
    Reader() {
      super(Month.class);
    }

    @Override
    public @Nullable Month deserialize(JsonParser parser, DeserializationContext context) {
      if (parser.currentToken() != JsonToken.VALUE_STRING) {
        return (Month) context.handleUnexpectedToken(getValueType(context), parser);
      }
      Month month = BY_NAME.get(parser.getString());
      return month == null
          ? (Month) context.handleWeirdStringValue(Month.class, parser.getString(), "no month")
          : month;
    }
  }

  /** Writes a month. */
  static final class Writer extends StdScalarSerializer<Month> {
    Writer() {
      super(Month.class);
    }

    @Override
    public void serialize(Month month, JsonGenerator generator, SerializationContext context) {
      generator.writeString(month.name());
    }
  }

  /** Reads a month as a map key. */
  static final class Keys extends KeyDeserializer {
    @Override
    public @Nullable Object deserializeKey(String name, DeserializationContext context) {
      Month month = BY_NAME.get(name);
      return month == null ? context.handleWeirdKey(Month.class, name, "no month") : month;
    }
  }
}
