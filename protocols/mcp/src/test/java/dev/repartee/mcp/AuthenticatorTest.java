package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.access.Access;
import dev.repartee.access.AccessDecision;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.Allow;
import dev.repartee.access.Principal;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Revision;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server whose options have an authenticator and rules. */
@Timeout(60)
class AuthenticatorTest {
  private static final Map<String, Principal> TOKENS = Map.of(
      "Bearer ann", new Principal("ann", Set.of("user"), Set.of("use"), "bearer"),
      "Bearer bob", Principal.bearer("bob", Set.of()),
      "Bearer root", new Principal("root", Set.of("user", "admin"), Set.of(), "bearer"));

  private static final String INITIALIZE = """
      {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
      "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}""";

  /** A tool for callers with a role, and another one for callers with a scope. */
  public static final class Restricted {
    @McpTool("Needs a role")
    @Allow("admin")
    public String role() {
      return "ran";
    }

    @McpTool("Needs a scope")
    @Allow(scopes = "use")
    public String scope() {
      return "ran";
    }
  }

  private McpServer mcp;
  private Server server;

  @BeforeEach
  void listen() throws Exception {
    listen(access -> access.deny("prompts/*"));
  }

  private void listen(UnaryOperator<Access.Builder> rules) throws Exception {
    Options options = Options.builder()
        .access(access -> rules.apply(access.authenticator(credentials -> {
          String token = credentials.header("Authorization");
          return CompletableFuture.completedFuture(token == null ? null : TOKENS.get(token));
        })))
        .build();
    mcp = TestServer.builder()
        .tool(Tool.named("who")
            .description("Tells who asks")
            .handle((call, arguments) -> String.valueOf(call.principal())))
        .tool(Tool.named("later")
            .description("Tells who asks, later")
            .tasks(Tool.TaskSupport.OPTIONAL)
            .handle((call, arguments) -> String.valueOf(call.principal())))
        .tools(new Restricted())
        .options(options)
        .build();
    server = mcp.listen("http://127.0.0.1:0/mcp");
  }

  @AfterEach
  void close() {
    server.close(Duration.ZERO);
  }

  @Test
  void aStrangerIsRefused() throws Exception {
    Http http = new Http(server);
    assertThat(http.post("{}").statusCode()).isEqualTo(401);
    assertThat(http.with("Authorization", "Bearer eve").post("{}").statusCode()).isEqualTo(401);
  }

  @ParameterizedTest
  @EnumSource(Revision.class)
  void theToolKnowsTheCaller(Revision revision) throws Exception {
    try (McpClient client = client(revision)) {
      assertThat(client.call("who", Map.of()).toString()).contains("name=ann");
      assertThat(client.call("later", Map.of()).toString()).contains("name=ann");
    }
  }

  /** The options of {@code listen} need no authenticator then. */
  @Test
  void aSessionAtAPathBelongsToItsCaller() throws Exception {
    HttpRoutes routes = HttpRoutes.builder().at("/mcp", mcp.peers()).build();
    try (Server paths = Repartee.listen("http://127.0.0.1:0", routes)) {
      Http http = new Http(paths).at("/mcp");
      assertThat(http.post(INITIALIZE).statusCode()).isEqualTo(401);
      HttpResponse<String> begun = http.with("Authorization", "Bearer ann").post(INITIALIZE);
      Http session = http.with(
          "Mcp-Session-Id", begun.headers().firstValue("Mcp-Session-Id").orElseThrow());
      assertThat(session.send("GET").statusCode()).isEqualTo(401);
      assertThat(session.send("DELETE").statusCode()).isEqualTo(401);
      assertThat(session.with("Authorization", "Bearer bob").send("DELETE").statusCode())
          .isEqualTo(404);
      assertThat(session.with("Authorization", "Bearer ann").send("DELETE").statusCode())
          .isEqualTo(204);
    }
  }

  @Test
  void rulesOfTheEndpointThatWouldHaveNoEffectAreRefused() {
    PeerFactory peers = TestServer.builder().build().peers();
    Options rules = Options.builder().access(access -> access.deny("tools/*")).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.listen("http://127.0.0.1:0/mcp", peers, rules))
        .withMessageContaining("rules");
    HttpRoutes routes = HttpRoutes.builder().at("/mcp", peers).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.listen("http://127.0.0.1:0", routes, rules))
        .withMessageContaining("/mcp");
  }

  @Test
  void aToolOfAMethodWithAllowIsRestricted() throws Exception {
    try (McpClient ann = client(Revision.V2025_11_25);
        McpClient bob = client("bob", Revision.V2026_07_28)) {
      assertThat(ann.call("scope", Map.of()).toString()).contains("ran");
      assertThat(code(() -> ann.call("role", Map.of()))).isEqualTo(403);
      assertThat(code(() -> bob.call("scope", Map.of()))).isEqualTo(403);
    }
    McpServer open = McpServer.builder("test", "1").tools(new Restricted()).build();
    try (Server unknown = open.listen("http://127.0.0.1:0/mcp");
        McpClient nobody = McpClient.connect(unknown.endpoint().toString())) {
      assertThat(code(() -> nobody.call("scope", Map.of()))).isEqualTo(401);
    }
  }

  /** A rule for a part of the tools leaves the others as they are. */
  @ParameterizedTest
  @EnumSource(Revision.class)
  void aRuleForbidsToolsByName(Revision revision) throws Exception {
    Queue<AccessDecision> decisions = new ConcurrentLinkedQueue<>();
    server.close(Duration.ZERO);
    listen(access -> access.deny("tools/call/who").audit(decisions::add));
    try (McpClient ann = client(revision)) {
      assertThat(ann.call("later", Map.of()).toString()).contains("name=ann");
      assertThat(ann.call("scope", Map.of()).toString()).contains("ran");
      assertThat(code(() -> ann.call("who", Map.of()))).isEqualTo(403);
    }
    assertThat(decisions)
        .filteredOn(decision -> decision.outcome() == Outcome.FORBIDDEN)
        .extracting(AccessDecision::method)
        .containsExactly("tools/call/who");
  }

  @ParameterizedTest
  @EnumSource(Revision.class)
  void aRuleAllowsToolsByName(Revision revision) throws Exception {
    server.close(Duration.ZERO);
    listen(access -> access
        .allow("user", "*initialize*", "server/*", "tools/list", "tools/call/*o*")
        .allow("admin", "tools/call")
        .deny("tools/call/role"));
    try (McpClient ann = client("ann", revision);
        McpClient root = client("root", revision)) {
      assertThat(ann.call("who", Map.of()).toString()).contains("name=ann");
      assertThat(code(() -> ann.call("later", Map.of()))).isEqualTo(403);
      assertThat(root.call("later", Map.of()).toString()).contains("name=root");
      assertThat(code(() -> root.call("role", Map.of()))).isEqualTo(403);
    }
  }

  @Test
  void aRuleWithoutAToolAllowsNone() throws Exception {
    server.close(Duration.ZERO);
    listen(access -> access.allow("user", "*initialize*", "tools/list"));
    try (McpClient ann = client(Revision.V2025_11_25)) {
      assertThat(code(() -> ann.call("who", Map.of()))).isEqualTo(403);
    }
  }

  private static int code(ThrowingCallable call) {
    return catchThrowableOfType(RpcException.class, call).code();
  }

  private McpClient client(Revision revision) throws Exception {
    return client("ann", revision);
  }

  private McpClient client(String token, Revision revision) throws Exception {
    return McpClient.builder("test", "1")
        .authorization(HttpAuthorization.bearer(token))
        .revisions(revision)
        .connect(server.endpoint().toString());
  }
}
