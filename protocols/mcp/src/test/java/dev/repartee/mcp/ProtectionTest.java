package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.mcp.auth.Protection;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProtectionTest {
  private static final String INITIALIZE = """
      {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
      "capabilities":{},"clientInfo":{"name":"t","version":"1"}}}""";

  private static final Map<String, Principal> TOKENS = Map.of(
      "ann", Principal.bearer("ann", Set.of("use")),
      "wide", Principal.bearer("ann", Set.of("use", "admin")),
      "bob", Principal.bearer("bob", Set.of("use", "admin")),
      "bob-use", Principal.bearer("bob", Set.of("use")),
      "guest", Principal.bearer("guest", Set.of()));

  private Server server;
  private Http http;

  @BeforeEach
  void listen() throws Exception {
    Protection protection = new Protection(
        List.of("https://login.example"), Set.of("use"), null, token -> switch (token) {
          case "broken" ->
            CompletableFuture.failedStage(new IllegalStateException("no connection"));
          case "throwing" -> throw new IllegalStateException("no connection");
          case "overflowing" -> throw new StackOverflowError("too deep");
          case "null" -> nothing();
          default -> CompletableFuture.completedStage(TOKENS.get(token));
        });
    server = TestServer.builder()
        .tool(Tool.named("who")
            .description("Tells who asks")
            .handle((call, arguments) -> String.valueOf(call.principal())))
        .tool(Tool.named("wipe")
            .description("Wipes all")
            .scopes("admin")
            .handle((call, arguments) -> "wiped"))
        .tool(Tool.named("backup")
            .description("Saves all")
            .scopes("admin")
            .tasks(Tool.TaskSupport.REQUIRED)
            .handle((call, arguments) -> "saved"))
        .authorization(protection)
        .build()
        .listen("http://127.0.0.1:0/mcp");
    http = new Http(server);
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // null, as from a faulty verifier
  private static <T> T nothing() {
    return null;
  }

  @AfterEach
  void close() {
    server.close(Duration.ofSeconds(1));
  }

  private static String challenge(HttpResponse<String> response) {
    return response.headers().firstValue("www-authenticate").orElse("");
  }

  private HttpResponse<String> post(String token) throws Exception {
    return http.with("Authorization", "Bearer " + token).post(INITIALIZE);
  }

  private static String call(String tool) {
    return """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s"}}""".formatted(tool);
  }

  @Test
  void aRequestWithoutATokenGetsTheUrlOfTheMetadata() throws Exception {
    HttpResponse<String> refused = http.post(INITIALIZE);
    assertThat(refused.statusCode()).isEqualTo(401);
    String metadata = server.endpoint().toString().replace("/mcp", "")
        + "/.well-known/oauth-protected-resource/mcp";
    assertThat(challenge(refused))
        .isEqualTo("Bearer scope=\"use\", resource_metadata=\"" + metadata + "\"");

    HttpResponse<String> document =
        http.at("/.well-known/oauth-protected-resource/mcp").send("GET");
    assertThat(document.statusCode()).isEqualTo(200);
    Json json = Http.json(document);
    assertThat(json.get("resource")).isEqualTo(Json.of(server.endpoint().toString()));
    assertThat(json.get("authorization_servers"))
        .isEqualTo(Json.of(List.of("https://login.example")));
  }

  @Test
  void anInvalidTokenGets401AndAnInsufficientOne403() throws Exception {
    HttpResponse<String> invalid = post("forged");
    assertThat(invalid.statusCode()).isEqualTo(401);
    assertThat(challenge(invalid)).contains("error=\"invalid_token\"");
    HttpResponse<String> insufficient = post("guest");
    assertThat(insufficient.statusCode()).isEqualTo(403);
    assertThat(challenge(insufficient)).contains("error=\"insufficient_scope\"", "scope=\"use\"");
    for (String token : List.of("broken", "throwing", "overflowing", "null")) {
      assertThat(post(token).statusCode()).as(token).isEqualTo(503);
    }
    assertThat(post("ann").statusCode()).isEqualTo(200);
  }

  @Test
  void aSessionBelongsToItsPrincipal() throws Exception {
    HttpResponse<String> begun = post("ann");
    Http session =
        http.with("Mcp-Session-Id", begun.headers().firstValue("mcp-session-id").orElseThrow());
    assertThat(session.with("Authorization", "Bearer ann").post(call("who")).body())
        .contains("name=ann");
    assertThat(session.with("Authorization", "Bearer bob").post(call("who")).statusCode())
        .isEqualTo(404);
    assertThat(session.post(call("who")).statusCode()).isEqualTo(401);
  }

  @Test
  void aWebSocketIsRefused() throws Exception {
    String uri = server.endpoint().toString().replace("http:", "ws:");
    Options token = Options.builder().header("Authorization", "Bearer ann").build();
    for (Options options : List.of(Options.DEFAULT, token)) {
      try (Peer peer = Repartee.connect(uri, options)) {
        peer.closed().toCompletableFuture().handle((nothing, cause) -> "over").join();
        assertThat(peer.isOpen()).isFalse();
      }
    }
  }

  @Test
  void theTokenOfAMessageOf20241105CountsAndNotTheOneThatOpenedTheStream() throws Exception {
    for (List<String> tokens : List.of(List.of("wide", "ann"), List.of("ann", "wide"))) {
      try (Http.Events events = bearing(tokens.get(0)).listen()) {
        String address = Objects.requireNonNull(
            Objects.requireNonNull(events.next()).fields().get("data"));
        Http messages = bearing(tokens.get(1)).at(address);
        messages.post(INITIALIZE);
        events.next();
        HttpResponse<String> answer = messages.post(call("wipe"));
        if (tokens.get(1).equals("wide")) {
          assertThat(answer.statusCode()).isEqualTo(202);
          assertThat(next(events)).contains("wiped");
        } else {
          assertThat(answer.statusCode()).isEqualTo(403);
          assertThat(challenge(answer)).contains("error=\"insufficient_scope\"", "admin");
        }
        messages.post(call("who"));
        assertThat(next(events)).contains("name=ann").contains("use");
        assertThat(bearing("bob").at(address).post(call("who")).statusCode()).isEqualTo(404);
      }
    }
  }

  private Http bearing(String token) {
    return http.with("Authorization", "Bearer " + token);
  }

  private static String next(Http.Events events) throws Exception {
    return Objects.requireNonNull(events.next()).json().toString();
  }

  @Test
  void behindAProxyTheMetadataUrlIsThatOfTheConfiguredResource() throws Exception {
    Protection protection = new Protection(
        List.of("https://login.example"),
        Set.of(),
        "https://mcp.example/api/mcp",
        token -> CompletableFuture.completedStage(null));
    try (Server proxied =
        TestServer.builder().authorization(protection).build().listen("http://127.0.0.1:0/mcp")) {
      Http client = new Http(proxied);
      assertThat(challenge(client.post(INITIALIZE)))
          .contains("\"https://mcp.example/.well-known/oauth-protected-resource/api/mcp\"");
      assertThat(client
              .at("/.well-known/oauth-protected-resource/api/mcp")
              .send("GET")
              .body())
          .contains("\"resource\":\"https://mcp.example/api/mcp\"");
    }
  }

  @Test
  void aToolMayNeedMoreScopesThanTheServer() throws Exception {
    for (String token : List.of("ann", "bob")) {
      HttpResponse<String> begun = post(token);
      HttpResponse<String> answer = http.with(
              "Mcp-Session-Id", begun.headers().firstValue("mcp-session-id").orElseThrow())
          .with("Authorization", "Bearer " + token)
          .post(call("wipe"));
      assertThat(answer.statusCode()).isEqualTo(token.equals("ann") ? 403 : 200);
      if (token.equals("ann")) {
        assertThat(challenge(answer)).contains("insufficient_scope", "admin");
      }
    }
  }

  @Test
  void aVerifierThatHangsThrowsOrReturnsNullIsAnsweredWith503() throws Exception {
    Protection protection =
        new Protection(List.of("https://login.example"), Set.of(), null, token -> switch (token) {
          case "silent" -> new CompletableFuture<>();
          case "error" -> throw new StackOverflowError();
          default -> null;
        });
    try (Server failing = TestServer.builder()
        .authorization(protection)
        .options(Options.builder()
            .limits(limits -> limits.callTimeout(Duration.ofMillis(50)))
            .build())
        .build()
        .listen("http://127.0.0.1:0/mcp")) {
      for (String token : List.of("silent", "error", "null")) {
        assertThat(new Http(failing)
                .with("Authorization", "Bearer " + token)
                .post(INITIALIZE)
                .statusCode())
            .describedAs(token)
            .isEqualTo(503);
      }
    }
  }

  @Test
  void aTaskNeedsItsPrincipalAndTheScopesOfItsTool() throws Exception {
    String meta = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        + "\"io.modelcontextprotocol/clientCapabilities\":"
        + "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}";
    String request =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s," + meta + "}}";
    String task = Objects.requireNonNull(Http.json(http.with("Authorization", "Bearer bob")
                .stateless("tools/call")
                .with("Mcp-Name", "backup")
                .post(request.formatted("tools/call", "\"name\":\"backup\"")))
            .get("result"))
        .get("taskId")
        .as(String.class);
    String ask = "\"inputResponses\":{},\"taskId\":\"" + task + "\"";
    for (String method : List.of("tasks/get", "tasks/update", "tasks/cancel")) {
      Http client = http.stateless(method).with("Mcp-Name", task);
      HttpResponse<String> narrow =
          client.with("Authorization", "Bearer bob-use").post(request.formatted(method, ask));
      assertThat(narrow.statusCode()).isEqualTo(403);
      assertThat(challenge(narrow)).contains("insufficient_scope", "admin");
      assertThat(client
              .with("Authorization", "Bearer bob")
              .post(request.formatted(method, ask))
              .statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void aProtectedServerSharesItsPortWithOtherServices() throws Exception {
    McpServer mcp = TestServer.builder()
        .authorization(new Protection(
            List.of("https://login.example"),
            Set.of(),
            null,
            token -> CompletableFuture.completedStage(TOKENS.get(token))))
        .build();
    Service plain = Service.builder().method("name", call -> "plain").build();
    HttpRoutes routes =
        HttpRoutes.builder().at("/mcp", mcp.peers()).at("/rpc", plain).build();
    try (Server shared = Repartee.listen("http://127.0.0.1:0", routes);
        Peer peer = Repartee.connect(shared.endpoint() + "rpc")) {
      assertThat(peer.call("name", String.class)).isEqualTo("plain");
      Http both = new Http(shared);
      assertThat(both.at("/mcp").post(INITIALIZE).statusCode()).isEqualTo(401);
      assertThat(both.at("/mcp")
              .with("Authorization", "Bearer ann")
              .post(INITIALIZE)
              .statusCode())
          .isEqualTo(200);
      assertThat(
              both.at("/.well-known/oauth-protected-resource/mcp").send("GET").statusCode())
          .isEqualTo(200);
      assertThat(both.at("/other").send("GET").statusCode()).isEqualTo(404);
    }
  }
}
