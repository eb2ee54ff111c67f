package dev.repartee.spring;

import dev.repartee.HttpRoutes;
import dev.repartee.servlet.RpcServlet;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
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
      RpcServers servers,
      CallerContexts contexts,
      ObjectProvider<RpcRoute> others,
      ReparteeProperties properties,
      Environment environment) {
    String prefix = prefix(environment.getProperty("spring.mvc.servlet.path", "/"));
    HttpRoutes.Builder routes = HttpRoutes.builder();
    services.addTo(routes, prefix);
    List<String> paths = new ArrayList<>(services.paths());
    others.forEach(other -> {
      RpcServices.requirePath("The property 'repartee.mcp.path'", other.path());
      if (paths.contains(other.path())) {
        throw new RpcSetupException(
            "The path '" + other.path() + "' of repartee.mcp.path is also the path of a bean with"
                + " @RpcService.",
            "Choose another path for one of the two.",
            null);
      }
      routes.at(prefix + other.path(), other.peers());
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
    ServletRegistrationBean<RpcServlet> registration = new ServletRegistrationBean<>(
        new StartedServlet(servlet, servers),
        paths.stream().map(path -> mapping(prefix + path)).toArray(String[]::new));
    registration.setName("repartee");
    registration.setLoadOnStartup(1);
    registration.setEnabled(!paths.isEmpty());
    return registration;
  }

  /**
   * Returns the prefix of all paths, which the paths of controllers have, too. Spring Security puts
   * it before the patterns of its rules; a path without it would escape the rule for the path.
   */
  private static String prefix(String servletPath) {
    int star = servletPath.indexOf('*');
    return StringUtils.trimTrailingCharacter(
        star < 0 ? servletPath : servletPath.substring(0, star), '/');
  }

  /** Returns the mapping of a path. In a mapping, "/" means all paths without another servlet. */
  private static String mapping(String path) {
    return path.equals("/") ? "" : path;
  }

  /**
   * The servlet. Its server is one of the application as soon as the container starts it, which may
   * be after the application has started (in a WAR) or never (in a mocked environment).
   */
  private static final class StartedServlet extends RpcServlet {
    private static final long serialVersionUID = 1;

    private final transient RpcServers servers;

    StartedServlet(Builder builder, RpcServers servers) {
      super(builder);
      this.servers = servers;
    }

    @Override
    public void init() {
      try {
        super.init();
      } catch (ServletException e) {
        throw new RpcSetupException(
            "A property of the web server's part cannot be used: " + e.getMessage() + ".",
            "Correct repartee.hosts, repartee.origins, repartee.subprotocol or"
                + " repartee.notification-status.",
            e);
      }
      servers.add(server(), this::init);
    }
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
            if (rpcServlet.getUrlMappings().contains(mapping(path))) {
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
