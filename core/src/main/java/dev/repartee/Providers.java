package dev.repartee;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** What is installed beside this module, as {@link ServiceLoader} finds it. */
final class Providers {
  private Providers() {}

  /**
   * The providers that the application's class loader knows, then those that only ours does; one of
   * each class.
   */
  static <T> List<T> of(Class<T> service) {
    Map<Class<?>, T> found = new LinkedHashMap<>();
    ServiceLoader.load(service).forEach(provider -> found.put(provider.getClass(), provider));
    ServiceLoader.load(service, Providers.class.getClassLoader())
        .forEach(provider -> found.putIfAbsent(provider.getClass(), provider));
    return new ArrayList<>(found.values());
  }
}
