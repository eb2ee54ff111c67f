package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.examples.guides.SecureApi.Tokens;
import dev.repartee.examples.guides.SecureApi.User;
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
  private static final Tokens TOKENS = new Tokens(Map.of(
      SecureApi.sha256("t-user"), new User("u", Set.of("user")),
      SecureApi.sha256("t-guest"), new User("g", Set.of()),
      SecureApi.sha256("t-busy"), new User("b", Set.of("user")),
      SecureApi.sha256("t-admin"), new User("a", Set.of("user", "admin"))));

  private static Server server;

  private final HttpClient http = HttpClient.newHttpClient();

  private static Server serve(String uri) throws IOException {
    Service shop = Service.builder().method("price", call -> 7).build();
    Service admin = Service.builder().method("setPrice", call -> "set").build();
    return SecureApi.serve(uri, shop, admin, TOKENS);
  }

  @BeforeAll
  static void start() throws IOException {
    server = serve("http://127.0.0.1:0#origins=https://app.example");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static URI at(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private HttpResponse<String> call(String path, String method, String token) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(at(path))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("""
            {"jsonrpc":"2.0","method":"%s","id":1}""".formatted(method)));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
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
      HttpResponse<String> refused = call("/shop", "price", token);
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("www-authenticate")).hasValue("Bearer");
    }
  }

  @Test
  void aMethodNeedsItsRoleAndOneWithoutARoleIsForbidden() throws Exception {
    assertThat(call("/shop", "price", "t-user").body()).contains("\"result\":7");
    assertThat(call("/shop", "price", "t-guest").statusCode()).isEqualTo(403);
    assertThat(call("/admin", "setPrice", "t-user").statusCode()).isEqualTo(403);
    assertThat(call("/admin", "setPrice", "t-admin").body()).contains("\"result\":\"set\"");
    assertThat(call("/shop", "rpc.discover", "t-admin").statusCode()).isEqualTo(403);
  }

  @Test
  void aUserWithTooManyCallsIsToldToWait() throws Exception {
    HttpResponse<String> response = call("/shop", "price", "t-busy");
    for (int i = 0; i <= 200 && response.statusCode() == 200; i++) { // a minute may end between
      response = call("/shop", "price", "t-busy");
    }
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.headers().firstValue("retry-after")).hasValue("60");
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
  void theSameApiIsServedUnderTls(@TempDir Path folder) throws Exception {
    X509Bundle bundle = new CertificateBuilder()
        .subject("CN=localhost")
        .addSanDnsName("localhost")
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
    Path certificate = Files.writeString(folder.resolve("cert.pem"), bundle.getCertificatePEM());
    Path key = Files.writeString(folder.resolve("key.pem"), bundle.getPrivateKeyPEM());
    try (Server tls = serve("https://localhost:0#cert=" + certificate + "&key=" + key)) {
      String uri = "https://localhost:" + tls.port();
      for (String scheme : new String[] {"https", "wss"}) {
        String shop = uri.replace("https", scheme) + "/shop#ca=" + certificate;
        Options user =
            Options.builder().header("Authorization", "Bearer t-user").build();
        try (Peer peer = Repartee.connect(shop, user)) {
          assertThat(peer.call("price", int.class)).isEqualTo(7);
          assertThatExceptionOfType(RpcException.class)
              .isThrownBy(() -> peer.call("setPrice", String.class))
              .satisfies(e -> assertThat(e.code()).isIn(403, -32601));
        }
      }
    }
  }
}
