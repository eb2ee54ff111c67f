package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IntrospectionTest {
  @TempDir
  Path folder;

  private final FakeClock clock = new FakeClock();
  private Instant now = Instant.parse("2026-06-01T12:00:00Z");

  /** The answers by form, and the forms that were sent. */
  private final Map<String, String> answers = new ConcurrentHashMap<>();

  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private HttpServer server;
  private Path credentials;

  @BeforeEach
  void start() throws Exception {
    credentials = Files.writeString(folder.resolve("client"), "api:se:cret\n");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/introspect", exchange -> {
      String form = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      sent.add(form);
      authorizations.add(exchange.getRequestHeaders().getFirst("Authorization"));
      byte[] body = answers.getOrDefault(form, "{\"active\":false}").getBytes(UTF_8);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Introspection.Builder settings() {
    return Introspection.builder()
        .endpoint(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/introspect"))
        .credentials(credentials)
        .clocks(clock, () -> now);
  }

  private Authenticator introspection() throws Exception {
    return Authenticators.introspection(settings().build());
  }

  private void answer(String token, String json) {
    answers.put("token=" + token + "&token_type_hint=access_token", json);
  }

  @Test
  void anActiveTokenIsAcceptedAndRemembered() throws Exception {
    answer(
        "a%26b",
        "{\"active\":true,\"sub\":\"alice\",\"scope\":\"read write\",\"roles\":[\"admin\"],"
            + "\"iss\":\"https://login.example\",\"exp\":" + (now.getEpochSecond() + 20) + "}");
    Authenticator introspection = introspection();
    for (int i = 0; i < 3; i++) {
      assertThat(Requests.admitted(introspection, Requests.bearer("a&b")))
          .isEqualTo(new Principal(
              "https://login.example#alice",
              Set.of("admin"),
              Set.of("read", "write"),
              "introspection"));
    }
    assertThat(sent).hasSize(1);
    assertThat(authorizations)
        .containsExactly(
            "Basic " + Base64.getEncoder().encodeToString("api:se%3Acret".getBytes(UTF_8)));
    now = now.plusSeconds(20);
    assertThat(Requests.status(introspection, Requests.bearer("a&b"))).isEqualTo(401);
  }

  @Test
  void aRevokedTokenIsRefusedAfter30Seconds() throws Exception {
    answer("t", "{\"active\":true,\"client_id\":\"shop\"}");
    Authenticator introspection = introspection();
    assertThat(Requests.admitted(introspection, Requests.bearer("t")).name())
        .matches("http://127\\.0\\.0\\.1:\\d+\\?client:shop");
    answers.clear();
    clock.advance(Duration.ofSeconds(29));
    Requests.admitted(introspection, Requests.bearer("t"));
    clock.advance(Duration.ofSeconds(1));
    assertThat(Requests.status(introspection, Requests.bearer("t"))).isEqualTo(401);
    assertThat(Requests.status(introspection, Requests.bearer("t"))).isEqualTo(401);
    assertThat(sent).hasSize(2);
    answer("t", "{\"active\":true,\"client_id\":\"shop\"}");
    clock.advance(Duration.ofSeconds(30));
    Requests.admitted(introspection, Requests.bearer("t"));
  }

  @Test
  void anOutageIsTemporary() throws Exception {
    answer("known", "{\"active\":true,\"sub\":\"a\"}");
    answer("other", "{\"active\":true,\"sub\":\"b\"}");
    Authenticator introspection = introspection();
    Requests.admitted(introspection, Requests.bearer("known"));
    for (int unexpected : Set.of(401, 302, 500)) {
      status = unexpected;
      assertThat(Requests.status(introspection, Requests.bearer("other"))).isEqualTo(503);
    }
    Requests.admitted(introspection, Requests.bearer("known"));
    status = 200;
    answer("other", "no JSON");
    assertThat(Requests.status(introspection, Requests.bearer("other"))).isEqualTo(503);
    answer("other", "{\"active\":true,\"sub\":\"b\"}");
    Requests.admitted(introspection, Requests.bearer("other"));
  }

  @Test
  void theAnswerMustBeForThisServer() throws Exception {
    answer("none", "{\"active\":true,\"sub\":\"a\"}");
    answer("kinds", "{\"active\":true,\"sub\":\"a\",\"aud\":[null,1]}");
    answer("other", "{\"active\":true,\"sub\":\"a\",\"aud\":\"x\"}");
    answer(
        "issuer",
        "{\"active\":true,\"sub\":\"a\",\"aud\":\"api\",\"iss\":\"https://evil.example\"}");
    answer("right", "{\"active\":true,\"sub\":\"a\",\"aud\":[\"x\",\"api\"]}");
    Authenticator introspection = Authenticators.introspection(
        settings().audience("api").issuer("https://login.example").build());
    for (String token : List.of("none", "kinds", "other", "issuer")) {
      assertThat(Requests.status(introspection, Requests.bearer(token)))
          .as(token)
          .isEqualTo(401);
    }
    assertThat(Requests.admitted(introspection, Requests.bearer("right")).name())
        .isEqualTo("https://login.example#a");
  }

  @Test
  void odditiesOfAnswersAreRefused() throws Exception {
    answer("a", "{\"active\":\"true\",\"sub\":\"a\"}");
    answer("b", "{\"active\":true}");
    answer("refresh", "{\"active\":true,\"sub\":\"a\",\"token_type\":\"Refresh\"}");
    answer("kind", "{\"active\":true,\"sub\":\"a\",\"token_type\":1}");
    answer("c", "{\"active\":true,\"sub\":\"a\",\"exp\":\"x\"}");
    answer("d", "{\"active\":true,\"sub\":\"a\",\"cnf\":{\"jkt\":\"x\"}}");
    answer("e", "{\"active\":true,\"sub\":\"a\",\"nbf\":" + (now.getEpochSecond() + 5) + "}");
    Authenticator introspection = introspection();
    for (String token :
        List.of("a", "b", "c", "d", "e", "f", "refresh", "kind", "", "x".repeat(20_000))) {
      assertThat(Requests.status(introspection, Requests.bearer(token))).isEqualTo(401);
    }
    assertThat(Requests.found(introspection, Requests.with())).isNull();
    answer("bearer", "{\"active\":true,\"sub\":\"a\",\"token_type\":\"bearer\"}");
    Requests.admitted(introspection, Requests.bearer("bearer"));
  }

  @Test
  void aQuestionIsSharedAndOneAddressHasFewOfThem() throws Exception {
    CompletableFuture<Void> open = new CompletableFuture<>();
    server.createContext("/slow", exchange -> {
      open.join();
      exchange.sendResponseHeaders(500, -1);
      exchange.close();
    });
    Authenticator introspection = Authenticators.introspection(settings()
        .endpoint(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/slow"))
        .build());
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(introspection.authenticate(Requests.bearer("token " + i % 20)).toCompletableFuture());
    }
    assertThat(all.stream().filter(each -> !each.isDone())).hasSize(5 * Checks.EACH);
    assertThat(introspection
            .authenticate(Requests.from("192.0.2.7", "Authorization", "Bearer token 99"))
            .toCompletableFuture())
        .isNotDone();
    open.complete(null);
  }

  @Test
  void malformedCredentialsAreRefusedWithoutQuotingThem() throws Exception {
    for (String text : List.of("", "api", ":secret", "a:secret\nb:secret")) {
      Files.writeString(credentials, text);
      assertThatThrownBy(this::introspection)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(credentials.toString())
          .hasMessageNotContaining("secret");
    }
  }
}
