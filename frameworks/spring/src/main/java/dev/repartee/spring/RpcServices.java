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
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.ScopeNotActiveException;
import org.springframework.util.ClassUtils;

/** The services of the application: the beans with {@link RpcService} by path, and their options. */
final class RpcServices implements SmartInitializingSingleton {
  private static final Pattern PATH =
      Pattern.compile("/|(/(?!\\.{1,2}(/|$))[A-Za-z0-9._~!$&'()+,:@=-]+)+/?");

  private final SortedMap<String, List<ServedBean>> beans = new TreeMap<>();
  private final ConfigurableListableBeanFactory factory;
  private final Options options;

  /** The classes of beans with tools of MCP. */
  private final Set<Class<?>> tools = ConcurrentHashMap.newKeySet();

  /**
   * Finds and binds the beans.
   *
   * @throws RpcSetupException if a bean cannot be served, or two beans of a path have one method
   */
  RpcServices(ConfigurableListableBeanFactory factory, Options options) {
    this.factory = factory;
    this.options = options;
    for (String name : factory.getBeanNamesForAnnotation(RpcService.class)) {
      if (!ScopedProxyUtils.isScopedTarget(name)) {
        ServedBean bean = ServedBean.of(name, bean(factory, name));
        String path = path(factory, bean);
        beans.computeIfAbsent(path, p -> new ArrayList<>()).add(bean);
      }
    }
    beans.values().forEach(RpcServices::requireDistinct);
  }

  /**
   * Refuses beans that are not found before they are made, since their bean method returns a type
   * without the annotation.
   */
  @Override
  public void afterSingletonsInstantiated() {
    Set<String> served = beans.values().stream()
        .flatMap(List::stream)
        .map(ServedBean::name)
        .collect(Collectors.toSet());
    for (String name : factory.getBeanDefinitionNames()) {
      Object bean = factory.getSingleton(name);
      if (bean == null || served.contains(name) || ScopedProxyUtils.isScopedTarget(name)) {
        continue;
      }
      Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
      if (ServedBean.annotation(type).isPresent()) {
        throw new RpcSetupException(
            "The bean '" + name + "' (" + type.getName() + ") has @RpcService but is not served,"
                + " because its bean method returns another type.",
            "Change the return type of the bean method to a type with @RpcService.",
            null);
      }
    }
  }

  private static Object bean(ConfigurableListableBeanFactory factory, String name) {
    try {
      return factory.getBean(name);
    } catch (ScopeNotActiveException e) {
      throw new RpcSetupException(
          "The bean '" + name
              + "' has a scope that begins with a request, but it is served from the" + " start.",
          "Let Spring make a proxy, as @RequestScope does: @Scope(value = \"request\", proxyMode ="
              + " ScopedProxyMode.TARGET_CLASS).",
          e);
    }
  }

  private static String path(ConfigurableListableBeanFactory factory, ServedBean bean) {
    String owner = "The bean " + bean.shown();
    String given = ServedBean.annotation(bean.type()).getString("value");
    try {
      String path = String.valueOf(factory.resolveEmbeddedValue(given));
      requirePath(owner, path);
      return path;
    } catch (IllegalArgumentException e) {
      throw new RpcSetupException(
          owner + " has no path: " + e.getMessage() + ".",
          "Set the property, or give it a default, as in ${path:/rpc}.",
          e);
    }
  }

  /**
   * Requires a path that requests can have as it is: neither a pattern, nor with characters that
   * are encoded, nor with segments that containers remove.
   *
   * @param owner the bean or property with the path
   */
  static void requirePath(String owner, String path) {
    if (!PATH.matcher(path).matches()) {
      throw new RpcSetupException(
          owner + " has the path '" + path + "', which is not a path.",
          "Begin the path with '/' and use letters, digits and hyphens without a pattern, as in"
              + " '/rpc'.",
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

  /** Adds the paths, below a prefix, with their services. */
  void addTo(HttpRoutes.Builder routes, String prefix) {
    byPath().forEach((path, service) -> routes.at(prefix + path, service, options));
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

  /** Counts beans of a class as served: they have tools of MCP. */
  void addTools(Class<?> type) {
    tools.add(type);
  }

  /** Returns whether a class is the class of a served bean. */
  boolean serves(Class<?> type) {
    Class<?> user = ClassUtils.getUserClass(type);
    return Stream.concat(
            beans.values().stream().flatMap(List::stream).map(ServedBean::type), tools.stream())
        .anyMatch(user::isAssignableFrom);
  }
}
