package dev.repartee.internal.reflect;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Collects the annotations of a record that may assign the record to a binder. Without
 * streams: each of their functions is a class to generate, and programs read a record at the start.
 */
public final class Annotations {
  /** The packages of core with annotations. */
  private static final Set<String> OWN = Set.of("dev.repartee", "dev.repartee.json");

  private Annotations() {}

  /**
   * Returns the annotations on the record, its interfaces and its members, except the annotations
   * of Java and of this library.
   */
  public static Set<Class<? extends Annotation>> foreign(Class<?> type) {
    Set<Class<? extends Annotation>> found = new LinkedHashSet<>();
    collect(type, found);
    return found;
  }

  private static void collect(Class<?> type, Set<Class<? extends Annotation>> found) {
    add(type, found);
    for (Field field : type.getDeclaredFields()) {
      add(field, found);
    }
    for (Method method : type.getDeclaredMethods()) {
      addAll(method, found);
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      addAll(constructor, found);
    }
    for (Class<?> parent : type.getInterfaces()) {
      collect(parent, found);
    }
  }

  private static void addAll(Executable executable, Set<Class<? extends Annotation>> found) {
    add(executable, found);
    for (Parameter parameter : executable.getParameters()) {
      add(parameter, found);
    }
  }

  private static void add(AnnotatedElement element, Set<Class<? extends Annotation>> found) {
    for (Annotation annotation : element.getDeclaredAnnotations()) {
      if (isForeign(annotation.annotationType())) {
        found.add(annotation.annotationType());
      }
    }
  }

  private static boolean isForeign(Class<? extends Annotation> annotation) {
    String name = annotation.getName();
    return !name.startsWith("java.") && !OWN.contains(annotation.getPackageName());
  }
}
