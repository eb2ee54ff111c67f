package dev.repartee;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Defines how a Java parameter or record component appears in JSON. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Param {
  /** The name in JSON; if empty, the Java name, which {@code javac -parameters} keeps. */
  String value() default "";

  /**
   * The default value as JSON text, such as {@code "10"} or {@code "\"asc\""}. If empty, the
   * parameter is required, unless its type is an optional.
   */
  String defaultsTo() default "";

  /** A description in a sentence, for people or models that call the method; none if empty. */
  String description() default "";
}
