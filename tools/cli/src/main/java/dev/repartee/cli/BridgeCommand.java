package dev.repartee.cli;

import dev.repartee.Options;
import dev.repartee.bridge.Bridge;
import dev.repartee.cli.openrpc.ValidateOption;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.CredentialOptions;
import dev.repartee.cli.options.HeaderOptions;
import dev.repartee.cli.options.Listening;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code repartee bridge}: serves the methods of one endpoint at other endpoints until it is
 * stopped.
 */
@Command(description = """
        Forwards messages between clients and a backend, over any transport and in any message \
        format on each side, until SIGTERM or SIGINT (Ctrl-C). Every client that can reach an \
        endpoint of --listen can call the backend. The default is http://127.0.0.1:8645/, for \
        HTTP and WebSocket clients of this machine only.""", footer = """
          repartee bridge --to tcp://127.0.0.1:7001
          repartee bridge --listen unix:./app.sock --to http://127.0.0.1:8645/
          repartee bridge --per-client --to 'exec:clangd --log=error#envelope=lsp' \\
              --listen 'ws://127.0.0.1:0/#envelope=lsp'
              # a separate language server for each WebSocket
          repartee bridge --listen 'tcp://127.0.0.1:7001#envelope=jsonrpc-1.0' \\
              --to tcp://127.0.0.1:7000
          repartee bridge --listen stdio: --to unix:./daemon.sock
          repartee bridge --validate openrpc.json --to tcp://127.0.0.1:7001
          repartee bridge --to nats://127.0.0.1/math
          repartee bridge --to amqp://guest@127.0.0.1/math
              # HTTP clients call workers behind a broker
          repartee bridge --listen unix:./build.sock \\
              --to ssh://ada@build.example.org/bin/server
          repartee bridge --to tcp://127.0.0.1:7001 --to tcp://127.0.0.1:7002
              # equal backends: clients use them in turn, and another one if one is lost\
        """)
final class BridgeCommand extends Subcommand {
  /** The time limit for backends behind a broker, where the loss of a worker is not reported. */
  private static final Duration BROKER_TIMEOUT = Duration.ofMinutes(10);

  /** The maximum time to check a value, on a thread that reads other connections, too. */
  private static final Duration CHECK = Duration.ofSeconds(2);

  @Mixin
  final Listening listening = new Listening();

  @Option(names = "--to", paramLabel = "URI", required = true, description = """
          The backend, as for call: http://HOST:PORT/PATH, ws://..., tcp://..., unix:PATH, \
          exec:COMMAND, ssh://HOST/COMMAND, nats://HOST/SUBJECT, amqp://USER@HOST/QUEUE, \
          zmq+tcp://HOST:PORT, xmpp://ACCOUNT/SERVICE. May be repeated for equivalent backends, or \
          name them as 'URI|URI'.
          #envelope=NAME and #framing=NAME apply to each side separately. Use #envelope=lsp on \
          both sides for a language server.""")
  List<String> to = new ArrayList<>();

  @Option(names = "--per-client", description = """
          Open a separate connection, or process, for each client. It ends with the connection of \
          the client. By default all clients share a backend, and its notifications are sent to \
          all of them.""")
  boolean perClient;

  @Option(names = "--clients", paramLabel = "N", description = """
          With --per-client, the number of clients at a time. Default: ${DEFAULT-VALUE}.""")
  int clients = 128;

  @Option(names = "--timeout", paramLabel = "TIME", description = """
          The time limit of each call, from its arrival to its answer: 300ms, 2s, 1m, at most \
          24h. After it the caller gets the error -32006, and the call is cancelled at the \
          worker; a broker drops it if no worker has received it.
          Default: 10m for nats:, amqp:, zmq+tcp: and xmpp:, where a lost worker is not detected; \
          none for all others, where calls end with their connection.""")
  @Nullable Duration timeout;

  @Option(names = "--pass-header", paramLabel = "NAME", description = """
          Pass this header field of clients on to a backend over HTTP or behind a broker; may be \
          repeated. By default none is passed on: with Authorization, Cookie or Forwarded the \
          backend could mistake the bridge for its client.""")
  List<String> passed = new ArrayList<>();

  @Mixin
  final HeaderOptions headers = new HeaderOptions(new CredentialOptions.ForBackend());

  @Mixin
  final ValidateOption validate = new ValidateOption();

  @Override
  public Integer call() throws InterruptedException {
    return listening.serve(stdio, Listening.DEFAULT_ENDPOINT, this::open);
  }

  private Listening.Served open() {
    Bridge bridge = connected();
    return Listening.Served.of(bridge::listen, bridge::close);
  }

  private Bridge connected() {
    try {
      for (String uri : backends()) {
        if (Endpoint.parse(uri).scheme().equals("stdio")) {
          throw Failure.usage(
              "stdio: cannot be a backend; use --listen stdio: or --to exec:COMMAND");
        }
      }
      Bridge.Builder bridge = Bridge.to(backends().toArray(String[]::new))
          .backendOptions(listening.backend(backendOptions()))
          .clientOptions(validate.addTo(listening.guarded(Options.DEFAULT, stdio), CHECK))
          .passHeaders(passed.toArray(String[]::new))
          .timeout(timeout());
      return (perClient ? bridge.perClient(clients) : bridge).open();
    } catch (IOException e) {
      throw Connection.unreachable(String.join(" and ", to), e);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  private List<String> backends() {
    return to.stream().flatMap(each -> Endpoint.alternatives(each).stream()).toList();
  }

  private Options backendOptions() {
    Options first = headers.addTo(Options.DEFAULT, backends().get(0), stdio);
    for (String uri : backends()) {
      if (!headers.addTo(Options.DEFAULT, uri, stdio).headers().equals(first.headers())) {
        throw Failure.usage(
            "--netrc has different passwords for these backends; start one bridge for each");
      }
    }
    return first;
  }

  private Duration timeout() {
    if (timeout != null) {
      return timeout;
    }
    boolean hasBroker = backends().stream()
        .anyMatch(uri -> uri.matches("(?i)(nats(\\+tls)?|amqps?|zmq\\+tcp|xmpp):.*"));
    return hasBroker ? BROKER_TIMEOUT : Duration.ZERO;
  }
}
