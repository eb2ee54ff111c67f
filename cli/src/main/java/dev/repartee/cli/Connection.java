package dev.repartee.cli;

import dev.repartee.Endpoint;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How a command reaches its peer, and how long it waits for it. */
final class Connection {
  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "How long to wait for the answer: 300ms, 2s, 1m, or seconds. Default: 60s.")
  Duration timeout = Duration.ofSeconds(60);

  /**
   * Connects, within the time-out.
   *
   * @throws Failure if the URI does not make sense or nobody is there
   */
  Peer open(String uri, Options options) {
    try {
      if (Endpoint.parse(uri).scheme().equals("stdio")) {
        throw Failure.usage(
            "'" + uri + "' cannot be called, since standard output carries the result;"
                + " start the peer with exec:COMMAND instead");
      }
      return Repartee.connect(uri, Service.NONE, withTimeouts(options));
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (IOException e) {
      throw new Failure(Exit.CANNOT_CONNECT, "cannot connect to " + uri + ": " + Failure.reason(e));
    }
  }

  private Options withTimeouts(Options options) {
    Duration connect = options.limits().connectTimeout();
    return options.with(options
        .limits()
        .withCallTimeout(timeout)
        .withConnectTimeout(timeout.compareTo(connect) < 0 ? timeout : connect));
  }
}
