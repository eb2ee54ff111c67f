package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import dev.repartee.mcp.auth.HttpAuthorization.Request;
import dev.repartee.mcp.client.McpClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Refreshes, extends, checks and stores tokens. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TokensTest extends BrowsingTest {
  private List<String> grants() {
    return servers.heard("/token").stream().map(it -> it.form("grant_type")).toList();
  }

  @Test
  void aRefusedTokenIsRefreshedWithRotation() throws Exception {
    servers.token.put("refresh_token", "r1");
    servers.call(client);
    servers.accepted.clear();
    servers.token.put("refresh_token", "r2");
    assertThat(servers.call(client)).isEqualTo(200);
    servers.accepted.clear();
    servers.token.remove("refresh_token");
    assertThat(servers.call(client)).isEqualTo(200);
    servers.accepted.clear();
    assertThat(servers.call(client)).isEqualTo(200);

    assertThat(servers.heard("/token").stream().map(it -> it.form("refresh_token")))
        .containsExactly("", "r1", "r2", "r2");
    assertThat(servers.last("/token").form("resource")).isEqualTo(servers.mcp().toString());
    assertThat(servers.logins).hasValue(1);
  }

  @Test
  void anExpiredTokenIsRefreshedBeforeItIsSent() throws Exception {
    servers.token.put("refresh_token", "r1");
    ScriptedServers.Script token = servers.scripts.get("/token");
    servers.scripts.put("/token", request -> {
      boolean first = request.form("grant_type").equals("authorization_code");
      servers.token.put(
          "expires_in", first ? 0 : 3600); // not after the answer, which is used immediately
      token.answer(request);
    });
    servers.call(client);
    servers.call(client);
    assertThat(grants()).containsExactly("authorization_code", "refresh_token");
    assertThat(servers.heard("/mcp").stream().map(it -> it.header("Authorization")))
        .containsExactly("", "Bearer access-2", "Bearer access-2");
  }

  @Test
  void anInvalidRefreshTokenLeadsToALogin() throws Exception {
    servers.token.put("refresh_token", "r1");
    servers.call(client);
    servers.accepted.clear();
    ScriptedServers.Script token = servers.scripts.get("/token");
    servers.scripts.put("/token", request -> {
      if (request.form("grant_type").equals("refresh_token")) {
        request.json(400, Map.of("error", "invalid_grant"));
      } else {
        token.answer(request);
      }
    });
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.logins).hasValue(2);
  }

  /**
   * Lets another client refresh the token first. The server then refuses the refresh of this
   * client.
   */
  private void isFasterThanThisClient(OAuthClient other) {
    AtomicBoolean first = new AtomicBoolean(true);
    ScriptedServers.Script token = servers.scripts.get("/token");
    servers.scripts.put("/token", request -> {
      if (request.form("grant_type").equals("refresh_token") && first.getAndSet(false)) {
        servers.token.putAll(Map.of("refresh_token", "r2", "expires_in", 3600));
        servers.call(other);
        request.json(400, Map.of("error", "invalid_grant"));
      } else {
        token.answer(request);
      }
    });
  }

  @Test
  void aTokenThatAnotherProcessHasJustRefreshedIsKeptAndUsed() throws Exception {
    TokenStore store = TokenStore.memory();
    client = ScriptedServers.browsing().store(store).build();
    servers.token.putAll(Map.of("refresh_token", "r1", "expires_in", 0));
    isFasterThanThisClient(ScriptedServers.browsing().store(store).build());
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.call(ScriptedServers.browsing().store(store).build())).isEqualTo(200);
    assertThat(servers.logins).hasValue(1);
    assertThat(grants()).containsExactly("authorization_code", "refresh_token", "refresh_token");
  }

  @Test
  void aRefusedTokenThatAnotherProcessHasJustRefreshedCausesNoLogin() throws Exception {
    TokenStore store = TokenStore.memory();
    client = ScriptedServers.browsing().store(store).build();
    servers.token.put("refresh_token", "r1");
    servers.call(client);
    servers.accepted.clear();
    isFasterThanThisClient(ScriptedServers.browsing().store(store).build());
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.logins).hasValue(1);
  }

  @Test
  void aRefreshTokenThatIsNotValidAnyMoreCausesALoginInEachClientThatHasIt() throws Exception {
    TokenStore store = TokenStore.memory();
    servers.token.putAll(Map.of("refresh_token", "r1", "expires_in", 0));
    ScriptedServers.Script token = servers.scripts.get("/token");
    servers.scripts.put("/token", request -> {
      if (request.form("grant_type").equals("refresh_token")) {
        servers.token.put("expires_in", 3600);
        request.json(400, Map.of("error", "invalid_grant"));
      } else {
        token.answer(request);
      }
    });
    client = ScriptedServers.browsing().store(store).build();
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.logins).hasValue(2);
    assertThat(grants())
        .containsExactly("authorization_code", "refresh_token", "authorization_code");
    assertThat(servers.call(ScriptedServers.browsing().store(store).build())).isEqualTo(200);
    assertThat(servers.logins).hasValue(2);
  }

  @Test
  void aFailureOfTheAuthorizationServerKeepsTheRefreshToken() throws Exception {
    servers.token.put("refresh_token", "r1");
    servers.call(client);
    servers.accepted.clear();
    ScriptedServers.Script token = servers.scripts.get("/token");
    servers.scripts.put("/token", broken -> broken.answer(502, "text/plain", "later"));
    fails("/token", "502");
    servers.scripts.put("/token", token);
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.logins).hasValue(1);
  }

  @Test
  void aTokenThatWasRefusedAtOnceIsAnError() {
    servers.scripts.put("/mcp", request -> {
      request
          .http()
          .getResponseHeaders()
          .set("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\"clock\"");
      request.answer(401, "text/plain", "");
    });
    fails("has just issued", ": clock");
    assertThat(servers.logins).hasValue(1);
  }

  @Test
  void furtherScopesAreAddedToThoseBefore() throws Exception {
    servers.challenge = "Bearer scope=\"read\"";
    servers.call(client);
    servers.scripts.put("/mcp", request -> {
      if (request.header("Authorization").equals("Bearer access-2")) {
        request.json(200, Map.of());
        return;
      }
      request
          .http()
          .getResponseHeaders()
          .set("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"write\"");
      request.answer(403, "text/plain", "");
    });
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.last("/authorize").query("scope").split(" "))
        .containsExactlyInAnyOrder("read", "write");
  }

  @Test
  void scopesThatWereNotGrantedAreNotRequestedAgain() throws Exception {
    servers.challenge = "Bearer scope=\"read\"";
    servers.call(client);
    servers.scripts.put("/mcp", request -> {
      request
          .http()
          .getResponseHeaders()
          .set("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"write\"");
      request.answer(403, "text/plain", "");
    });
    fails("the scopes write", "not granted");
    assertThat(servers.logins).hasValue(2);
    fails("the scopes write", "not granted");
    assertThat(servers.logins).hasValue(2);
  }

  @Test
  void scopesAreExtendedThreeTimesForARequest() {
    servers.scripts.put("/mcp", request -> {
      boolean known = !request.header("Authorization").isEmpty();
      request
          .http()
          .getResponseHeaders()
          .set(
              "WWW-Authenticate",
              known
                  ? "Bearer error=\"insufficient_scope\", scope=\"s" + servers.logins + "\""
                  : "Bearer");
      request.answer(known ? 403 : 401, "text/plain", "");
    });
    fails("not granted");
    assertThat(servers.logins).hasValueLessThanOrEqualTo(3);
  }

  @Test
  void anyOther403IsFinal() throws Exception {
    servers.scripts.put("/mcp", request -> request.answer(403, "text/plain", "no"));
    assertThat(servers.call(client)).isEqualTo(403);
    assertThat(servers.heard).hasSize(1);
  }

  @Test
  void aTokenForAnotherServerIsRefused() throws Exception {
    for (String audience : List.of("https://other.example/mcp", servers.origin() + "/mcp2")) {
      servers.token.put("access_token", jwt(audience));
      fails("issued a token for '" + audience + "'");
    }
    for (String audience : List.of(servers.mcp().toString(), servers.origin() + "/", "api")) {
      servers.token.put("access_token", jwt(audience));
      assertThat(servers.call(ScriptedServers.browsing().build())).isEqualTo(200);
    }
  }

  private static String jwt(String audience) {
    return new PlainJWT(new JWTClaimsSet.Builder().audience(audience).build()).serialize();
  }

  @Test
  void aTokenOfAnotherTypeIsRefused() {
    servers.token.put("token_type", "DPoP");
    fails("of the type DPoP, not Bearer");
    servers.token.put("token_type", "mac");
    fails("without a token response");
  }

  @Test
  void anAnswerWithoutATokenIsRefusedWithoutItsText() {
    servers.scripts.put("/token", odd -> odd.json(200, Map.of("access_tokens", List.of("s3cret"))));
    assertThatThrownBy(() -> servers.call(client))
        .hasMessageContaining("without a token response")
        .message()
        .doesNotContain("s3cret");
  }

  @Test
  void noTokenGoesToAnotherServer() throws Exception {
    servers.call(client);
    URI elsewhere = URI.create("https://other.example/mcp");
    assertThat(ScriptedServers.await(client.headers(new Request("POST", elsewhere, elsewhere)))
            .isEmpty())
        .isTrue();
    assertThat(ScriptedServers.await(client.headers(new Request("POST", elsewhere, servers.mcp())))
            .isEmpty())
        .isTrue();
    URI messages = URI.create(servers.origin() + "/messages");
    assertThat(ScriptedServers.await(client.headers(new Request("POST", messages, servers.mcp())))
            .fields())
        .containsEntry("Authorization", "Bearer access-1");
  }

  @Test
  void secretsAreInNoText() throws Exception {
    servers.token.putAll(Map.of("access_token", "s3cret", "refresh_token", "s3cret"));
    Tokens tokens = new Tokens(
        "https://a.example",
        "https://m.example",
        new Client(Registration.withSecret("id", "s3cret"), "none", null, 0),
        "s3cret",
        "s3cret",
        null,
        0,
        0,
        Set.of(),
        Tokens.Source.ISSUED);
    assertThat(tokens + " " + tokens.client() + " " + tokens.client().registration())
        .doesNotContain("s3cret");
    servers.scripts.put(
        "/token",
        echo -> echo.json(
            400,
            Map.of(
                "error",
                "invalid_client",
                "error_description",
                "wrong secret s3cret or the-code")));
    client = ScriptedServers.browsing()
        .registered(servers.origin(), Registration.withSecret("id", "s3cret"))
        .build();
    assertThatThrownBy(() -> servers.call(client))
        .message()
        .contains("wrong secret *** or ***")
        .doesNotContain("s3cret", "the-code");
  }

  @Test
  void tokensInAFolderOutliveTheProcess(@TempDir Path home) throws Exception {
    Path folder = home.resolve("tokens");
    servers.token.put("refresh_token", "r1");
    servers.call(ScriptedServers.browsing().store(TokenStore.folder(folder)).build());
    servers.call(ScriptedServers.browsing().store(TokenStore.folder(folder)).build());
    assertThat(servers.logins).hasValue(1);
    assertThat(servers.heard("/mcp")).hasSize(3);

    servers.accepted.clear();
    client = ScriptedServers.browsing().store(TokenStore.folder(folder)).build();
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.logins).hasValue(1);

    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
        assertThat(file.getFileName().toString()).endsWith(".json");
      }
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
  }

  @Test
  void aFileThatOthersMayReadIsRefused(@TempDir Path folder) throws Exception {
    TokenStore store = TokenStore.folder(folder);
    store.write("x", "s3cret");
    assertThat(store.read("x")).isEqualTo("s3cret");
    assertThat(store.read("y")).isNull();
    try (Stream<Path> files = Files.list(folder)) {
      Files.setPosixFilePermissions(
          files.findFirst().orElseThrow(), PosixFilePermissions.fromString("rw-r--r--"));
    }
    assertThatThrownBy(() -> store.read("x"))
        .message()
        .contains("other users")
        .doesNotContain("s3cret");
    store.remove("x");
    assertThat(store.read("x")).isNull();
  }

  @Test
  void aFolderThatOthersMayReadOrChangeIsRefused(@TempDir Path home) throws Exception {
    Path folder = home.resolve("tokens");
    TokenStore store = TokenStore.folder(folder);
    assertThat(store.read("x")).isNull();
    store.remove("x");
    store.write("x", "s3cret");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    for (ThrowingCallable use : List.<ThrowingCallable>of(
        () -> store.read("x"), () -> store.write("x", "y"), () -> store.remove("x"))) {
      assertThatThrownBy(use)
          .isInstanceOf(IOException.class)
          .message()
          .contains("other users", "(rwxrwxrwx)", "run 'chmod 700 " + folder + "'")
          .doesNotContain("s3cret");
    }
    client = ScriptedServers.browsing().store(store).build();
    fails("the store of tokens failed", "chmod 700");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    assertThat(store.read("x")).isEqualTo("s3cret");
  }

  @Test
  void aFolderOfAnotherUserIsRefused(@TempDir Path home) throws Exception {
    Path folder = home;
    try { // only the superuser may give a folder away
      UserPrincipalLookupService users = home.getFileSystem().getUserPrincipalLookupService();
      Files.setOwner(home, users.lookupPrincipalByName("nobody"));
    } catch (IOException e) {
      folder = Path.of("/");
    }
    TokenStore store = TokenStore.folder(folder);
    assertThatThrownBy(() -> store.read("x"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder + " belongs to the user '")
        .hasMessageContaining("a folder that you own");
    assertThatThrownBy(() -> store.write("x", "y")).hasMessageContaining("belongs to the user");
  }

  @Test
  void clientsThatShareAStoreUseTheTokensOfTheOther() throws Exception {
    TokenStore store = TokenStore.memory();
    OAuthClient other = ScriptedServers.browsing().store(store).build();
    client = ScriptedServers.browsing().store(store).build();
    servers.token.put("refresh_token", "r1");
    servers.call(client);
    servers.call(other);
    servers.accepted.clear();
    servers.token.put("refresh_token", "r2");
    servers.call(other);
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(grants()).containsExactly("authorization_code", "refresh_token");
  }

  @Test
  void anMcpClientIsAuthorized() throws Exception {
    ScriptedServers.Script refusing = servers.scripts.get("/mcp");
    servers.scripts.put("/mcp", request -> {
      if (!servers.accepted.contains(request.header("Authorization"))) {
        refusing.answer(request);
        return;
      }
      Object result = request.json().get("method").as(String.class).equals("tools/list")
          ? Map.of(
              "resultType", "complete", "tools", List.of(), "ttlMs", 0, "cacheScope", "private")
          : Map.of(
              "resultType",
              "complete",
              "supportedVersions",
              List.of("2026-07-28"),
              "capabilities",
              Map.of("tools", Map.of()),
              "ttlMs",
              0,
              "cacheScope",
              "private");
      request.json(200, Map.of("jsonrpc", "2.0", "id", request.json().get("id"), "result", result));
    });
    try (McpClient mcp = McpClient.builder("test", "1")
        .authorization(client)
        .connect(servers.mcp().toString())) {
      assertThat(mcp.tools().toList()).isEmpty();
    }
    assertThat(servers.logins).hasValue(1);
  }
}
