package dev.repartee.spring;

import dev.repartee.HttpRoutes;
import dev.repartee.servlet.RpcServlet;
import jakarta.servlet.http.HttpServlet;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** One servlet for all paths, on the web server of the application. */
@AutoConfiguration(after = {RpcServiceAutoConfiguration.class, RpcMcpAutoConfiguration.class})
@ConditionalOnClass({HttpServlet.class, ServletRegistrationBean.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
class RpcServletAutoConfiguration {
  /** The servlet is not registered if there is nothing to serve. */
  @Bean
  ServletRegistrationBean<RpcServlet> rpcServlet(
      RpcServices services,
      CallerContexts contexts,
      ObjectProvider<RpcRoute> others,
      ReparteeProperties properties) {
    HttpRoutes.Builder routes = HttpRoutes.builder();
    services.addTo(routes);
    List<String> paths = new ArrayList<>(services.paths());
    others.forEach(other -> {
      if (paths.contains(other.path())) {
        throw new RpcSetupException(
            "The path '" + other.path() + "' of repartee.mcp.path is also the path of a bean with"
                + " @RpcService.",
            "Choose another path for one of the two.",
            null);
      }
      routes.at(other.path(), other.peers());
      paths.add(other.path());
    });
    RpcServlet.Builder servlet = RpcServlet.builder()
        .routes(routes.build())
        .options(services.options())
        .hosts(properties.hosts().toArray(String[]::new))
        .origins(properties.origins().toArray(String[]::new))
        .notificationStatus(properties.notificationStatus())
        .attributes(request -> contexts.capture());
    if (properties.subprotocol() != null) {
      servlet.subprotocol(properties.subprotocol());
    }
    ServletRegistrationBean<RpcServlet> registration =
        new ServletRegistrationBean<>(new RpcServlet(servlet), paths.toArray(String[]::new));
    registration.setName("repartee");
    registration.setLoadOnStartup(1);
    registration.setEnabled(!paths.isEmpty());
    return registration;
  }

  @Bean
  ServerSource servletServer(ServletRegistrationBean<RpcServlet> rpcServlet) {
    return () ->
        rpcServlet.isEnabled() ? Objects.requireNonNull(rpcServlet.getServlet()).server() : null;
  }

  /** The check that no controller has a path of the servlet, which would hide it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RequestMappingHandlerMapping.class, DispatcherServletPath.class})
  static class OfMvc {
    @Bean
    SmartInitializingSingleton rpcPathCheck(
        ServletRegistrationBean<RpcServlet> rpcServlet,
        ObjectProvider<DispatcherServletPath> dispatcher,
        ObjectProvider<RequestMappingHandlerMapping> mappings) {
      return () -> {
        DispatcherServletPath servlet = dispatcher.getIfAvailable();
        String prefix = servlet == null ? "" : servlet.getPrefix();
        mappings.forEach(mapping -> mapping.getHandlerMethods().forEach((info, method) -> {
          for (String pattern : info.getPatternValues()) {
            String path = prefix + pattern;
            if (rpcServlet.getUrlMappings().contains(path)) {
              throw new RpcSetupException(
                  "The path '" + path
                      + "' of a bean with @RpcService or of repartee.mcp.path is also"
                      + " the path of the controller method " + method.getShortLogMessage() + ".",
                  "Choose another path for one of the two.",
                  null);
            }
          }
        }));
      };
    }
  }
}
