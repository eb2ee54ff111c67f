package dev.repartee.jackson;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.SchemaDefinitions;
import dev.repartee.json.UnknownMembers;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.impl.UnsupportedTypeSerializer;

/**
 * The binding of one type. Jackson reads directly from the bytes of the frame and writes directly
 * into the frame.
 */
final class JacksonType implements JsonType<@Nullable Object> {
  private final JavaType type;
  private final ObjectReader reader;

  /** Skips unknown members. */
  private final ObjectReader lenient;

  private final ObjectWriter writer;
  private final Fault fault;
  private final Json schema;
  private final JsonTypes types;

  private JacksonType(JsonMapper mapper, JavaType type, JsonTypes types) {
    this.type = type;
    this.types = types;
    this.fault = new Fault(mapper);
    // The bytes are known to be one value; nothing can follow it. The endpoint decides about
    // unknown members, not the mapper.
    this.reader = mapper
        .readerFor(type)
        .without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    this.lenient = reader
        .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .withAttribute(UnknownMembers.class, UnknownMembers.IGNORE);
    this.writer = mapper
        .writerFor(type)
        .with(SerializationFeature.WRAP_EXCEPTIONS, SerializationFeature.FAIL_ON_EMPTY_BEANS)
        .without(SerializationFeature.INDENT_OUTPUT);
    this.schema = Schemas.of(mapper, type);
  }

  /** Returns the binding of a type, or null if Jackson can neither read nor write the type. */
  static @Nullable JacksonType of(JsonMapper mapper, JavaType type, JsonTypes types) {
    return isReadable(mapper, type) || isWritable(mapper, type)
        ? new JacksonType(mapper, type, types)
        : null;
  }

  private static boolean isReadable(JsonMapper mapper, JavaType type) {
    try {
      ValueDeserializer<?> found = mapper._deserializationContext().findRootValueDeserializer(type);
      return !(found instanceof AbstractDeserializer || found instanceof Unread);
    } catch (JacksonException e) {
      return false;
    }
  }

  private static boolean isWritable(JsonMapper mapper, JavaType type) {
    try {
      ValueSerializer<?> found =
          mapper._serializationContext().findTypedValueSerializer(type, true);
      return !(found instanceof UnknownSerializer
          || found instanceof UnsupportedTypeSerializer
          || found instanceof Unwritten);
    } catch (JacksonException e) {
      return false;
    }
  }

  @Override
  public @Nullable Object read(byte[] bytes, int from, int to) {
    return read(reader, bytes, from, to);
  }

  @Override
  public @Nullable Object read(byte[] bytes, int from, int to, UnknownMembers unknown) {
    return read(unknown == UnknownMembers.IGNORE ? lenient : reader, bytes, from, to);
  }

  private @Nullable Object read(ObjectReader reader, byte[] bytes, int from, int to) {
    try (JsonParser parser = reader.createParser(bytes, from, to - from)) {
      parser.streamReadContext().assignCurrentValue(new Slice(bytes, from, to));
      return read(reader, parser);
    }
  }

  private @Nullable Object read(ObjectReader reader, JsonParser parser) {
    try {
      return reader.readValue(parser);
    } catch (InvalidDefinitionException e) {
      throw new IllegalStateException(Fault.undefined("read", type, e), e);
    } catch (JacksonException e) {
      throw fault.of(e);
    } catch (JsonException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new JsonException(Fault.UNFIT, e); // thrown by user code that rejects the value
    }
  }

  @Override
  public void write(JsonWriter out, @Nullable Object value) {
    if (value == null) {
      out.nil();
      return;
    }
    Object fitting = type.getRawClass().cast(value);
    try (JsonGenerator generator = new FiniteGenerator(writer.createGenerator(new Sink(out)))) {
      writer.writeValue(generator, fitting);
    } catch (JacksonException e) {
      if (e.getCause() instanceof RuntimeException own && !(own instanceof JacksonException)) {
        throw own; // of a getter, or of the frame that is full: Jackson has only added the place
      }
      throw new IllegalArgumentException(Fault.undefined("write", type, e), e);
    }
  }

  @Override
  public Json schema() {
    return schema;
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return type.isEnumType() && type.getRawClass().isEnum()
        ? definitions.named(type.getRawClass(), types, () -> schema)
        : schema;
  }
}
