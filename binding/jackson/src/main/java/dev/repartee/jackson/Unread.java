package dev.repartee.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.StdDeserializer;

/**
 * Refuses a type that Jackson would read as a bean although it is not one. Examples are
 * {@link Throwable}, with a stack trace of 700 bytes for {@code {}}, and {@link java.util.Timer},
 * which starts a thread.
 */
final class Unread extends StdDeserializer<Object> {
  private Unread(Class<?> type) {
    super(type);
  }

  /** Returns a deserializer that refuses such a type, or null for any other type. */
  static @Nullable Unread of(Class<?> type, ValueDeserializer<?> deserializer) {
    boolean bean =
        deserializer instanceof BeanDeserializerBase || Throwable.class.isAssignableFrom(type);
    return bean && isNoBean(type) ? new Unread(type) : null;
  }

  /**
   * Returns whether a class has no JSON form unless somebody gives it one: a class of Java's, or a
   * thread or exception of anybody's.
   */
  static boolean isNoBean(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null
        || loader == ClassLoader.getPlatformClassLoader()
        || type.getName().startsWith("javax.")
        || Thread.class.isAssignableFrom(type)
        || Throwable.class.isAssignableFrom(type);
  }

  @Override
  public Object deserialize(JsonParser parser, DeserializationContext context) {
    return context.reportBadDefinition(
        getValueType(context), "only its own class makes such objects");
  }
}
