package dev.repartee.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Serves the methods of a bean with JSON-RPC: over HTTP and WebSocket at a path of the
 * application's web server, and at the endpoints of the property {@code repartee.listen}.
 *
 * <p>On a class, {@link dev.repartee.Service#of(Object)} defines which methods are served: those
 * with {@link dev.repartee.Rpc}, or all public methods if none has it. Without {@code @Rpc}, the
 * methods that Spring calls are not served: those of its interfaces, such as {@code
 * DisposableBean}, and those with {@code @PostConstruct}, {@code @PreDestroy}, {@code @EventListener}
 * or {@code @Scheduled}. On an interface, the methods
 * of that interface are served, and no others of the class that implements it. The annotation does
 * not make a bean: the class needs {@code @Component}, {@code @Service} or a bean method.
 *
 * <p>Beans with the same path make one service. The application does not start if two of them
 * have a method of the same name.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface RpcService {
  /**
   * Returns the path, without the context path of the application and without {@code
   * spring.mvc.servlet.path}, as in a controller. Property placeholders such as
   * <code>${shop.path}</code> are resolved.
   */
  String value() default "/rpc";
}
