package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.access.Authenticator;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with the authorization server oidc-provider, which npm has installed in the folder {@code
 * repartee.oidc}, on the Node.js of {@code repartee.mcp.suite}.
 */
@Tag("ci")
class OidcProviderTest {
  private static final Path FOLDER = Path.of(System.getProperty("repartee.oidc", ""));
  private static final Path NODE =
      Path.of(System.getProperty("repartee.mcp.suite", ""), "node_modules/node/bin/node");
  private static final Path SCRIPT = Path.of(System.getProperty("repartee.root", ""))
      .resolve("operation/security/src/test/resources/dev/repartee/security/issuer.mjs");
  private static final String API = "https://api.shop.example/";
  private static final String OPAQUE = API + "opaque";

  @TempDir
  Path folder;

  private final FakeClock clock = new FakeClock();
  private final HttpClient client = HttpClient.newHttpClient();
  private @Nullable Process process;
  private BufferedReader output;
  private String issuer;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(
        Files.exists(FOLDER.resolve("node_modules/oidc-provider")) && Files.exists(NODE),
        "-Drepartee.oidc and -Drepartee.mcp.suite name no folders with oidc-provider and Node.js");
    process = new ProcessBuilder(NODE.toString(), SCRIPT.toString(), FOLDER.toString())
        .redirectError(folder.resolve("errors").toFile())
        .start();
    output = process.inputReader();
    issuer = output.readLine();
    assertThat(issuer).as(Files.readString(folder.resolve("errors"))).startsWith("http://");
  }

  @AfterEach
  void stop() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  private void command(String name) throws IOException {
    process.outputWriter().append(name).append('\n').flush();
    assertThat(output.readLine()).isEqualTo(name);
  }

  /** Returns a token of the shop, which logs in with its client credentials. */
  private String token(String resource) throws Exception {
    return post(
            "/token",
            "shop:secret+of+the+shop",
            "grant_type=client_credentials&scope=read" + "&resource="
                + URLEncoder.encode(resource, UTF_8))
        .get("access_token")
        .as(String.class);
  }

  private Json post(String path, String login, String form) throws Exception {
    HttpResponse<String> response = client.send(
        HttpRequest.newBuilder(URI.create(issuer + path))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8)))
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build(),
        HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body().isEmpty() ? Json.NULL : Json.parse(response.body());
  }

  private Authenticator jwt(String audience) throws Exception {
    return Authenticators.jwt(Jwt.builder()
        .issuer(issuer)
        .audience(audience)
        .keys(URI.create(issuer + "/jwks"))
        .clocks(clock, InstantSource.system())
        .build());
  }

  private Authenticator introspection() throws Exception {
    Path file = Files.writeString(folder.resolve("client"), "api:secret: of the api\n");
    return Authenticators.introspection(Introspection.builder()
        .endpoint(URI.create(issuer + "/token/introspection"))
        .credentials(file)
        .audience(OPAQUE)
        .clocks(clock, InstantSource.system())
        .build());
  }

  @Test
  void aClientLogsInWithItsCredentials() throws Exception {
    String token = token(API);
    assertThat(Requests.admitted(jwt(API), Requests.bearer(token)))
        .isEqualTo(new Principal(issuer + "#shop", Set.of(), Set.of("read"), "jwt"));
    assertThat(Requests.status(jwt("https://other.example/"), Requests.bearer(token)))
        .isEqualTo(401);
  }

  @Test
  void aNewKeyOfTheIssuerIsFoundAndTheOldOneForgotten() throws Exception {
    Authenticator jwt = jwt(API);
    String before = token(API);
    Requests.admitted(jwt, Requests.bearer(before));
    command("rotate");
    Requests.admitted(jwt, Requests.bearer(token(API)));
    assertThat(Requests.status(jwt, Requests.bearer(before))).isEqualTo(401);
  }

  @Test
  void anOutageOfTheIssuerDoesNotEndLogins() throws Exception {
    Authenticator jwt = jwt(API);
    String token = token(API);
    Requests.admitted(jwt, Requests.bearer(token));
    command("down");
    clock.advance(Duration.ofMinutes(50));
    Requests.admitted(jwt, Requests.bearer(token));
    Authenticator started = jwt(API);
    assertThat(Requests.status(started, Requests.bearer(token))).isEqualTo(503);
    command("up");
    clock.advance(Duration.ofSeconds(5));
    Requests.admitted(started, Requests.bearer(token));
  }

  @Test
  void aRevokedTokenIsRefused() throws Exception {
    Authenticator introspection = introspection();
    String token = token(OPAQUE);
    assertThat(Requests.admitted(introspection, Requests.bearer(token)))
        .isEqualTo(
            new Principal(issuer + "?client:shop", Set.of(), Set.of("read"), "introspection"));
    post("/token/revocation", "shop:secret+of+the+shop", "token=" + token);
    Requests.admitted(introspection, Requests.bearer(token));
    clock.advance(Duration.ofSeconds(30));
    assertThat(Requests.status(introspection, Requests.bearer(token))).isEqualTo(401);
    assertThat(Requests.status(introspection, Requests.bearer("made up"))).isEqualTo(401);
  }
}
