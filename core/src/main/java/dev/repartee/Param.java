package dev.repartee;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** How a Java parameter or record component appears on the wire. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Param {
  /** The name; the Java name (kept by {@code javac -parameters}) where empty. */
  String value() default "";

  /**
   * The value that stands in where the caller leaves the parameter out, as JSON text: {@code "10"},
   * {@code "\"asc\""}. Where empty the parameter is required, unless its type is {@code Optional}.
   */
  String defaultsTo() default "";

  /** What it means, in a sentence for who calls: people, or a model. Nothing is said where empty. */
  String description() default "";
}
