package dev.repartee.cli;

import dev.repartee.Peer;
import dev.repartee.json.Json;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code repartee call}: makes one call and prints its result on standard output. */
@Command(
    name = "call",
    description = "Calls a method and prints its result as one JSON text on standard output.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee call http://127.0.0.1:8645/ subtract 42 23",
      "  repartee call unix:./app.sock subtract --named minuend=42 --named subtrahend=23",
      "  repartee call http://127.0.0.1:8645/ get_data --header 'Authorization: Bearer TOKEN'",
      "  repartee call ws://127.0.0.1:8645/ sleep 100 --timeout 2s",
      "  repartee call 'https://127.0.0.1:8643/#ca=cert.pem' whoami",
      "  repartee call http://127.0.0.1:8645/ rpc.discover      # lists the methods",
      "  echo '[{\"any\":\"value\"}]' | repartee call http://127.0.0.1:8645/ echo --params -",
      "  repartee call http://127.0.0.1:8645/ echo --params @params.json",
      "  repartee call 'tcp://127.0.0.1:7001#framing=content-length' get_data -v -v",
      "  repartee call 'exec:clangd#framing=content-length' initialize \\",
      "      --params '{\"processId\":null,\"rootUri\":null,\"capabilities\":{}}'",
      "",
      "Exit codes: 0 result, 1 error response (the error object is on standard error), 2 usage,",
      "3 cannot connect, 4 timeout or connection lost, 5 the peer broke the protocol,",
      "6 out of memory."
    })
final class CallCommand extends Subcommand {
  @Mixin
  final Connection connection = new Connection();

  @Mixin
  final Arguments arguments = new Arguments();

  @Mixin
  final Calls calls = new Calls();

  @Spec
  CommandSpec spec = CommandSpec.create();

  private CallCommand(Stdio stdio) {
    super(stdio);
  }

  static CommandLine line(Stdio stdio) {
    return Arguments.accept(new CommandLine(new CallCommand(stdio)));
  }

  @Override
  public Integer call() {
    arguments.check(spec);
    Json params = arguments.json(stdio.in());
    Stopwatch watch = connection.stopwatch(stdio);
    connection.begin();
    Peer peer = connection.open(arguments.uri, calls.options(new Recorder(calls.raw)), stdio);
    try {
      watch.lap("connected");
      return calls.call(peer, arguments.uri, arguments.method, params, connection, watch, stdio);
    } finally {
      connection.close(peer);
    }
  }
}
