package dev.repartee.cli;

import dev.repartee.Endpoint;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code repartee serve}: a service at one or more endpoints, until it is told to stop. */
@Command(
    name = "serve",
    description = {
      "Serves the demo methods, or those of any class, until SIGTERM or SIGINT (Ctrl-C): to HTTP and"
          + " WebSocket clients of this machine, unless told otherwise.",
      "",
      "Demo methods: subtract(minuend, subtrahend), add(a, b), sum(values...),",
      "update(values...), notify_hello(n), notify_sum(values...), get_data(), echo(value),",
      "sleep(millis), fail(code, message, data?), countdown(from), ask(method, params?), whoami()."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee serve",
      "  repartee serve --listen http://127.0.0.1:0/",
      "  repartee serve --listen 'https://127.0.0.1:8643/#cert=cert.pem&key=key.pem'",
      "  repartee serve --listen tcp://127.0.0.1:7001 --listen unix:./app.sock",
      "  repartee serve --listen 'unix:./app.sock#framing=content-length'",
      "  repartee serve --class java.lang.Math",
      "  repartee serve --class com.example.Shop --classpath target/classes:lib/money.jar",
      "  echo '{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1,2,4],\"id\":\"1\"}' |",
      "      repartee serve --listen stdio:"
    })
final class ServeCommand implements Callable<Integer> {
  static final String DEFAULT_ENDPOINT = "http://127.0.0.1:8645/";

  @Option(
      names = "--listen",
      paramLabel = "URI",
      description = {
        "Where to listen: http://HOST:PORT/PATH (WebSocket too), https: with #cert=FILE&key=FILE,"
            + " tcp://HOST:PORT, unix:PATH, or stdio: until end of input; port 0 takes a free one; may"
            + " be repeated. Default: " + DEFAULT_ENDPOINT + ".",
        "Each is told on standard error once it is served: listening on URI."
      })
  List<String> uris = new ArrayList<>();

  @Mixin
  final ServedClass served = new ServedClass();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  private final Stdio stdio;
  private final Servers servers = new Servers();

  private ServeCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  static CommandLine line(Stdio stdio) {
    return new CommandLine(new ServeCommand(stdio));
  }

  @Override
  public Integer call() throws InterruptedException {
    List<Endpoint> endpoints = endpoints();
    if (endpoints.stream().anyMatch(ServeCommand::isStdio)) {
      System.setOut(System.err); // whatever prints must not stand between the messages
    }
    Service service = service();
    Thread hook = new Thread(this::terminate, "terminate");
    Runtime.getRuntime().addShutdownHook(hook);
    try (servers) {
      listen(endpoints, service);
      servers.join();
    } finally {
      remove(hook);
    }
    return Exit.OK;
  }

  private Service service() {
    Service service = served.service(stdio);
    return service == null ? Service.of(new Demo()) : service;
  }

  private List<Endpoint> endpoints() {
    try {
      List<Endpoint> endpoints = (uris.isEmpty() ? List.of(DEFAULT_ENDPOINT) : uris)
          .stream().map(Endpoint::parse).toList();
      if (endpoints.stream().filter(ServeCommand::isStdio).count() > 1) {
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
  private void listen(List<Endpoint> endpoints, Service service) {
    List<String> lines = new ArrayList<>();
    for (Endpoint endpoint : endpoints) {
      Server server = listen(endpoint, service);
      servers.add(server);
      lines.add("listening on " + server.endpoint());
    }
    lines.forEach(stdio.err()::println);
  }

  private Server listen(Endpoint endpoint, Service service) {
    try {
      return Repartee.listen(endpoint.toString(), service);
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
  private void terminate() {
    servers.close();
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
