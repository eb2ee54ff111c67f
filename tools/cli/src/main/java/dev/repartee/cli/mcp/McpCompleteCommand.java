package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.mcp.client.Completion;
import dev.repartee.mcp.client.McpClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp complete}: prints proposals for an argument. */
@Command(description = """
        Prints completions of an MCP server for an argument of a prompt, or for a variable of a \
        resource template, one a line.""", footer = """
          repartee mcp complete http://127.0.0.1:8080/mcp review language=ja
          repartee mcp complete http://127.0.0.1:8080/mcp \\
              'notes://{year}/{day}' day=1 year=2026\
        """)
final class McpCompleteCommand extends McpClientCommand {
  @Parameters(index = "1", paramLabel = "PROMPT|TEMPLATE", description = """
          The name of a prompt, or a resource template, which has a variable in braces.""")
  String reference = "";

  @Parameters(index = "2..*", arity = "1..*", paramLabel = "NAME=VALUE", description = """
          The argument to complete, with the text typed so far; then other arguments with the \
          values that are already chosen.""")
  List<String> words = new ArrayList<>();

  private final Map<String, String> chosen = new LinkedHashMap<>();
  private String name = "";
  private String value = "";

  @Override
  void prepare() {
    chosen.putAll(NamedArguments.byName(words));
    name = chosen.keySet().iterator().next();
    value = String.valueOf(chosen.remove(name));
  }

  @Override
  void run(McpClient client) {
    Completion completion = reference.contains("{")
        ? client.completeResource(reference, name, value, chosen)
        : client.completePrompt(reference, name, value, chosen);
    if (json) {
      stdio.result(Json.of(completion));
      return;
    }
    for (String proposal : completion.values()) {
      if (!stdio.line(proposal.getBytes(UTF_8))) {
        return;
      }
    }
    if (completion.hasMore()) {
      stdio.note("there are more"
          + (completion.total() == null ? "" : ", " + completion.total() + " in all"));
    }
  }
}
