package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.Http;
import dev.repartee.a2a.TestAgent;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose options have an authenticator. */
@Timeout(60)
class AuthenticatorTest {
  private static final Options OPTIONS = Options.builder()
      .access(access -> access.authenticator(credentials -> {
        String name = credentials.header("x-name");
        return CompletableFuture.completedFuture(
            name == null ? null : Principal.bearer(name, Set.of()));
      }))
      .build();

  private static final String MESSAGE = """
      {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"ask"}]}}""";

  private final A2aServer server = new TestAgent().server().options(OPTIONS).build();

  @Test
  void aTaskBelongsToItsCaller() throws Exception {
    try (Server listening = server.listen("http://127.0.0.1:0/")) {
      assertTasksBelongToCallers(new Http(listening));
    }
  }

  /** The options of {@code listen} need no authenticator then. */
  @Test
  void aTaskAtAPathBelongsToItsCaller() throws Exception {
    HttpRoutes routes = HttpRoutes.builder().at("/a2a", server.peers()).build();
    try (Server listening = Repartee.listen("http://127.0.0.1:0", routes)) {
      assertTasksBelongToCallers(new Http(listening).at("/a2a"));
    }
  }

  private static void assertTasksBelongToCallers(Http http) throws Exception {
    assertThat(http.post("{}").statusCode()).isEqualTo(401);
    assertThat(http.at("/.well-known/agent-card.json").get().statusCode()).isEqualTo(200);
    Http ann = http.with("x-name", "ann");
    Json task = ann.result("SendMessage", MESSAGE).get("task");
    assertThat(ann.result("ListTasks", "{}").toString()).contains(task.get("id").toString());
    assertThat(http.with("x-name", "bob").result("ListTasks", "{}").get("tasks"))
        .isEqualTo(Json.parse("[]"));
  }
}
