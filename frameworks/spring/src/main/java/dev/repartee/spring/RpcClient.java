package dev.repartee.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes an interface a bean whose methods call another service, as {@link
 * dev.repartee.Peer#proxy} does. Interfaces are found in the packages of the application, where
 * Spring Boot looks for entities and repositories, too.
 *
 * <p>The connection is opened in the background and opened again when it is lost; see {@link
 * dev.repartee.reconnect.Reconnecting}. Interfaces with the same URI, time limit and TLS bundle
 * have separate connections. The application starts even if the other service does not run. {@link
 * RpcClientCustomizer} beans add header fields and other options.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface RpcClient {
  /**
   * Returns the URI of the service, such as {@code ws://pricing:8080/rpc}. Property placeholders
   * such as <code>${pricing.uri}</code> are resolved. The schemes {@code http}, {@code ws} and
   * their forms with TLS need the module {@code repartee-netty}.
   */
  String uri();

  /**
   * Returns the time limit of a call, in the notation of Spring Boot, such as {@code 5s}. Property
   * placeholders are resolved. Empty for the default of {@link dev.repartee.limits.Limits}.
   */
  String timeout() default "";

  /**
   * Returns the name of an SSL bundle of Spring Boot (<code>spring.ssl.bundle.*</code>): with the
   * trusted authorities, and with the certificate and the key of the client if it has them. While
   * the client exists, they are in PEM files that only the user of the process may read. Empty for
   * the default of the transport: the authorities of the JDK.
   */
  String sslBundle() default "";
}
