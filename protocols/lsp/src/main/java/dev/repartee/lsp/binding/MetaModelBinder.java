package dev.repartee.lsp.binding;

import dev.repartee.json.Binder;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.lsp.types.MetaModelType;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Binds the generated types, which read and write themselves. */
public final class MetaModelBinder implements Binder {
  /** Creates the binder; {@link java.util.ServiceLoader} does. */
  public MetaModelBinder() {}

  @Override
  public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
    return type instanceof Class<?> raw && raw.isAnnotationPresent(MetaModelType.class)
        ? MetaModelMapping.of(raw)
        : null;
  }

  @Override
  public boolean claims(Class<? extends Annotation> annotation) {
    return annotation == MetaModelType.class;
  }
}
