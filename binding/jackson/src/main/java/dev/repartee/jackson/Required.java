package dev.repartee.jackson;

import java.io.Serial;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;

/**
 * Makes every parameter of a constructor required, unless its type is optional or an annotation
 * says otherwise.
 */
final class Required extends NopAnnotationIntrospector {
  @Serial
  private static final long serialVersionUID = 1;

  private static final Set<Class<?>> OPTIONALS =
      Set.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class);

  @Override
  public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
    return member instanceof AnnotatedParameter && !OPTIONALS.contains(member.getRawType())
        ? true
        : null;
  }
}
