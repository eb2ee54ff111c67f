package dev.repartee.cli.options;

import dev.repartee.Options;
import dev.repartee.Server;
import dev.repartee.cli.access.AccessOptions;
import dev.repartee.cli.telemetry.TelemetryOptions;
import dev.repartee.cli.terminal.ErrorLog;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.SignalHook;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The endpoints at which a command serves, until a signal or the end of standard input. */
public final class Listening {
  /** The endpoint of most servers if {@code --listen} is not given, for clients of this machine. */
  public static final String DEFAULT_ENDPOINT = "http://127.0.0.1:8645/";

  @Option(names = "--listen", paramLabel = "URI", description = """
          The endpoint to serve at: http://HOST:PORT/PATH, https: with #cert=FILE&key=FILE, \
          tcp://HOST:PORT, unix:PATH, or stdio: until end of input. Port 0 selects a free port. \
          May be repeated.
          Behind a broker, as one of several workers: nats://HOST/SUBJECT, \
          amqp://USER@HOST/QUEUE. For ZeroMQ sockets: zmq+tcp://HOST:PORT. Over XMPP: \
          xmpp:NAME@DOMAIN. For the owners of keys: ssh://HOST:PORT with \
          #hostkey=FILE&authorized=FILE.
          #lenient=NAME after the URI tolerates a deviation of clients from the specification: \
          null-params, missing-version, or all.
          A web page may call over HTTP only if #origins=ORIGIN after the URI lists its origin. \
          This includes pages from another port of this machine (#origins=http://localhost:3000). \
          With #notification-status=200, notifications over HTTP are answered with 200 instead of \
          204.
          Each endpoint is reported on standard error when it is ready: listening on URI.""")
  public List<String> uris = new ArrayList<>();

  /**
   * The logger with which Netty reports each frame of a stream that was reset. Its level is raised,
   * because a client could fill the disk with such lines. The field prevents the collection of the
   * logger, which would reset the level.
   */
  private static final class IgnoredFrames {
    static final Logger LOGGER =
        Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder");
  }

  @Mixin
  final AccessOptions access = new AccessOptions();

  @Mixin
  final TelemetryOptions telemetry = new TelemetryOptions();

  private final Servers servers = new Servers();

  /** A service that can be bound to endpoints. */
  @FunctionalInterface
  public interface Served extends AutoCloseable {
    /**
     * Serves at one more endpoint.
     *
     * @throws IOException if the endpoint cannot be bound
     * @throws IllegalArgumentException if the URI is invalid or no transport supports it
     */
    Server listen(String uri) throws IOException;

    /** Releases the resources of the service, after its servers have been closed. */
    @Override
    default void close() {}

    /** Returns a service that is released by an action. */
    static Served of(Served served, Runnable close) {
      return new Served() {
        @Override
        public Server listen(String uri) throws IOException {
          return served.listen(uri);
        }

        @Override
        public void close() {
          close.run();
        }
      };
    }
  }

  /**
   * Serves until the end.
   *
   * @param otherwise the endpoint if {@code --listen} is not given
   * @param source creates the service; called after {@code System.out} has been redirected
   * @return the exit code, one of {@link Exit}
   */
  public int serve(Stdio stdio, String otherwise, Supplier<Served> source)
      throws InterruptedException {
    List<Endpoint> endpoints = access.checked(endpoints(otherwise));
    if (endpoints.stream().anyMatch(Listening::isStdio)) {
      System.setOut(System.err); // output of the service must not mix with the messages
    }
    telemetry.start(stdio);
    try (telemetry;
        Served served = source.get()) {
      SignalHook hook = new SignalHook("terminate", () -> terminate(served));
      try (access;
          servers) {
        listen(endpoints, served, stdio);
        servers.join();
      } finally {
        hook.remove();
      }
    }
    return Exit.OK;
  }

  /**
   * Returns options with the telemetry, authentication, permissions and quotas of the command line.
   *
   * @throws Failure if one of them is invalid
   */
  public Options guarded(Options options, Stdio stdio) {
    return access.addTo(telemetry.addTo(options, false), stdio);
  }

  /**
   * Returns options like {@link #guarded} for a server of MCP.
   *
   * @throws Failure if an option of the command line is invalid
   */
  public Options guardedMcp(Options options, Stdio stdio) {
    return access.addTo(telemetry.addTo(options, true), stdio);
  }

  /** Returns the options of a connection to a backend, with the telemetry of the command line. */
  public Options backend(Options options) {
    return telemetry.backend(options);
  }

  private List<Endpoint> endpoints(String otherwise) {
    try {
      List<Endpoint> endpoints = (uris.isEmpty() ? List.of(otherwise) : uris)
          .stream().map(Endpoint::parse).toList();
      if (endpoints.stream().filter(Listening::isStdio).count() > 1) {
        throw Failure.usage("there is only one standard input; give --listen stdio: once");
      }
      return endpoints;
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  /** Returns whether standard input is one of the endpoints. */
  public boolean isStdio() {
    return uris.stream().anyMatch(uri -> uri.startsWith("stdio:"));
  }

  private static boolean isStdio(Endpoint endpoint) {
    return endpoint.scheme().equals("stdio");
  }

  /**
   * Binds all endpoints before it reports the first one. When it is reported, all endpoints are
   * ready.
   */
  private void listen(List<Endpoint> endpoints, Served served, Stdio stdio) {
    List<String> lines = new ArrayList<>();
    for (Endpoint endpoint : endpoints) {
      Server server = listen(endpoint, served);
      servers.add(server);
      telemetry.observe(server);
      lines.add("listening on " + server.endpoint());
    }
    lines.addAll(telemetry.lines());
    lines.forEach(stdio::note);
  }

  private Server listen(Endpoint endpoint, Served served) {
    if (endpoint.scheme().startsWith("http")) {
      IgnoredFrames.LOGGER.setLevel(Level.WARNING);
    }
    try {
      return served.listen(endpoint.toString());
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (IOException e) {
      // Shows the option, which a user without an endpoint on the command line may not know.
      String how = uris.isEmpty() ? ": --listen http://127.0.0.1:0/" : "";
      throw Failure.endpoint(
          "cannot listen on " + endpoint, new IOException(Failure.reason(e) + how, e));
    }
  }

  /**
   * Handles a signal: drains the servers and exits with 0. The JVM itself would exit with 128 plus
   * the number of the signal.
   */
  private void terminate(Served served) {
    servers.close();
    served.close();
    access.close();
    telemetry.close();
    Trace trace = Trace.ofProcess();
    if (trace != null) {
      trace.close(); // halt() does not wait for its last lines
    }
    ErrorLog.end();
    Runtime.getRuntime().halt(Exit.OK);
  }
}
