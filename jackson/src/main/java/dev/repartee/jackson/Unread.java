package dev.repartee.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.StdDeserializer;

/**
 * A type that Jackson would take for a bean though it is none, such as {@link Throwable}, whose stack trace
 * takes 700 bytes for {@code {}}, and {@link java.util.Timer}, which starts a thread.
 */
final class Unread extends StdDeserializer<Object> {
  private Unread(Class<?> type) {
    super(type);
  }

  /** Returns one in place of the deserializer of such a type, null for any other. */
  static @Nullable Unread of(Class<?> type, ValueDeserializer<?> deserializer) {
    boolean bean = deserializer instanceof BeanDeserializerBase
        && type.getModule() == Object.class.getModule();
    return bean || Throwable.class.isAssignableFrom(type) ? new Unread(type) : null;
  }

  @Override
  public Object deserialize(JsonParser parser, DeserializationContext context) {
    return context.reportBadDefinition(
        getValueType(context), "only its own class makes such objects");
  }
}
