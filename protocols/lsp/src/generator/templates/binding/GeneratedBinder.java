package dev.repartee.generator.template.binding;

import dev.repartee.generator.template.types.GeneratedType;
import dev.repartee.json.Binder;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Binds the generated types, which read and write themselves. */
public final class GeneratedBinder implements Binder {
  /** Creates the binder; {@link java.util.ServiceLoader} does. */
  public GeneratedBinder() {}

  @Override
  public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
    return type instanceof Class<?> raw && raw.isAnnotationPresent(GeneratedType.class)
        ? GeneratedMapping.of(raw)
        : null;
  }

  @Override
  public boolean claims(Class<? extends Annotation> annotation) {
    return annotation == GeneratedType.class;
  }
}
