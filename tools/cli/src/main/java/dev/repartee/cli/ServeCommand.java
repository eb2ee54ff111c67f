package dev.repartee.cli;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.cli.openrpc.ValidateOption;
import dev.repartee.cli.options.Listening;
import dev.repartee.cli.options.ServedClass;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Stdio;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code repartee serve}: serves at one or more endpoints until it is stopped. */
@Command(description = """
        Serves the demo methods, or the methods of any class, until SIGTERM or SIGINT (Ctrl-C). \
        The default endpoint is http://127.0.0.1:8645/, for HTTP and WebSocket clients of this \
        machine only.

        Demo methods: subtract(minuend, subtrahend), add(a, b), sum(values...), \
        update(values...), notify_hello(n), notify_sum(values...), get_data(), echo(value), \
        sleep(millis), fail(code, message, data?), countdown(from), numbers(count), \
        ask(method, params?), whoami().""", footer = """
          repartee serve
          repartee serve --listen http://127.0.0.1:0/
          repartee serve --listen 'https://127.0.0.1:8643/#cert=cert.pem&key=key.pem'
          repartee serve --listen 'http://127.0.0.1:8645/#origins=http://localhost:3000'
              # the web pages of that origin may call; #hosts=NAME adds a host name
          repartee serve --listen tcp://127.0.0.1:7001 --listen unix:./app.sock
          repartee serve --listen 'unix:./app.sock#framing=content-length'
          repartee serve --listen nats://127.0.0.1/math
          repartee serve --listen 'amqp://guest@127.0.0.1/math#prefetch=16'
              # a worker behind a broker; start as many as you like
          repartee serve --listen \\
              'ssh://127.0.0.1:2222#hostkey=host_key&authorized=authorized_keys'
          repartee serve --validate openrpc.json
          repartee serve --class java.lang.Math
          repartee serve --class com.example.Shop \\
              --classpath target/classes:lib/money.jar
          echo '{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"}' |
              repartee serve --listen stdio:\
        """)
final class ServeCommand extends Subcommand {
  @Mixin
  final Listening listening = new Listening();

  @Mixin
  final ServedClass served = new ServedClass();

  @Mixin
  final ValidateOption validate = new ValidateOption();

  /**
   * Parses {@code serve --listen URI}, with one or more endpoints, without the parser. Loading the
   * parser takes longer than starting to serve, and a program that starts a server waits until it
   * serves.
   *
   * @return the command, or null if the arguments need the parser
   */
  static @Nullable ServeCommand plain(Stdio stdio, String... args) {
    if (args.length < 3 || args.length % 2 == 0 || !args[0].equals("serve")) {
      return null;
    }
    ServeCommand command = new ServeCommand();
    command.use(stdio);
    for (int i = 1; i < args.length; i += 2) {
      if (!args[i].equals("--listen") || args[i + 1].startsWith("-")) {
        return null;
      }
      command.listening.uris.add(args[i + 1]);
    }
    return command;
  }

  /** Runs the command and returns its exit code, one of {@link Exit}. */
  int run() {
    try {
      return call();
    } catch (Exception e) {
      return Commands.failed(stdio, e, "serve");
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    return listening.serve(stdio, Listening.DEFAULT_ENDPOINT, () -> {
      Options guarded = listening.guarded(Options.DEFAULT, stdio);
      Options options = validate.addTo(guarded, Duration.ofSeconds(30));
      Service service = service();
      return uri -> Repartee.listen(uri, service, options);
    });
  }

  private Service service() {
    Service service = served.service(stdio);
    return service == null ? Service.of(new Demo()) : service;
  }
}
