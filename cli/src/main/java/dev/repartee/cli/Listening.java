package dev.repartee.cli;

import dev.repartee.Endpoint;
import dev.repartee.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.Option;

/** Where a command serves, until a signal or the end of standard input. */
final class Listening {
  @Option(
      names = "--listen",
      paramLabel = "URI",
      description = {
        "Where to listen: http://HOST:PORT/PATH, https: with #cert=FILE&key=FILE, tcp://HOST:PORT,"
            + " unix:PATH, or stdio: until end of input; port 0 takes a free one; may be repeated.",
        "#lenient=NAME behind the URI tolerates what clients get wrong: null-params, missing-version, or"
            + " all.",
        "Each is told on standard error once it is served: listening on URI."
      })
  List<String> uris = new ArrayList<>();

  /** Netty logs each frame of a stream that was reset. A client could fill the disk with such lines. */
  private static final class IgnoredFrames {
    static final Logger LOGGER =
        Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder");
  }

  private final Servers servers = new Servers();

  /** What is served. */
  @FunctionalInterface
  interface Served extends AutoCloseable {
    /**
     * Serves it at one more endpoint.
     *
     * @throws IOException if that cannot be bound
     * @throws IllegalArgumentException if no transport knows it
     */
    Server listen(String uri) throws IOException;

    /** Lets go of what it needed; nothing is served any more. */
    @Override
    default void close() {}
  }

  /**
   * Serves that to the end.
   *
   * @param otherwise the endpoint where none is named
   * @param source makes what is served, when it is settled where its standard output leads
   * @return one of {@link Exit}
   */
  int serve(Stdio stdio, String otherwise, Supplier<Served> source) throws InterruptedException {
    List<Endpoint> endpoints = endpoints(otherwise);
    if (endpoints.stream().anyMatch(Listening::isStdio)) {
      System.setOut(System.err); // whatever prints must not stand between the messages
    }
    try (Served served = source.get()) {
      Thread hook = new Thread(() -> terminate(served), "terminate");
      Runtime.getRuntime().addShutdownHook(hook);
      try (servers) {
        listen(endpoints, served, stdio);
        servers.join();
      } finally {
        remove(hook);
      }
    }
    return Exit.OK;
  }

  private List<Endpoint> endpoints(String otherwise) {
    try {
      List<Endpoint> endpoints = (uris.isEmpty() ? List.of(otherwise) : uris)
          .stream().map(Endpoint::parse).toList();
      if (endpoints.stream().filter(Listening::isStdio).count() > 1) {
        throw Failure.usage("there is one standard input; say --listen stdio: once");
      }
      return endpoints;
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  private static boolean isStdio(Endpoint endpoint) {
    return endpoint.scheme().equals("stdio");
  }

  /** Binds all before it tells of any: who sees the first line finds the others served too. */
  private void listen(List<Endpoint> endpoints, Served served, Stdio stdio) {
    List<String> lines = new ArrayList<>();
    for (Endpoint endpoint : endpoints) {
      Server server = listen(endpoint, served);
      servers.add(server);
      lines.add("listening on " + server.endpoint());
    }
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
      // Who said no endpoint may not know how to say another one.
      String how = uris.isEmpty() ? ": --listen http://127.0.0.1:0/" : "";
      throw Failure.endpoint(
          "cannot listen on " + endpoint, new IOException(Failure.reason(e) + how, e));
    }
  }

  /** What a signal does: drains, and exits 0 where the JVM itself would say 128 and more. */
  private void terminate(Served served) {
    servers.close();
    served.close();
    Runtime.getRuntime().halt(Exit.OK);
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException terminating) {
      // Then the hook ends the process.
    }
  }
}
