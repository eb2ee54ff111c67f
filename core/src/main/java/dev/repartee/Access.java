package dev.repartee;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/** The way to methods of users, whose classes need not be public. */
final class Access {
  private Access() {}

  /**
   * A handle on a method, or on the one it implements where only that can be reached.
   *
   * @throws IllegalArgumentException if neither can
   */
  static MethodHandle handle(Method method) {
    Method reachable = reachable(method.getDeclaringClass(), method);
    try {
      return MethodHandles.lookup()
          .unreflect(reachable == null ? method : reachable)
          .asFixedArity();
    } catch (IllegalAccessException e) {
      throw refused(method.getDeclaringClass(), "it", e); // callers say what it is
    }
  }

  /** The method itself, or the same one of an interface or superclass, whichever lets us in. */
  private static @Nullable Method reachable(Class<?> type, Method method) {
    Method same = same(type, method);
    if (same != null && same.trySetAccessible()) {
      return same;
    }
    Method above = null;
    for (Class<?> parent : type.getInterfaces()) {
      above = above == null ? reachable(parent, method) : above;
    }
    Class<?> superclass = type.getSuperclass();
    return above == null && superclass != null ? reachable(superclass, method) : above;
  }

  /** The method of that name and those parameters that the class itself declares, or null. */
  static @Nullable Method same(Class<?> type, Method method) {
    try {
      return type.getDeclaredMethod(method.getName(), method.getParameterTypes());
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** Whether the JDK lets this module use the class without being opened anything. */
  static boolean isPublic(Class<?> type) {
    for (Class<?> c = type; c != null; c = c.getDeclaringClass()) {
      if (!Modifier.isPublic(c.getModifiers())) {
        return false;
      }
    }
    return type.getModule().isExported(type.getPackageName(), Access.class.getModule());
  }

  /**
   * A default method as its interface has it, whatever the receiver's class makes of it: a handle of
   * the type (Object, Object[])Object.
   *
   * @throws IllegalArgumentException if it cannot be reached
   */
  static MethodHandle special(Method method) {
    Class<?> owner = method.getDeclaringClass();
    Access.class.getModule().addReads(owner.getModule()); // reflection implies it, handles do not
    try {
      return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
          .unreflectSpecial(method, owner)
          .asFixedArity()
          .asSpreader(Object[].class, method.getParameterCount())
          .asType(methodType(Object.class, Object.class, Object[].class));
    } catch (IllegalAccessException e) {
      throw refused(owner, owner.getTypeName() + "." + method.getName(), e);
    }
  }

  static IllegalArgumentException refused(Class<?> owner, String what, Exception cause) {
    return new IllegalArgumentException(
        what
            + " cannot be called from the module dev.repartee: make it and its class public and export"
            + " the package, or declare 'opens "
            + owner.getPackageName()
            + " to dev.repartee'",
        cause);
  }
}
