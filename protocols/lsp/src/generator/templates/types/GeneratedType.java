package dev.repartee.generator.template.types;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the types that are generated from the model of the protocol. They read and write
 * themselves.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface GeneratedType {
  /** Whether JSON null is read as null; not for the results of requests that always have one. */
  boolean nullable() default true;
}
