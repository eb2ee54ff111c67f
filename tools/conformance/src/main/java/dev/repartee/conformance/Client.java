package dev.repartee.conformance;

/** A client to check. */
@FunctionalInterface
public interface Client {
  /**
   * Calls {@code subtract} with 42 and 23 on a new connection, and closes the connection. Runs on a
   * separate thread, which is interrupted at the time limit.
   *
   * @param uri the endpoint of the server
   * @return the result, as text
   * @throws Exception if there is no result: the server answered with an error or with an invalid
   *     response
   */
  String call(String uri) throws Exception;
}
