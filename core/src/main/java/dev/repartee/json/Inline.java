package dev.repartee.json;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares that the JSON of a record with one component is the JSON of this component: {@code
 * @Inline record BlockNumber(String hex) {}} is a string. JSON {@code null} is Java's null instead
 * of a record, unless the component reads it as a value, as an {@link java.util.Optional} does.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Inline {}
