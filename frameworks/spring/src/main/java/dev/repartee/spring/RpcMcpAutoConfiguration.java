package dev.repartee.spring;

import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.McpTool;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Beans with {@link McpTool} as a server of the Model Context Protocol. */
@AutoConfiguration(after = RpcServiceAutoConfiguration.class)
@ConditionalOnClass(McpServer.class)
@ConditionalOnProperty("repartee.mcp.path")
class RpcMcpAutoConfiguration {
  @Bean
  McpServer mcpServer(
      ConfigurableListableBeanFactory factory,
      RpcServices services,
      ReparteeProperties properties,
      Environment environment) {
    String given = properties.mcp().name();
    String name =
        given != null ? given : environment.getProperty("spring.application.name", "application");
    McpServer.Builder server =
        McpServer.builder(name, properties.mcp().version()).options(services.options());
    for (String bean : factory.getBeanDefinitionNames()) {
      if (!ScopedProxyUtils.isScopedTarget(bean) && hasTools(factory.getType(bean, false))) {
        add(server, services, bean, factory.getBean(bean));
      }
    }
    return server.build();
  }

  @Bean
  RpcRoute mcpRoute(McpServer server, ReparteeProperties properties) {
    return new RpcRoute(String.valueOf(properties.mcp().path()), server.peers());
  }

  private static boolean hasTools(@Nullable Class<?> type) {
    return type != null && tools(ClassUtils.getUserClass(type)).findAny().isPresent();
  }

  private static Stream<Method> tools(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.isAnnotationPresent(McpTool.class));
  }

  private static void add(
      McpServer.Builder server, RpcServices services, String name, Object bean) {
    try {
      Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
      ServedMethods.requireAspects(bean, type, tools(type));
      addTools(server, type, bean);
      services.addTools(type);
    } catch (IllegalArgumentException | ClassCastException e) {
      throw new RpcSetupException(
          "The bean '" + name + "' cannot offer tools of MCP: " + e.getMessage() + ".",
          "Change the method with @McpTool, or remove the annotation.",
          e);
    }
  }

  private static <T> void addTools(McpServer.Builder server, Class<T> type, Object bean) {
    server.tools(type, type.cast(bean));
  }
}
