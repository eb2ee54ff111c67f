package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Authenticator;
import dev.repartee.internal.FakeClock;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests authenticators and a quota at a server. */
class SecuredServerTest extends ServerFixture {
  @TempDir
  Path folder;

  private Server server;
  private String key;

  @BeforeEach
  void serve() throws Exception {
    Files.writeString(folder.resolve("users"), "alice:" + BasicTest.APACHE + ":user\n");
    key = new KeyFile(folder.resolve("keys")).add("stock", Set.of("service"));
    Authenticator callers = new Throttle(
        Authenticators.anyOf(
            Authenticators.basic(folder.resolve("users")),
            Authenticators.bearer(folder.resolve("keys"))),
        new FakeClock());
    server = listen(
        Service.builder()
            .method("who", call -> call.principal().name())
            .method("secret", call -> "shown")
            .build(),
        Options.builder()
            .access(
                access -> access.authenticator(callers).allow("user", "who").allow("service", "*"))
            .layer(
                Quota.builder().clock(new FakeClock()).callsPerSecond(0.001, 10).build())
            .build());
  }

  private String socket() {
    return server.endpoint().toString().replace("http:", "ws:");
  }

  private static String basic(String password) {
    return Requests.basic("alice", password);
  }

  private HttpResponse<String> call(String method, String authorization) throws Exception {
    return Posts.send(
        authorization.isEmpty()
            ? Posts.request(server, method)
            : Posts.request(server, method, "Authorization", authorization));
  }

  @Test
  void callersAreKnownByPasswordOrKey() throws Exception {
    assertThat(call("who", basic("myPassword")).body()).contains("\"alice\"");
    assertThat(call("who", basic("myPassword")).body()).contains("\"alice\"");
    assertThat(call("secret", basic("myPassword")).statusCode()).isEqualTo(403);
    assertThat(call("secret", "Bearer " + key).body()).contains("shown");
  }

  @Test
  void othersAreAskedForCredentials() throws Exception {
    for (String authorization : List.of("", basic("wrong"), "Bearer wrong", "Other x")) {
      HttpResponse<String> response = call("who", authorization);
      assertThat(response.statusCode()).isEqualTo(401);
      assertThat(response.headers().allValues("WWW-Authenticate"))
          .containsExactly(
              "Basic realm=\"repartee\", charset=\"UTF-8\"", "Bearer realm=\"repartee\"");
    }
  }

  @Test
  void guessesAreSlowedDownAndNotTheCallsOfOpenConnections() throws Exception {
    Options options =
        Options.builder().header("Authorization", basic("myPassword")).build();
    try (Peer peer = Repartee.connect(socket(), options)) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        statuses.add(call("who", "Bearer guess " + i).statusCode());
      }
      assertThat(statuses.subList(0, 5)).containsOnly(401);
      assertThat(statuses).contains(429);
      assertThat(call("who", basic("myPassword")).headers().firstValue("Retry-After"))
          .isPresent();
      assertThat(peer.call("who", String.class)).isEqualTo("alice");
    }
  }

  @Test
  void aWebSocketNeedsCredentialsInItsHandshake() {
    assertThatThrownBy(() -> Repartee.connect(socket())).hasMessageContaining("401");
  }

  @Test
  void aQuotaIsThatOfThePrincipal() throws Exception {
    for (int i = 0; i < 10; i++) {
      assertThat(call("who", "Bearer " + key).statusCode()).isEqualTo(200);
    }
    HttpResponse<String> refused = call("who", "Bearer " + key);
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("-32000", "\"limit\":\"calls\"", "\"retryAfter\":1000");
    assertThat(refused.headers().firstValue("Retry-After")).hasValue("1000");
    assertThat(call("who", basic("myPassword")).statusCode()).isEqualTo(200);
  }

  @Test
  void manyFirstCallsOfOneUserAreAdmittedTogether() {
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < 10; i++) {
      all.add(client
          .sendAsync(
              Posts.request(server, "who", "Authorization", basic("myPassword")),
              HttpResponse.BodyHandlers.ofString())
          .thenApply(HttpResponse::statusCode));
    }
    all.forEach(each -> assertThat(each.join()).isEqualTo(200));
  }
}
