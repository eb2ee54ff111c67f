package dev.repartee.cli.openrpc;

import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Table;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.OpenRpc;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code repartee list}: lists the methods of a server or of a document. */
@Command(description = """
        Lists the methods of a server, or of an OpenRPC document: on each line the name, the \
        parameters and the result with their types, and the summary. A question mark after a \
        parameter means that it is optional, and dots that it may be repeated. Braces mean that \
        the params are passed by name only.""", footer = """
          repartee list http://127.0.0.1:8645/
          repartee list tcp://127.0.0.1:7001 sum
          repartee list openrpc.json 'eth_get*'
          repartee list http://127.0.0.1:8646/mcp        # the tools of an MCP server
          repartee list 'exec:clangd#framing=content-length'

        Exit codes: 0 ok, 2 usage or no valid document, 3 cannot connect, 4 timeout or connection \
        lost, 5 the peer broke the protocol.""")
public final class ListCommand extends Subcommand {
  @Parameters(index = "0", paramLabel = "URI|FILE", description = DocumentOptions.SOURCE)
  String source = "";

  @Parameters(index = "1", arity = "0..1", paramLabel = "PATTERN", description = """
          Only the methods with this text in their names. With * (any text) or ? (a character), \
          the pattern of a whole name.""")
  @Nullable String pattern;

  @Mixin
  final DocumentOptions options = new DocumentOptions();

  @Override
  public Integer call() {
    OpenRpc document = options.document(source, stdio);
    List<MethodDescriptor> methods = Stream.concat(
            document.methods().stream(), document.notifications().stream())
        .filter(method -> isWanted(method.name()))
        .toList();
    if (methods.isEmpty()) {
      stdio.say(pattern == null ? "no methods" : "no method matches '" + pattern + "'");
    }
    Table table = new Table();
    for (MethodDescriptor method : methods) {
      table.row(Signature.of(method), Signature.summary(method));
    }
    stdio.table(table);
    return Exit.OK;
  }

  private boolean isWanted(String name) {
    if (pattern == null) {
      return true;
    }
    String lower = pattern.toLowerCase(Locale.ROOT);
    if (!lower.contains("*") && !lower.contains("?")) {
      return name.toLowerCase(Locale.ROOT).contains(lower);
    }
    String regex = Pattern.quote(lower).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
    return name.toLowerCase(Locale.ROOT).matches(regex);
  }
}
