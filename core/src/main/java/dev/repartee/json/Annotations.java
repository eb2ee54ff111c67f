package dev.repartee.json;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

/** Collects the annotations of a record that may assign the record to a {@link Binder}. */
final class Annotations {
  private Annotations() {}

  /**
   * Returns the annotations on the record, its interfaces and its members, without those of Java
   * and of this library.
   */
  static Set<Class<? extends Annotation>> foreign(Class<?> type) {
    Set<Class<? extends Annotation>> found = new LinkedHashSet<>();
    collect(type, found);
    return found;
  }

  private static void collect(Class<?> type, Set<Class<? extends Annotation>> found) {
    Stream<Executable> executables = Stream.concat(
        Stream.of(type.getDeclaredMethods()), Stream.of(type.getDeclaredConstructors()));
    Stream.of(
            Stream.of(type),
            Stream.of(type.getDeclaredFields()),
            executables.flatMap(e -> Stream.concat(Stream.of(e), Stream.of(e.getParameters()))))
        .flatMap(elements -> elements)
        .map(AnnotatedElement::getDeclaredAnnotations)
        .flatMap(Stream::of)
        .map(Annotation::annotationType)
        .filter(Annotations::isForeign)
        .forEach(found::add);
    Stream.of(type.getInterfaces()).forEach(parent -> collect(parent, found));
  }

  private static boolean isForeign(Class<? extends Annotation> annotation) {
    String name = annotation.getName();
    return !name.startsWith("java.") && annotation.getPackage() != Annotations.class.getPackage();
  }
}
