package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.ResourceContents;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp read}: writes the contents of a resource to standard output. */
@Command(description = """
        Writes the contents of a resource of an MCP server to standard output, byte for byte. On \
        a terminal, a line replaces bytes that are not text.""", footer = """
          repartee mcp read http://127.0.0.1:8080/mcp notes://today
          repartee mcp read 'exec:node camera.js' camera://last > last.png

        Exit codes: as those of 'repartee mcp tools'; 1 also if there is no such resource.""")
final class McpReadCommand extends McpClientCommand {
  @Parameters(index = "1", paramLabel = "RESOURCE", description = "The URI of the resource.")
  String resource = "";

  @Override
  void run(McpClient client) {
    List<ResourceContents> all = client.read(resource);
    if (json) {
      stdio.result(
          Json.of(Map.of("contents", all.stream().map(ResourceContents::json).toList())));
      return;
    }
    for (ResourceContents part : all) {
      if (!write(part)) {
        break;
      }
    }
  }

  private boolean write(ResourceContents part) {
    String text = part.text();
    if (text != null) {
      return stdio.terminal()
          ? stdio.line(text.getBytes(UTF_8))
          : stdio.bytes(text.getBytes(UTF_8));
    }
    byte[] bytes = ContentOutput.bytes(String.valueOf(part.blob()));
    if (stdio.terminal()) {
      stdio.note(part.uri() + " has " + bytes.length + " bytes of "
          + (part.mimeType() == null ? "an unknown type" : part.mimeType())
          + "; redirect standard output to a file");
      return true;
    }
    return stdio.bytes(bytes);
  }
}
