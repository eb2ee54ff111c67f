package dev.repartee.stream;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Sets the {@link Streaming} of a method whose result is a stream of items, in a service or in the
 * interface of a proxy. Without it {@link Streaming#DEFAULT} applies. Annotate the method, or the
 * method of an interface that it implements.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Streamed {
  /**
   * The name of the notifications that carry the items of a {@linkplain Streaming#subscription
   * subscription}; empty if the stream is none.
   */
  String subscription() default "";

  /** The name of the method that ends such a subscription. */
  String unsubscribe() default "";

  /** Whether the items travel as {@linkplain Streaming#partialResults partial results} of LSP. */
  boolean partialResults() default false;

  /** The treatment of items that arrive faster than they can be passed on. */
  Overflow overflow() default Overflow.WAIT;

  /** The size of the buffer in items; 0 for the default, see {@link Streaming#buffer(int)}. */
  int buffer() default 0;
}
