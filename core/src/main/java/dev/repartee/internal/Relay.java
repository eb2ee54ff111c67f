package dev.repartee.internal;

import java.util.function.Consumer;

/**
 * Sends the calls of a peer without a connection of its own over the connections of other peers. A
 * channel that implements this interface gets whole calls from the peer on it, in place of frames.
 * Thread-safe.
 *
 * @param <P> the type of the other peers: {@code dev.repartee.Peer}, which this package must not
 *     use
 */
public interface Relay<P> {
  /**
   * Takes a call over: sends it now or later, or fails it. Waits only as a call over a connection
   * does.
   *
   * @throws RuntimeException if the call is not taken over; its caller gets the exception
   */
  void relay(Call<P> call);

  /** Reports that a call has ended in any way, so that it need not be sent any more. */
  void ended(Call<P> call);

  /**
   * Returns the peer that carries notifications and batches now.
   *
   * @throws RuntimeException if there is none
   */
  P current();

  /** Returns the end of a sentence about a call that had no answer in time; empty if connected. */
  String state();

  /**
   * A call that waits for its answer. Its time-out, its cancellation and the end of the peer are no
   * concern of the relay: they end the call. Thread-safe.
   */
  interface Call<P> {
    /** Returns the number of the call; later calls of the same peer have higher numbers. */
    long number();

    /** Returns the name of the called method. */
    String method();

    /** Returns the number of bytes of the params. */
    int size();

    /** Returns whether the caller has declared that this call may be sent more than once. */
    boolean isIdempotent();

    /** Returns whether the call has ended. */
    boolean isDone();

    /**
     * Sends the call over a peer. The answer of that peer ends the call.
     *
     * @param lost is called in place of that, on a thread that must not block, if the connection
     *     ends before the answer
     * @throws RuntimeException if the call was not sent
     */
    void sendOver(P peer, Consumer<RuntimeException> lost);

    /** Fails the call; does nothing if it has ended. */
    void fail(Throwable cause);
  }
}
