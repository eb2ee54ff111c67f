package dev.repartee.benchmarks.mcp;

import dev.repartee.benchmarks.load.Driver;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The client of the MCP Java SDK. Its synchronous client waits for the asynchronous one, too. */
record SdkToolClient(McpAsyncClient client) implements ToolClient {
  static SdkToolClient connect(List<String> server) {
    McpAsyncClient client = McpClient.async(transport(server)).build();
    client.initialize().block();
    return new SdkToolClient(client);
  }

  private static McpClientTransport transport(List<String> server) {
    if (!ToolClient.isUri(server)) {
      ServerParameters command = ServerParameters.builder(server.get(0))
          .args(server.subList(1, server.size()))
          .build();
      return new StdioClientTransport(command, McpJsonDefaults.getMapper());
    }
    URI uri = URI.create(server.get(0));
    return HttpClientStreamableHttpTransport.builder("http://" + uri.getAuthority())
        .endpoint(uri.getPath())
        .build();
  }

  private static McpSchema.CallToolRequest request() {
    return McpSchema.CallToolRequest.builder("subtract")
        .arguments(Map.of("minuend", 42, "subtrahend", 23))
        .build();
  }

  private static boolean isRight(McpSchema.CallToolResult result) {
    return ToolClient.isAnswer(((McpSchema.TextContent) result.content().get(0)).text());
  }

  @Override
  public boolean call() {
    return isRight(Objects.requireNonNull(client.callTool(request()).block()));
  }

  @Override
  public void call(Driver.Done done) {
    client.callTool(request()).subscribe(result -> done.done(isRight(result)), done::done);
  }

  @Override
  public void close() {
    client.close();
  }
}
