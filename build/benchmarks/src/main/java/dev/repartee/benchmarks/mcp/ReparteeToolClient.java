package dev.repartee.benchmarks.mcp;

import dev.repartee.benchmarks.load.Driver;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolResult;
import java.io.IOException;
import java.util.List;

/** The client of {@code protocols/mcp}. */
record ReparteeToolClient(McpClient client) implements ToolClient {
  static ReparteeToolClient connect(List<String> server) throws IOException {
    String uri =
        ToolClient.isUri(server) ? server.get(0) : "exec:'" + String.join("' '", server) + "'";
    return new ReparteeToolClient(McpClient.connect(uri));
  }

  private static Object arguments() {
    return new McpServerMain.Operands(42, 23);
  }

  private static boolean isRight(ToolResult result) {
    return ToolClient.isAnswer(((Content.Text) result.content().get(0)).text());
  }

  @Override
  public boolean call() {
    return isRight(client.call("subtract", arguments()));
  }

  @Override
  public void call(Driver.Done done) {
    client
        .request("subtract")
        .arguments(arguments())
        .send()
        .whenComplete(done.expecting(ReparteeToolClient::isRight));
  }

  @Override
  public void close() {
    client.close();
  }
}
