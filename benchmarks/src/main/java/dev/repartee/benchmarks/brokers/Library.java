package dev.repartee.benchmarks.brokers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Driver;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A library that calls and serves through a broker. All send the same texts; those that know
 * nothing of JSON-RPC have prepared them.
 */
interface Library {
  /** The request of those that know nothing of JSON-RPC. */
  byte[] REQUEST = "{\"jsonrpc\":\"2.0\",\"id\":100000,\"method\":\"subtract\",\"params\":[42,23]}"
      .getBytes(UTF_8);

  /** Its answer. */
  byte[] ANSWER = "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":100000}".getBytes(UTF_8);

  /** The time of a handler that does not answer at once. */
  int HANDLER_MILLIS = 5;

  /** The time after which a call fails: that of Repartee. */
  int TIMEOUT_SECONDS = 60;

  /** A client. The {@link Driver} calls from several threads. */
  interface Caller extends AutoCloseable {
    /** Makes a call and waits for its answer; returns whether that is the right one. */
    boolean call() throws Exception;

    /** Starts a call. */
    void call(Driver.Done done) throws Exception;

    @Override
    void close() throws IOException;
  }

  /** Connects a client. */
  Caller connect(String uri) throws Exception;

  /**
   * Starts a worker, and returns when it takes calls.
   *
   * @param bound 0 for a handler that answers at once, on the thread that delivers; otherwise the
   *     most handlers that run at the same time, each of which sleeps {@link #HANDLER_MILLIS}
   */
  Closeable serve(String uri, int bound) throws Exception;

  static boolean isAnswer(byte[] body) {
    return Arrays.equals(body, ANSWER);
  }

  /** Does the work of a handler that does not answer at once. */
  static void work() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(HANDLER_MILLIS);
  }
}
