package dev.repartee.build.snippets;

import dev.repartee.Param;
import dev.repartee.json.Json;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.client.Change;
import dev.repartee.mcp.client.ChangeFilter;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.McpClients;
import dev.repartee.mcp.client.ModelApi;
import dev.repartee.mcp.client.RemoteTask;
import dev.repartee.mcp.client.Subscription;
import dev.repartee.mcp.oauth.Browser;
import dev.repartee.mcp.oauth.OAuthClient;
import dev.repartee.mcp.oauth.Registration;
import dev.repartee.mcp.oauth.TokenStore;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.ToolResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The code of docs/mcp-client.md and of the client in protocols/mcp/README.md. */
@SuppressWarnings("deprecation") // of the specification, and still supported
final class McpClientTour {
  private McpClientTour() {}

  static void fiveLines(String uri) throws IOException {
    try (McpClient client = McpClient.connect(uri)) {
      client.tools().forEach(tool -> System.out.println(tool.name()));
      ToolResult result = client.call("forecast", Map.of("city", "Ghent"));
      System.out.println(result.content());
    }
  }

  record Forecast(String city, int degrees) {}

  interface Weather {
    Forecast forecast(@Param("city") String city);
  }

  static int degrees(McpClient client) {
    Weather weather = client.proxy(Weather.class);
    return weather.forecast("Ghent").degrees();
  }

  static McpClient withHandlers(String uri) throws IOException {
    return McpClient.builder("planner", "1.0")
        .onElicitation(question -> new Elicitation.Answer("accept", Json.parse("{\"sure\":true}")))
        .roots(() -> List.of(new Root("file:///home/ann/project", "project")))
        .onLog(message -> System.err.println(message.level() + " " + message.data()))
        .timeout(Duration.ofSeconds(20))
        .connect(uri);
  }

  static ToolResult book(McpClient client, int guests) {
    return client
        .request("book")
        .argument("guests", guests)
        .onProgress(progress -> System.out.println(progress.message()))
        .logLevel(LogLevel.INFO)
        .call();
  }

  static CompletableFuture<ToolResult> later(McpClient client) {
    CompletableFuture<ToolResult> result =
        client.request("book").argument("guests", 2).send();
    // result.cancel(true) cancels the call at the server
    return result;
  }

  static ToolResult asTask(McpClient client, List<String> books) throws Exception {
    RemoteTask task = client.request("index").argument("books", books).start().get();
    System.out.println(task.state().status());
    return task.await(Duration.ofMinutes(5));
  }

  static void watch(McpClient client) {
    try (Subscription subscription = client.listen(
        ChangeFilter.LISTS.with("weather://ghent"), change -> onChange(client, change))) {
      System.out.println(subscription.honoured());
    }
  }

  private static void onChange(McpClient client, Change change) {
    System.out.println(client + " " + change);
  }

  static Json forModel(McpClient client) {
    return client.toolsFor(ModelApi.ANTHROPIC);
  }

  static McpClients many(String weather, String booking) {
    McpClient.Builder settings = McpClient.builder("planner", "1.0");
    return McpClients.builder()
        .server("weather", settings, weather)
        .server("booking", settings, booking)
        .patience(Duration.ofSeconds(10))
        .connect();
  }

  static McpClient withToken(String uri, String token) throws IOException {
    return McpClient.builder("planner", "1.0")
        .authorization(HttpAuthorization.bearer(token))
        .connect(uri);
  }

  static McpClient withLogin(String uri) throws IOException {
    OAuthClient oauth = OAuthClient.builder("Planner")
        .browser(Browser.loopback(page -> System.out.println("Please log in at " + page)))
        .store(TokenStore.folder(Path.of(System.getProperty("user.home"), ".planner", "tokens")))
        .build();
    return McpClient.builder("planner", "1.0").authorization(oauth).connect(uri);
  }

  static McpClient withSecret(String uri, String issuer, String secret) throws IOException {
    OAuthClient oauth = OAuthClient.builder("Planner")
        .clientCredentials()
        .registered(issuer, Registration.withSecret("planner", secret))
        .build();
    return McpClient.builder("planner", "1.0").authorization(oauth).connect(uri);
  }
}
