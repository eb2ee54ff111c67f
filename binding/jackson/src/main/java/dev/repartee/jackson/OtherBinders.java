package dev.repartee.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.repartee.internal.reflect.Annotations;
import dev.repartee.json.Binder;
import dev.repartee.json.Inline;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.OneOf;
import dev.repartee.json.UnknownMembers;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
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
 * Makes Jackson use the other {@link Binder}s for the members of beans. Otherwise Jackson would
 * write a member with a user's binder as a bean, often as an empty object. Types with {@link OneOf}
 * or {@link Inline} are bound by core in the same way. Jackson binds generic types. Thread-safe.
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
    return type.hasGenericTypes() ? null : find(type.getRawClass()).orElse(null);
  }

  private Optional<JsonType<@Nullable Object>> find(Class<?> type) {
    Optional<JsonType<@Nullable Object>> bound = known.get(type);
    if (bound == null) { // not computeIfAbsent: binding a type may bind others
      bound = bind(type);
      known.put(type, bound);
    }
    return bound;
  }

  @SuppressWarnings("unchecked") // the binder answers for exactly that class
  private Optional<JsonType<@Nullable Object>> bind(Class<?> type) {
    if (isOfCore(type)) {
      return Optional.of(new OfCore(types, type));
    }
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

  /**
   * Returns whether annotations of core define the JSON of a type, and no annotation of Jackson
   * assigns it to this binder.
   */
  private boolean isOfCore(Class<?> type) {
    boolean declared = type.isEnum()
        ? Stream.of(type.getFields()).anyMatch(each -> each.isAnnotationPresent(OneOf.Name.class))
        : type.isAnnotationPresent(OneOf.class)
            || type.isAnnotationPresent(Inline.class)
            || Stream.of(type.getInterfaces())
                .anyMatch(each -> each.isAnnotationPresent(OneOf.class));
    return declared && (type.isEnum() || Annotations.foreign(type).stream().noneMatch(own::claims));
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

      @Override
      public @Nullable ValueSerializer<?> findEnumSerializer(
          SerializationConfig config,
          JavaType type,
          BeanDescription.Supplier description,
          JsonFormat.@Nullable Value format) {
        return findSerializer(config, type, description, format);
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
        return find(type).isPresent();
      }
    };
  }

  /** A type of core, found when it is used: it may contain the bean that is being bound. */
  private record OfCore(JsonTypes types, Class<?> type) implements JsonType<@Nullable Object> {
    @SuppressWarnings("unchecked") // used with values of exactly that class
    private JsonType<@Nullable Object> found() {
      return (JsonType<@Nullable Object>) (JsonType<?>) types.of(type);
    }

    @Override
    public @Nullable Object read(byte[] bytes, int from, int to) {
      return found().read(bytes, from, to);
    }

    @Override
    public @Nullable Object read(byte[] bytes, int from, int to, UnknownMembers unknown) {
      return found().read(bytes, from, to, unknown);
    }

    @Override
    public void write(JsonWriter out, @Nullable Object value) {
      found().write(out, value);
    }
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
      Slice text = JsonModule.text(parser);
      boolean ignored = context.getAttribute(UnknownMembers.class) == UnknownMembers.IGNORE;
      return type.read(
          text.bytes(),
          text.from(),
          text.to(),
          ignored ? UnknownMembers.IGNORE : UnknownMembers.REFUSE);
    }
  }
}
