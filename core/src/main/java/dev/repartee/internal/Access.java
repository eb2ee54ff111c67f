package dev.repartee.internal;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/** Makes method handles for user methods, also in classes that are not public. */
public final class Access {
  private Access() {}

  /**
   * Returns a handle on a method. If the method is not accessible, returns a handle on the method
   * of a supertype that it implements or overrides.
   *
   * @throws IllegalArgumentException if none of them is accessible
   */
  public static MethodHandle handle(Method method) {
    Method reachable = reachable(method.getDeclaringClass(), method);
    try {
      return MethodHandles.lookup()
          .unreflect(reachable == null ? method : reachable)
          .asFixedArity();
    } catch (IllegalAccessException e) {
      throw refused(method.getDeclaringClass(), "it", e); // callers prepend the method's name
    }
  }

  /**
   * Returns the method, or the same method of a supertype, whichever is accessible; null if none.
   */
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

  /** Returns the method with that signature that {@code type} itself declares; null if none. */
  public static @Nullable Method same(Class<?> type, Method method) {
    try {
      return type.getDeclaredMethod(method.getName(), method.getParameterTypes());
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** Returns whether the class is public and exported, so that it is accessible without 'opens'. */
  public static boolean isPublic(Class<?> type) {
    for (Class<?> c = type; c != null; c = c.getDeclaringClass()) {
      if (!Modifier.isPublic(c.getModifiers())) {
        return false;
      }
    }
    return type.getModule().isExported(type.getPackageName(), Access.class.getModule());
  }

  /**
   * Returns a handle on a default method that ignores overrides in the receiver's class. Its type
   * is (Object, Object[])Object: the receiver and the arguments.
   *
   * @throws IllegalArgumentException if the interface is not accessible
   */
  public static MethodHandle special(Method method) {
    Class<?> owner = method.getDeclaringClass();
    Access.class.getModule().addReads(owner.getModule()); // reflection adds this edge itself
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

  public static IllegalArgumentException refused(Class<?> owner, String what, Exception cause) {
    return new IllegalArgumentException(
        what
            + " cannot be called from the module dev.repartee: make it and its class public and export"
            + " the package, or declare 'opens "
            + owner.getPackageName()
            + " to dev.repartee'",
        cause);
  }
}
