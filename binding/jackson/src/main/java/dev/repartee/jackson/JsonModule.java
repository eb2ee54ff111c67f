package dev.repartee.jackson;

import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.Serial;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.json.UTF8StreamJsonParser;
import tools.jackson.core.util.JsonGeneratorDelegate;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Lets Jackson read and write {@link Json} with its text unchanged, and the {@linkplain
 * OtherBinders types of other binders}; refuses to write {@linkplain Unwritten types that are no
 * data}.
 */
final class JsonModule extends SimpleModule {
  @Serial
  private static final long serialVersionUID = 1;

  private final transient OtherBinders others;

  /** Creates the module of the mapper that a binder uses for a registry. */
  JsonModule(Binder binder, JsonTypes types) {
    super("repartee-json");
    this.others = new OtherBinders(binder, types);
    addDeserializer(Json.class, new Reader());
    addSerializer(Json.class, new Writer());
    setSerializerModifier(new Unwritten.Modifier());
  }

  @Override
  public void setupModule(SetupContext context) {
    super.setupModule(context);
    context.addSerializers(others.serializers());
    context.addDeserializers(others.deserializers());
  }

  /** Reads the value at the current token of the parser. */
  static Json read(JsonParser parser) {
    Slice slice = slice(parser);
    if (slice == null) {
      return Reader.copy(parser);
    }
    Slice text = Reader.text(parser, slice);
    return Json.parse(Arrays.copyOfRange(text.bytes(), text.from(), text.to()));
  }

  /**
   * Reads the text of the value at the current token of the parser. The text is not copied if the
   * parser reads a slice: with types that nest, each level would keep a copy.
   */
  static Slice text(JsonParser parser) {
    Slice slice = slice(parser);
    if (slice != null) {
      return Reader.text(parser, slice);
    }
    byte[] copy = Reader.copy(parser).toBytes();
    return new Slice(copy, 0, copy.length);
  }

  private static @Nullable Slice slice(JsonParser parser) {
    TokenStreamContext place = parser.streamReadContext();
    while (place.getParent() != null) {
      place = place.getParent();
    }
    // Only this parser reports byte offsets in the slice. Other parsers, such as one over buffered
    // tokens, do not read the slice itself.
    return parser instanceof UTF8StreamJsonParser && place.currentValue() instanceof Slice slice
        ? slice
        : null;
  }

  private static final class Reader extends StdDeserializer<Json> {
    Reader() {
      super(Json.class);
    }

    @Override
    public Json deserialize(JsonParser parser, DeserializationContext context) {
      return read(parser);
    }

    private static Slice text(JsonParser parser, Slice slice) {
      int from = (int) parser.currentTokenLocation().getByteOffset();
      parser.skipChildren();
      parser.finishToken();
      int to = (int) parser.currentLocation().getByteOffset();
      return new Slice(slice.bytes(), slice.from() + from, slice.from() + to);
    }

    private static Json copy(JsonParser parser) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (JsonGenerator generator = new Copier(bytes)) {
        generator.copyCurrentStructure(parser);
      }
      return Json.parse(bytes.toByteArray());
    }

    @Override
    public Object deserializeWithType(
        JsonParser parser, DeserializationContext context, TypeDeserializer typed) {
      return deserialize(parser, context);
    }

    @Override
    public Json getNullValue(DeserializationContext context) {
      return Json.NULL;
    }
  }

  /** Copies numbers with all their digits; Jackson's own copy would go by way of a double. */
  private static final class Copier extends JsonGeneratorDelegate {
    Copier(OutputStream out) {
      super(Strict.FACTORY.createGenerator(ObjectWriteContext.empty(), out), false);
    }

    @Override
    protected void _copyCurrentFloatValue(JsonParser parser) {
      writeNumber(parser.getString());
    }
  }

  private static final class Writer extends StdSerializer<Json> {
    Writer() {
      super(Json.class);
    }

    @Override
    public void serialize(Json value, JsonGenerator generator, SerializationContext context) {
      generator.writeRawValue(value.toString());
    }

    @Override
    public void serializeWithType(
        Json value, JsonGenerator generator, SerializationContext context, TypeSerializer typed) {
      serialize(value, generator, context);
    }
  }
}
