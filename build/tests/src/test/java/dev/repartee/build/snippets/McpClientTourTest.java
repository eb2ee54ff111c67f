package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.McpClients;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ToolResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the code of docs/mcp-client.md. */
@Timeout(60)
class McpClientTourTest {
  private static McpServer server() {
    return McpServer.builder("tour", "1")
        .tools(new WeatherServer.Weather())
        .tool(McpTour.booking())
        .tool(McpTour.indexing())
        .resource(Resource.of("weather://ghent", "ghent", "Weather", "text/plain"), call -> "Sunny")
        .build();
  }

  @Test
  void theCallsOfThePage() throws Exception {
    try (Server server = server().listen("mem:mcp-client-tour")) {
      String uri = server.endpoint().toString();
      McpClientTour.fiveLines(uri);
      try (McpClient client = McpClientTour.withHandlers(uri)) {
        assertThat(McpClientTour.degrees(client)).isEqualTo(21);
        ToolResult booked = McpClientTour.book(client, 20);
        assertThat(booked.structured().get("guests")).isEqualTo(Json.of(20));
        assertThat(McpClientTour.later(client).get().isError()).isFalse();
        assertThat(McpClientTour.asTask(client, List.of("a", "b")).isError()).isFalse();
        McpClientTour.watch(client);
        assertThat(McpClientTour.forModel(client).elements()).hasSize(3);
      }
    }
  }

  @Test
  void manyServers() throws Exception {
    try (Server one = server().listen("mem:mcp-client-tour-1");
        Server two = server().listen("mem:mcp-client-tour-2");
        McpClients clients =
            McpClientTour.many(one.endpoint().toString(), two.endpoint().toString())) {
      assertThat(clients.tools().stream().map(McpClients.Entry::name))
          .contains("weather_forecast", "booking_forecast");
    }
  }

  @Test
  void aToken() throws Exception {
    try (Server server = server().listen("http://127.0.0.1:0/mcp");
        McpClient client = McpClientTour.withToken(server.endpoint().toString(), "t")) {
      assertThat(client.tools()).isNotEmpty();
    }
  }

  @Test
  void aLogin() throws Exception {
    // A server without protection: neither a browser nor a secret is needed.
    try (Server server = server().listen("http://127.0.0.1:0/mcp")) {
      String uri = server.endpoint().toString();
      try (McpClient user = McpClientTour.withLogin(uri);
          McpClient program = McpClientTour.withSecret(uri, "https://auth.example", "s")) {
        assertThat(user.tools()).isNotEmpty();
        assertThat(program.tools()).isNotEmpty();
      }
    }
  }
}
