package dev.repartee.spring;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The services of the application: the beans with {@link RpcService} by path, and their options. */
final class RpcServices {
  private final SortedMap<String, List<ServedBean>> beans = new TreeMap<>();
  private final Options options;

  /**
   * Finds and binds the beans.
   *
   * @throws RpcSetupException if a bean cannot be served, or two beans of a path have one method
   */
  RpcServices(ConfigurableListableBeanFactory factory, Options options) {
    this.options = options;
    for (String name : factory.getBeanNamesForAnnotation(RpcService.class)) {
      if (!ScopedProxyUtils.isScopedTarget(name)) {
        ServedBean bean = ServedBean.of(name, factory.getBean(name));
        String path =
            factory.resolveEmbeddedValue(ServedBean.annotation(bean.type()).getString("value"));
        requirePath(bean, String.valueOf(path));
        beans.computeIfAbsent(path, p -> new ArrayList<>()).add(bean);
      }
    }
    beans.values().forEach(RpcServices::requireDistinct);
  }

  private static void requirePath(ServedBean bean, String path) {
    if (!path.startsWith("/") || path.contains("*")) {
      throw new RpcSetupException(
          "The bean " + bean.shown() + " has the path '" + path + "', which is not a path.",
          "Begin the path with '/' and use no pattern: @RpcService(\"/rpc\").",
          null);
    }
  }

  private static void requireDistinct(Collection<ServedBean> beans) {
    Map<String, ServedBean> first = new LinkedHashMap<>();
    for (ServedBean bean : beans) {
      for (RpcMethod method : bean.service().methods()) {
        ServedBean other = first.putIfAbsent(method.name(), bean);
        if (other != null) {
          throw new RpcSetupException(
              "The beans " + other.shown() + " and " + bean.shown() + " both have the method '"
                  + method.name() + "'.",
              "Give one of the two another name with @Rpc(\"...\"), or serve one bean at another path"
                  + " with @RpcService(\"...\"); endpoints of repartee.listen serve the beans of all"
                  + " paths.",
              null);
        }
      }
    }
  }

  /** Returns the options for everything that is served. */
  Options options() {
    return options;
  }

  boolean isEmpty() {
    return beans.isEmpty();
  }

  Collection<String> paths() {
    return beans.keySet();
  }

  /** Returns the methods of each path. */
  Map<String, Service> byPath() {
    Map<String, Service> services = new TreeMap<>();
    beans.forEach((path, served) -> services.put(path, merged(served)));
    return services;
  }

  /** Adds the paths with their services. */
  void addTo(HttpRoutes.Builder routes) {
    byPath().forEach((path, service) -> routes.at(path, service, options));
  }

  /**
   * Returns the methods of all paths, for endpoints without paths.
   *
   * @throws RpcSetupException if two paths have a method of the same name
   */
  Service together() {
    List<ServedBean> all = beans.values().stream().flatMap(List::stream).toList();
    requireDistinct(all);
    return merged(all);
  }

  private static Service merged(List<ServedBean> beans) {
    Service merged = Service.NONE;
    for (ServedBean bean : beans) {
      merged = merged == Service.NONE ? bean.service() : merged.and(bean.service());
    }
    return merged;
  }

  /** Returns whether a class is the class of a served bean. */
  boolean serves(Class<?> type) {
    Class<?> user = ClassUtils.getUserClass(type);
    return beans.values().stream()
        .flatMap(List::stream)
        .anyMatch(bean -> user.isAssignableFrom(bean.type()));
  }
}
