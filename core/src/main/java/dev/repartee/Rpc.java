package dev.repartee;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Defines how a Java method appears as a method of a {@link Service} or of a {@linkplain Peer#proxy
 * proxy}. Annotate the method, or the method of an interface that it implements. In a service, the
 * annotation of one method leaves out all methods without it; see {@link Service#of(Object)}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Rpc {
  /**
   * The method name in requests, which must not start with {@code rpc.}; if empty, the Java name.
   */
  String value() default "";

  /**
   * The lane of the method; at most one element. If empty, requests run in {@link Lane#CONCURRENT}
   * and notifications in {@link Lane#ORDERED}.
   */
  Lane[] lane() default {};

  /**
   * Whether a proxy sends the call as a notification, without an answer. For {@code void} methods.
   * {@code rpc.discover} describes such a method of a service without a result, which marks a
   * notification in OpenRPC. A request is answered all the same.
   */
  boolean notification() default false;

  /** Whether a proxy sends the arguments by name instead of by position. */
  boolean named() default false;

  /**
   * Whether the method's only parameter, besides the {@link Call}, is the params as a whole: {@code
   * initialize(InitializeParams params)} accepts {@code {"params":{"processId":1,...}}}. A proxy
   * sends its only argument in the same way.
   *
   * <p>Without this mark, a service also reads the params as a whole where they cannot mean
   * something else: the only parameter has an object type with known members, such as a record,
   * none of which has the name of the parameter, and the params are not an object with the
   * parameter's name as its only member.
   */
  boolean paramsObject() default false;

  /**
   * Whether handling a call of the method twice has the same effect as once. A proxy of a peer that
   * reconnects may then send it again; see {@link CallBuilder#idempotent}. A service behind a
   * message broker handles a message again that a lost worker may have handled.
   */
  boolean idempotent() default false;

  /**
   * A description in one or two sentences, for people or models that call the method; none if
   * empty.
   */
  String description() default "";
}
