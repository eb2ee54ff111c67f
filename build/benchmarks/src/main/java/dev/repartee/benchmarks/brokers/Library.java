package dev.repartee.benchmarks.brokers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Caller;
import dev.repartee.benchmarks.load.Driver;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

  /** The time of a handler that does not answer immediately. */
  int HANDLER_MILLIS = 5;

  /** The time after which a call fails, as with Repartee. */
  int TIMEOUT_SECONDS = 60;

  /** A client with futures for calls. */
  interface FutureCaller extends Caller {
    /** Sends a call; the future fails after {@link #TIMEOUT_SECONDS}. */
    CompletableFuture<byte[]> send() throws IOException;

    @Override
    default boolean call() throws Exception {
      return isAnswer(send().get());
    }

    @Override
    default void call(Driver.Done done) throws Exception {
      send().whenComplete(done.expecting(Library::isAnswer));
    }
  }

  /** Connects a client. */
  Caller connect(String uri) throws Exception;

  /**
   * Starts a worker, and returns when it receives calls.
   *
   * @param bound 0 for a handler that answers immediately, on the thread that delivers; otherwise
   *     the maximum number of running handlers, each of which sleeps {@link #HANDLER_MILLIS}
   */
  Closeable serve(String uri, int bound) throws Exception;

  static boolean isAnswer(byte[] body) {
    return Arrays.equals(body, ANSWER);
  }

  /** Does the work of a handler that does not answer immediately. */
  static void work() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(HANDLER_MILLIS);
  }

  /** Sends an answer. */
  interface Answer {
    void send() throws IOException;
  }

  /** The handlers of a worker; see {@link #serve}. */
  final class Handlers implements Closeable {
    private final int bound;
    private final ExecutorService threads;

    Handlers(int bound) {
      this.bound = bound;
      this.threads = Executors.newFixedThreadPool(Math.max(1, bound));
    }

    void handle(Answer answer) throws IOException {
      if (bound == 0) {
        answer.send();
      } else {
        threads.execute(() -> answerLater(answer));
      }
    }

    private static void answerLater(Answer answer) {
      try {
        work();
        answer.send();
      } catch (InterruptedException | IOException e) {
        e.printStackTrace(); // the log of the benchmark; the call is never answered
      }
    }

    @Override
    public void close() {
      threads.shutdown();
    }
  }
}
