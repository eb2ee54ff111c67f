package dev.repartee.jackson;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Refuses to write a value that Jackson would write as a bean though it is none, such as a {@link
 * Thread} or an exception: its getters show the internals of the program.
 */
final class Unwritten extends StdSerializer<Object> {
  private Unwritten(Class<?> type) {
    super(type);
  }

  /** Replaces the serializers of beans by this one. */
  static final class Modifier extends ValueSerializerModifier {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public ValueSerializer<?> modifySerializer(
        SerializationConfig config,
        BeanDescription.Supplier description,
        ValueSerializer<?> serializer) {
      Class<?> type = description.getBeanClass();
      boolean refused = serializer instanceof BeanSerializerBase && Unread.isNoBean(type);
      return refused ? new Unwritten(type) : serializer;
    }
  }

  @Override
  public void serialize(
      @Nullable Object value, JsonGenerator generator, SerializationContext context) {
    context.reportBadDefinition(handledType(), Fault.noMembers(handledType().getTypeName()));
  }
}
