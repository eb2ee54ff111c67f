package dev.repartee.cli;

import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.cli.options.Arguments;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.json.Json;
import dev.repartee.message.ParsedFrame;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code repartee call}: makes one call and prints its result on standard output. */
@Command(description = """
        Calls a method and prints its result as one JSON text on standard output, or with --stream \
        each item of a stream on a line.""", footer = """
          repartee call http://127.0.0.1:8645/ subtract 42 23
          repartee call unix:./app.sock subtract --named minuend=42 \\
              --named subtrahend=23
          repartee call http://127.0.0.1:8645/ get_data \\
              --header 'Authorization: Bearer TOKEN'
          repartee call ws://127.0.0.1:8645/ sleep 100 --timeout 2s
          repartee call 'https://127.0.0.1:8643/#ca=cert.pem' whoami
          repartee call http://127.0.0.1:8645/ rpc.discover      # lists the methods
          echo '[{"any":"value"}]' | repartee call http://127.0.0.1:8645/ echo \\
              --params -
          repartee call http://127.0.0.1:8645/ echo --params @params.json
          repartee call 'tcp://127.0.0.1:7001#framing=content-length' get_data -v -v
          repartee call tcp://127.0.0.1:7001 numbers 1000 --stream | head -3
          # a worker behind a NATS server
          repartee call nats://127.0.0.1/math add 1 2
          # a worker behind RabbitMQ
          repartee call amqp://guest@127.0.0.1/math add 1 2
          repartee call \\
              'ssh://ada@build.example.org/bin/repartee serve --listen stdio:' \\
              sum 1 2 3
          repartee call ws://127.0.0.1:8546/ eth_subscribe newHeads \\
              --subscribe eth_subscription,eth_unsubscribe
          repartee call 'exec:clangd#framing=content-length' initialize \\
              --params '{"processId":null,"rootUri":null,"capabilities":{}}'

        Exit codes: 0 result, 1 error response (the error object is on standard error), 2 usage,
        3 cannot connect, 4 timeout or connection lost, 5 the peer broke the protocol,
        6 out of memory.""")
final class CallCommand extends CallingCommand {
  @Mixin
  final Connection.First first = new Connection.First();

  @Mixin
  final Arguments arguments = new Arguments();

  @Mixin
  final Items items = new Items();

  @Override
  Items items() {
    return items;
  }

  @Override
  public Integer call() {
    arguments.check();
    checkItems();
    Json params = arguments.json(stdio.in());
    Recorder recorder =
        new Recorder(Connection.dialect(arguments.uri), raw || items.areExpected()) {
          @Override
          void decoded(ParsedFrame frame) {
            items.reportStray(frame, stdio);
          }
        };
    Stopwatch watch = connection.begin(stdio);
    Peer peer = connection.open(arguments.uri, Service.NONE, options(recorder), first, stdio);
    try {
      watch.lap("connected");
      return call(peer, arguments.uri, arguments.method, params, watch);
    } finally {
      if (items.areExpected()) {
        connection.begin(); // for the close: the old limit has passed long ago
      }
      connection.close(peer);
    }
  }

  private void checkItems() {
    if (items.areExpected()) {
      Connection.requireJsonRpc2("a stream", arguments.uri);
    }
    if (items.areExpected() && raw) {
      throw Failure.usage("--raw prints one response, but a stream has items; leave out --raw");
    }
    items.form();
  }
}
