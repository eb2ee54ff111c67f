package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.security.KeyFile;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the API of docs/secure-http.md. */
@Timeout(60)
class SecureApiTest {
  @TempDir
  static Path folder;

  private static final Map<String, String> TOKENS = new HashMap<>();
  private static Path tokens;
  private static Server server;

  private static final String PRICE = "\"method\":\"price\",\"params\":[\"pen\"]";
  private static final String SET = "\"method\":\"setPrice\",\"params\":[\"ink\",5]";

  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeAll
  static void start() throws IOException {
    tokens = folder.resolve("tokens");
    KeyFile file = new KeyFile(tokens);
    TOKENS.put("user", file.add("u", Set.of("user")));
    TOKENS.put("guest", file.add("g", Set.of()));
    TOKENS.put("busy", file.add("b", Set.of("user")));
    TOKENS.put("admin", file.add("a", Set.of("user", "admin")));
    server = SecureApi.serve("http://127.0.0.1:0#origins=https://app.example", tokens);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static URI at(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private HttpResponse<String> call(String path, String call, String token) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(at(path))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":1," + call + "}"));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + TOKENS.getOrDefault(token, token));
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void healthNeedsNoToken() throws Exception {
    HttpRequest health = HttpRequest.newBuilder(at("/health")).build();
    assertThat(http.send(health, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
  }

  @Test
  void aRequestWithoutAValidTokenIsToldToSendOne() throws Exception {
    for (String token : new String[] {"", "wrong"}) {
      HttpResponse<String> refused = call("/shop", PRICE, token);
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("www-authenticate").orElse("")).startsWith("Bearer");
    }
  }

  @Test
  void aMethodNeedsItsRole() throws Exception {
    assertThat(call("/shop", PRICE, "user").body()).contains("\"result\":7");
    assertThat(call("/shop", PRICE, "guest").statusCode()).isEqualTo(403);
    assertThat(call("/admin", SET, "user").statusCode()).isEqualTo(403);
    assertThat(call("/admin", SET, "admin").body()).contains("\"result\":null");
    String discover = "\"method\":\"rpc.discover\"";
    assertThat(call("/shop", discover, "guest").body()).doesNotContain("price");
    assertThat(call("/shop", discover, "user").body()).contains("price");
  }

  @Test
  void aUserWithTooManyCallsIsToldToWait() throws Exception {
    HttpResponse<String> response = call("/shop", PRICE, "busy");
    for (int i = 0; i <= 10_000 && response.statusCode() == 200; i++) {
      response = call("/shop", PRICE, "busy");
    }
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.headers().firstValue("retry-after")).hasValue("1");
    assertThat(response.body()).contains("-32000", "\"retryAfter\":1");
    assertThat(call("/shop", PRICE, "user").statusCode()).isEqualTo(200);
  }

  @Test
  void aPageOfTheListedOriginMayCallAndAnotherMayNot() throws Exception {
    for (String origin : new String[] {"https://app.example", "https://evil.example"}) {
      HttpRequest preflight = HttpRequest.newBuilder(at("/shop"))
          .method("OPTIONS", BodyPublishers.noBody())
          .header("Origin", origin)
          .header("Access-Control-Request-Method", "POST")
          .header("Access-Control-Request-Headers", "authorization,content-type")
          .build();
      HttpResponse<String> response = http.send(preflight, BodyHandlers.ofString());
      if (origin.contains("app")) {
        assertThat(response.headers().firstValue("access-control-allow-origin"))
            .hasValue("https://app.example");
      } else {
        assertThat(response.statusCode()).isEqualTo(403);
      }
    }
  }

  @Test
  void theSameApiIsServedUnderTls() throws Exception {
    X509Bundle bundle = new CertificateBuilder()
        .subject("CN=localhost")
        .addSanDnsName("localhost")
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
    Path certificate = Files.writeString(folder.resolve("cert.pem"), bundle.getCertificatePEM());
    Path key = Files.writeString(folder.resolve("key.pem"), bundle.getPrivateKeyPEM());
    try (Server tls =
        SecureApi.serve("https://localhost:0#cert=" + certificate + "&key=" + key, tokens)) {
      String uri = "https://localhost:" + tls.port();
      for (String scheme : new String[] {"https", "wss"}) {
        String shop = uri.replace("https", scheme) + "/shop#ca=" + certificate;
        Options user = Options.builder()
            .header("Authorization", "Bearer " + TOKENS.get("user"))
            .build();
        try (Peer peer = Repartee.connect(shop, user)) {
          assertThat(peer.call("price", int.class, "pen")).isEqualTo(7);
          assertThatExceptionOfType(RpcException.class)
              .isThrownBy(() -> peer.call("setPrice", String.class, "pen", 5))
              .satisfies(e -> assertThat(e.code()).isIn(403, -32601));
        }
      }
    }
  }
}
