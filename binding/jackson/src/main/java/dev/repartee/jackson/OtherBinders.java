package dev.repartee.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.repartee.json.Binder;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnknownMembers;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.Deserializers;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.ser.Serializers;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Has Jackson read and write the types of other {@link Binder}s by these binders. Without it a type
 * that a binder of the user knows would be written as a bean of Jackson's, often as an empty
 * object, where it is a member of another bean. Generic types are left to Jackson. Thread-safe.
 */
final class OtherBinders {
  private final Binder own;
  private final JsonTypes types;

  /** The types of others by their class. Looked up once: Jackson keeps what it finds, too. */
  private final Map<Class<?>, Optional<JsonType<@Nullable Object>>> known =
      new ConcurrentHashMap<>();

  /**
   * Creates the hooks of a mapper.
   *
   * @param own the mapper's own binder; only binders that are asked before it count
   */
  OtherBinders(Binder own, JsonTypes types) {
    this.own = own;
    this.types = types;
  }

  private @Nullable JsonType<@Nullable Object> find(JavaType type) {
    return type.hasGenericTypes()
        ? null
        : known.computeIfAbsent(type.getRawClass(), this::bind).orElse(null);
  }

  @SuppressWarnings("unchecked") // the binder answers for exactly that class
  private Optional<JsonType<@Nullable Object>> bind(Class<?> type) {
    for (Binder binder : types.binders()) {
      if (binder == own || binder.getClass() == JacksonBinder.class) {
        break; // a plain JacksonBinder binds nearly all types
      }
      JsonType<?> bound = binder.bind(type, types);
      if (bound != null) {
        return Optional.of((JsonType<@Nullable Object>) bound);
      }
    }
    return Optional.empty();
  }

  /** Returns the serializers of the types of others. */
  Serializers serializers() {
    return new Serializers.Base() {
      @Override
      public @Nullable ValueSerializer<?> findSerializer(
          SerializationConfig config,
          JavaType type,
          BeanDescription.Supplier description,
          JsonFormat.@Nullable Value format) {
        JsonType<@Nullable Object> bound = find(type);
        return bound == null ? null : new Writer(type, bound);
      }
    };
  }

  /** Returns the deserializers of the types of others. */
  Deserializers deserializers() {
    return new Deserializers.Base() {
      @Override
      public @Nullable ValueDeserializer<?> findBeanDeserializer(
          JavaType type, DeserializationConfig config, BeanDescription.Supplier description) {
        JsonType<@Nullable Object> bound = find(type);
        return bound == null ? null : new Reader(type, bound);
      }

      @Override
      public @Nullable ValueDeserializer<?> findEnumDeserializer(
          JavaType type, DeserializationConfig config, BeanDescription.Supplier description) {
        return findBeanDeserializer(type, config, description);
      }

      @Override
      public boolean hasDeserializerFor(DeserializationConfig config, Class<?> type) {
        return known.computeIfAbsent(type, OtherBinders.this::bind).isPresent();
      }
    };
  }

  private static final class Writer extends StdSerializer<Object> {
    private final JsonType<@Nullable Object> type;

    Writer(JavaType declared, JsonType<@Nullable Object> type) {
      super(declared);
      this.type = type;
    }

    @Override
    public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
      JsonWriter out = new JsonWriter();
      type.write(out, value);
      generator.writeRawValue(new String(out.toBytes(), UTF_8));
    }
  }

  private static final class Reader extends StdDeserializer<Object> {
    private final JsonType<@Nullable Object> type;

    Reader(JavaType declared, JsonType<@Nullable Object> type) {
      super(declared);
      this.type = type;
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
      byte[] json = JsonModule.read(parser).toBytes();
      boolean ignored = context.getAttribute(UnknownMembers.class) == UnknownMembers.IGNORE;
      return type.read(
          json, 0, json.length, ignored ? UnknownMembers.IGNORE : UnknownMembers.REFUSE);
    }
  }
}
