package dev.repartee.internal;

import org.jspecify.annotations.Nullable;

/**
 * A layer that only checks calls, and can accept most of them by the text of their params and
 * results. If it is the only layer, core skips it for an accepted call of a Java method that has no
 * {@code Call} parameter and returns its result. Any other call passes through the layer.
 * Thread-safe.
 *
 * <p>If the result of a call is not accepted or cannot be written, the layer handles the call after
 * its method has run: its {@code next} returns the result then.
 */
public interface TextChecks {
  /** Returns the checks for calls of a method; null if the layer has to handle them all. */
  @Nullable OfMethod ofMethod(String name);

  /** The checks for calls of a method. The texts are valid JSON, and belong to the caller. */
  interface OfMethod {
    /**
     * Returns whether the layer would pass a call on.
     *
     * @param from the start of the params; {@code to} if there are none
     */
    boolean acceptsParams(byte[] text, int from, int to);

    /** Returns whether the layer would return a result, and do nothing else. */
    boolean acceptsResult(byte[] text, int from, int to);
  }
}
