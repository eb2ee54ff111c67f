package dev.repartee;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
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

  /** A summary in a few words for lists of methods; none if empty. */
  String summary() default "";

  /** The groups of the method in documentation. */
  String[] tags() default {};

  /**
   * An error with which a method may answer, for {@code rpc.discover}. It changes no answer: throw
   * an {@link RpcException} with this code. The pre-defined errors of JSON-RPC need no annotation.
   */
  @Documented
  @Repeatable(Errors.class)
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface Error {
    /** The code; no other error of the method has it. */
    int code();

    /** The message, one short sentence. */
    String message();

    /** The type of the data; the document has its schema. {@code Void} for no data. */
    Class<?> data() default Void.class;
  }

  /**
   * An example of a call, for {@code rpc.discover}. It is checked when the service is made: params
   * and result have to fit the method.
   *
   * <pre>{@code
   * @Rpc.Example(name = "a small difference", params = "[42, 23]", result = "19")
   * public int subtract(int minuend, int subtrahend) {
   *   return minuend - subtrahend;
   * }
   * }</pre>
   */
  @Documented
  @Repeatable(Examples.class)
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface Example {
    /** The name, such as {@code "a small difference"}. */
    String name();

    /** The params, a JSON array or object; empty for a call without params. */
    String params() default "";

    /**
     * The result as JSON; of a stream, one item. Empty for the result null, and for a notification,
     * which has no result.
     */
    String result() default "";
  }

  /** Several {@link Error}s. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface Errors {
    /** The errors. */
    Error[] value();
  }

  /** Several {@link Example}s. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface Examples {
    /** The examples. */
    Example[] value();
  }
}
