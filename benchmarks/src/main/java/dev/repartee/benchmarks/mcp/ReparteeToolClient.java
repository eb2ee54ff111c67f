package dev.repartee.benchmarks.mcp;

import dev.repartee.benchmarks.load.Driver;
import dev.repartee.mcp.Content;
import dev.repartee.mcp.ToolResult;
import dev.repartee.mcp.client.McpClient;
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

  private static String text(ToolResult result) {
    return ((Content.Text) result.content().get(0)).text();
  }

  @Override
  public String call() {
    return text(client.call("subtract", arguments()));
  }

  @Override
  public void call(Driver.Done done) {
    client.request("subtract").arguments(arguments()).send().whenComplete((result, failure) -> {
      if (failure != null) {
        done.done(failure);
      } else {
        done.done(ToolClient.isAnswer(text(result)));
      }
    });
  }

  @Override
  public void close() {
    client.close();
  }
}
