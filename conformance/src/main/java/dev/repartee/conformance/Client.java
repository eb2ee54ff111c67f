package dev.repartee.conformance;

/** A client, as far as it is checked. */
@FunctionalInterface
public interface Client {
  /**
   * Calls {@code subtract} with 42 and 23 at that URI, on a new connection, and ends it. Runs on a thread
   * of its own, which is interrupted when the time is over.
   *
   * @return the result, as text
   * @throws Exception if there is none: the server answered with an error, or not as it should
   */
  String call(String uri) throws Exception;
}
