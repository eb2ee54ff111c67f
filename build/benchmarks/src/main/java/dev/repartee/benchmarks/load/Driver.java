package dev.repartee.benchmarks.load;

import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Calls through a client library: sends the next call as soon as one is answered. */
public final class Driver implements LoadClient {
  private static final int RAMP = 10;
  private static final int PATIENCE_SECONDS = 20;

  /** Opens a connection of the library. */
  public interface Connector {
    Connection connect(Address server, Workload workload) throws Exception;
  }

  /**
   * A connection of the library, with its defaults; the {@link Driver} calls from several threads.
   *
   * @param closing closes it
   * @param starting makes one call, and reports its answer or failure once
   * @param blocks whether {@code starting} reports the answer before it returns
   */
  public record Connection(Closeable closing, Starting starting, boolean blocks) {
    /** Makes a connection with calls that report their answers later. */
    public static Connection of(Closeable closing, Starting starting) {
      return new Connection(closing, starting, false);
    }

    /** Makes a connection with calls that wait; each returns whether its answer is as expected. */
    public static Connection blocking(Closeable closing, Callable<Boolean> calling) {
      return new Connection(closing, done -> done.done(calling.call()), true);
    }
  }

  /** Starts a call. */
  public interface Starting {
    void start(Done done) throws Exception;
  }

  /** The callback of a call. */
  public interface Done {
    /** Reports an answer, or a failure. */
    void done(@Nullable Throwable failure);

    /** Reports an answer; an unexpected answer is a failure. */
    default void done(boolean asExpected) {
      done(asExpected ? null : new IllegalStateException("the server gave a wrong answer"));
    }

    /** Returns a callback for a future; a result must satisfy the condition. */
    default <T> BiConsumer<T, @Nullable Throwable> expecting(Predicate<T> condition) {
      return (result, failure) -> {
        if (failure != null) {
          done(failure);
        } else {
          done(condition.test(result));
        }
      };
    }
  }

  private final Connector connector;

  /** Whether latencies are recorded with several calls in flight, too. */
  private final boolean alwaysTimed;

  /** Creates a driver that records latencies with one call in flight on each connection. */
  public Driver(Connector connector) {
    this(connector, false);
  }

  private Driver(Connector connector, boolean alwaysTimed) {
    this.connector = connector;
    this.alwaysTimed = alwaysTimed;
  }

  /** Returns a driver that records latencies with any number of calls in flight. */
  public Driver timed() {
    return new Driver(connector, true);
  }

  @Override
  public Sample run(Address server, Workload workload, Shape shape, Duration time)
      throws Exception {
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < shape.connections(); i++) {
        connections.add(connector.connect(server, workload));
      }
      Sample sample = new Drive(connections, shape, alwaysTimed).run(time.toNanos());
      return new Sample(sample.rate() * workload.calls(), sample.median(), sample.tail());
    } finally {
      for (Connection connection : connections) {
        connection.closing().close();
      }
    }
  }

  /** One slice. */
  private static final class Drive {
    private final List<Flight> flights = new ArrayList<>();
    private final CountDownLatch landed;
    private final boolean timed;
    private volatile boolean counting;
    private volatile boolean over;
    private volatile @Nullable Throwable failure;

    Drive(List<Connection> connections, Shape shape, boolean alwaysTimed) {
      timed = alwaysTimed || shape.inFlight() == 1;
      for (Connection connection : connections) {
        for (int i = 0; i < shape.inFlight(); i++) {
          flights.add(new Flight(connection));
        }
      }
      landed = new CountDownLatch(flights.size());
    }

    Sample run(long nanos) throws Exception {
      long begun = System.nanoTime();
      for (Flight flight : flights) {
        flight.start();
      }
      sleepUntil(begun + nanos / RAMP);
      counting = true;
      long calls = calls();
      long started = System.nanoTime();
      sleepUntil(begun + nanos);
      calls = calls() - calls;
      double seconds = (System.nanoTime() - started) / 1e9;
      over = true;
      if (!landed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new TimeoutException(landed.getCount() + " calls were never answered");
      }
      if (failure != null) {
        throw new IllegalStateException("a call failed: " + failure, failure);
      }
      Latencies latencies = new Latencies();
      flights.forEach(flight -> latencies.add(flight.latencies));
      return latencies.sample(calls / seconds);
    }

    private long calls() {
      return flights.stream().mapToLong(flight -> flight.calls.get()).sum();
    }

    private void sleepUntil(long nanoTime) throws InterruptedException {
      TimeUnit.NANOSECONDS.sleep(nanoTime - System.nanoTime());
    }

    /** One of the calls that are always in flight. */
    private final class Flight implements Done {
      private static final Latencies NONE = new Latencies();

      private final Connection connection;
      private final Latencies latencies = timed ? new Latencies() : NONE;
      final AtomicLong calls = new AtomicLong();
      private long sentAt;

      Flight(Connection connection) {
        this.connection = connection;
      }

      void start() {
        if (connection.blocks()) {
          new Thread(this::callOnAndOn, "flight").start();
        } else {
          call();
        }
      }

      private void callOnAndOn() {
        while (!over) {
          call();
        }
        landed.countDown();
      }

      private void call() {
        sentAt = timed ? System.nanoTime() : 0;
        try {
          connection.starting().start(this);
        } catch (Throwable e) {
          done(e); // any exception or error of the library is a failed call
        }
      }

      @Override
      public void done(@Nullable Throwable cause) {
        if (cause != null) {
          failure = cause;
          over = true;
        } else {
          calls.lazySet(calls.getPlain() + 1);
        }
        if (timed && counting) {
          latencies.record(System.nanoTime() - sentAt);
        }
        if (connection.blocks()) {
          return;
        }
        if (over) {
          landed.countDown();
        } else {
          call();
        }
      }
    }
  }
}
