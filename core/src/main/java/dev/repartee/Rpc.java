package dev.repartee;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How a Java method appears as a method of a {@link Service} or of a {@linkplain Peer#proxy proxy}. It
 * may stand on the method itself or on the one of an interface that it implements.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Rpc {
  /** The name on the wire, which must not start with {@code rpc.}; the Java name where empty. */
  String value() default "";

  /**
   * Where it runs. The default is {@link Lane#CONCURRENT} for requests; a notification is {@link
   * Lane#ORDERED} unless this says otherwise. One element at most.
   */
  Lane[] lane() default {};

  /** Whether a proxy sends it as a notification, which is never answered. For {@code void} methods. */
  boolean notification() default false;

  /** Whether a proxy sends its arguments by name rather than by position. */
  boolean named() default false;

  /** What it does, in a sentence or two for who calls: people, or a model. Nothing is said where empty. */
  String description() default "";
}
