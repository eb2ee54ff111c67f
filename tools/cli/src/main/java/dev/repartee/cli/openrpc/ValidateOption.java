package dev.repartee.cli.openrpc;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.InputFile;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.openrpc.OpenRpcLayer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of servers to check the calls of their clients against a document. */
public final class ValidateOption {
  @Option(names = "--validate", paramLabel = "FILE", description = """
          Check each call against the OpenRPC document in this file. Params that do not fit are \
          refused with -32602; the data of the error has the place and the reason. Results that \
          do not fit are reported on standard error.""")
  public @Nullable String validate;

  @Option(names = "--refuse-results", description = """
          With --validate: answer with -32603 instead of a result that does not fit.""")
  boolean refuseResults;

  /**
   * Returns options with the check, if there is one.
   *
   * @param time the maximum time to check a value
   * @throws Failure if the file has no valid document
   */
  public Options addTo(Options options, Duration time) {
    String file = validate;
    if (file == null) {
      if (refuseResults) {
        throw Failure.usage("--refuse-results needs a document: --validate FILE");
      }
      return options;
    }
    OpenRpc document;
    try {
      document =
          OpenRpc.parse(InputFile.bytes(file, DocumentOptions.MOST, DocumentOptions.TOO_LARGE, ""));
    } catch (OpenRpcException e) {
      throw DocumentOptions.unusable(file, e);
    }
    return options.toBuilder()
        .layer(OpenRpcLayer.builder(document)
            .results(refuseResults ? OpenRpcLayer.Results.REFUSED : OpenRpcLayer.Results.REPORTED)
            .listener(Listener.LOG)
            .time(time)
            .build())
        .build();
  }
}
