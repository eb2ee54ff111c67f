package dev.repartee.access;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Restricts a method of a service, or all methods of a class or interface, to callers with a role
 * or scopes. The annotation of a method replaces the annotation of its class. Without elements it
 * admits every authenticated caller.
 *
 * <p>A service with this annotation refuses callers without a {@link Principal}, even if the {@link
 * dev.repartee.Options} have no {@link Access}. The error is 401 for them and 403 for others, also
 * as the status of an HTTP response to a single call. {@code rpc.discover} describes only the
 * methods that its caller may call.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Allow {
  /** Returns the roles; the caller has at least one of them. Empty if no role is needed. */
  String[] value() default {};

  /** Returns the scopes; the caller has all of them. */
  String[] scopes() default {};
}
