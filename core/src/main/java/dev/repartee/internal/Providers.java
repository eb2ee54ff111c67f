package dev.repartee.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** Finds the providers of services that other modules install, by {@link ServiceLoader}. */
public final class Providers {
  private Providers() {}

  /**
   * Returns the providers of the thread's context class loader, followed by the providers that only
   * the class loader of this library finds; one of each class.
   */
  public static <T> List<T> of(Class<T> service) {
    Map<Class<?>, T> found = new LinkedHashMap<>();
    ServiceLoader.load(service).forEach(provider -> found.put(provider.getClass(), provider));
    ServiceLoader.load(service, Providers.class.getClassLoader())
        .forEach(provider -> found.putIfAbsent(provider.getClass(), provider));
    return new ArrayList<>(found.values());
  }
}
