package dev.repartee.cli;

import dev.repartee.Channel;
import dev.repartee.Endpoint;
import dev.repartee.Limits;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.Transport;
import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a command reaches its peer, and how long it waits for it. */
final class Connection {
  /** More than it takes to close a connection or, by force, a child process. */
  private static final Duration CLOSING = Duration.ofSeconds(10);

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "How long it may take to connect and to be answered: 300ms, 2s, 1m, or seconds."
          + " Default: 60s.")
  Duration timeout = Duration.ofSeconds(60);

  private long end;

  @Option(names = "-v", description = "Show on standard error how long it took.")
  boolean verbose;

  @Mixin
  final HeaderOptions headers = new HeaderOptions();

  /** Starts the time of the whole command: to connect, and to be answered. */
  void begin() {
    end = System.nanoTime() + timeout.toNanos();
    Watchdog.endWithin(timeout.plus(CLOSING).toNanos());
  }

  /** Returns the rest of that time, at least one nanosecond. */
  Duration left() {
    return Duration.ofNanos(Math.max(1, nanosLeft()));
  }

  /** Returns the rest of it in nanoseconds; negative when the time is over. */
  long nanosLeft() {
    return end - System.nanoTime();
  }

  /** Measures from now on, for those who asked. */
  Stopwatch stopwatch(Stdio stdio) {
    return new Stopwatch(stdio, verbose);
  }

  /**
   * Connects to make calls, within the time-out.
   *
   * @throws Failure if the URI or a header does not make sense, or nobody is there
   */
  Peer open(String uri, Options options) {
    try {
      return dial(uri, options);
    } catch (IOException e) {
      throw unreachable(uri, e);
    }
  }

  /**
   * Connects as {@link #open} does.
   *
   * @throws IOException if nobody is there
   * @throws Failure if the URI or a header does not make sense
   */
  Peer dial(String uri, Options options) throws IOException {
    Options bounded = withTimeouts(headers.addTo(options));
    Channel channel = connect(uri, bounded);
    return Peer.open(channel, Service.NONE, bounded.at(Endpoint.parse(uri)));
  }

  /**
   * Closes in order within the rest of the time. Once it is over, only the frames that are queued have a
   * moment to leave: a peer that takes none of them must not double the time.
   */
  void close(Peer peer) {
    peer.close(shorter(Limits.DEFAULT.closeTimeout(), left()));
  }

  static Failure unreachable(String uri, IOException cause) {
    return Failure.endpoint("cannot connect to " + uri, cause);
  }

  /** Connects as {@link #open} does, to say what is no call. */
  Conversation converse(String uri) {
    try {
      return new Conversation(connect(uri, withTimeouts(headers.addTo(Options.DEFAULT))), uri);
    } catch (IOException e) {
      throw unreachable(uri, e);
    }
  }

  private static Channel connect(String uri, Options options) throws IOException {
    try {
      Endpoint endpoint = Endpoint.parse(uri);
      if (endpoint.scheme().equals("stdio")) {
        throw Failure.usage(
            "'" + uri + "' cannot be called, since standard output carries the result;"
                + " start the peer with exec:COMMAND instead");
      }
      return Transport.open(endpoint, options);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  private Options withTimeouts(Options options) {
    Limits limits = options.limits();
    return options.with(limits
        .withCallTimeout(timeout)
        .withConnectTimeout(shorter(limits.connectTimeout()))
        .withDrainTimeout(shorter(limits.drainTimeout()))
        .withCloseTimeout(shorter(limits.closeTimeout())));
  }

  private Duration shorter(Duration time) {
    return shorter(time, timeout);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
