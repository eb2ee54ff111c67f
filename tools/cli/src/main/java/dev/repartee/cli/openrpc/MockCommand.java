package dev.repartee.cli.openrpc;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.CredentialOptions;
import dev.repartee.cli.options.Listening;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.openrpc.mock.MockOptions;
import dev.repartee.openrpc.mock.MockService;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee mock}: serves the methods of a document without an implementation. */
@Command(description = """
        Serves the methods of an OpenRPC document without an implementation, until SIGTERM or \
        SIGINT (Ctrl-C): for tests of clients, and to try an API that does not exist yet. The \
        default endpoint is http://127.0.0.1:8645/.

        Params that do not fit their schemas are refused with -32602. Each answer is the result \
        of the example with the same params, otherwise of the first example, otherwise a value \
        that fits the schema of the result. Streams send this value three times. rpc.discover \
        returns the document. Methods without a value answer with -32603; standard error names \
        them at the start.""", footer = """
          repartee mock openrpc.json
          repartee mock openrpc.json --listen tcp://127.0.0.1:7001 --seed 7
          repartee mock http://127.0.0.1:8645/ --listen http://127.0.0.1:0/
              # imitates a server that describes itself
          repartee mock shop.json --refs schemas

        Exit codes: 0 stopped, 2 usage or no valid document, or no value fits the schema of a \
        result, 3 cannot connect or listen, 4 timeout or connection lost, 5 the peer broke the \
        protocol.""")
public final class MockCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "URI|FILE", description = DocumentOptions.SOURCE)
  String source = "";

  @Mixin
  final Listening listening = new Listening();

  @Mixin
  final DocumentOptions options =
      new DocumentOptions(new Connection(new CredentialOptions.ForBackend()));

  @Option(names = "--seed", paramLabel = "N", description = """
          The seed of the generated values: the same document and seed give the same values. \
          Default: ${DEFAULT-VALUE}.""")
  long seed;

  @Override
  public Integer call() throws InterruptedException {
    if (source.equals("-") && listening.isStdio()) {
      throw Failure.usage("standard input has the document; serve at another endpoint");
    }
    return listening.serve(stdio, Listening.DEFAULT_ENDPOINT, this::served);
  }

  private Listening.Served served() {
    OpenRpc document = options.document(source, stdio);
    MockOptions mock = MockOptions.DEFAULT
        .seed(seed)
        .warnings((method, warning) -> stdio.say(method + ": " + warning));
    Service service;
    try {
      service = MockService.of(document, mock);
    } catch (OpenRpcException e) {
      throw DocumentOptions.unusable(source, e);
    }
    Options guarded = listening.guarded(Options.DEFAULT, stdio);
    Options discovery =
        guarded.toBuilder().layer(MockService.discovery(document)).build();
    return uri -> Repartee.listen(uri, service, discovery);
  }
}
