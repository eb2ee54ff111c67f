package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of servers that the client cannot send back. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerTextTest extends BrowsingTest {
  private void useDpop() {
    servers.metadata.put("dpop_signing_alg_values_supported", List.of("ES256"));
    servers.resource.put("dpop_bound_access_tokens_required", true);
    servers.token.put("token_type", "DPoP");
  }

  @ParameterizedTest
  @ValueSource(strings = {"t\u00f6k", "x\r\nX-Evil: 1", "a b"})
  void anAccessTokenThatNoHeaderCanHoldIsRefusedAndNotStored(String token) throws Exception {
    TokenStore store = TokenStore.memory();
    client = ScriptedServers.browsing().store(store).build();
    servers.token.put("access_token", token);
    fails("no Authorization header can hold", servers.origin());

    servers.token.remove("access_token");
    assertThat(servers.call(ScriptedServers.browsing().store(store).build())).isEqualTo(200);
    assertThat(servers.logins).hasValue(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"t\u00f6k", ""})
  void aStoredTokenThatCannotBeSentLeadsToALogin(String token) throws Exception {
    TokenStore store = TokenStore.memory();
    servers.call(ScriptedServers.browsing().store(store).build());
    String entry = "tokens for " + servers.mcp() + " from " + servers.origin();
    store.write(entry, store.read(entry).replace("access-1", token));

    assertThat(servers.call(ScriptedServers.browsing().store(store).build())).isEqualTo(200);
    assertThat(servers.logins).hasValue(2);
    assertThat(store.read(entry)).contains("access-2");
  }

  @Test
  void aStoredRegistrationThatCannotBeReadIsReplaced() throws Exception {
    TokenStore store = TokenStore.memory();
    store.write("client at " + servers.origin(), "no JSON");
    assertThat(servers.call(ScriptedServers.browsing().store(store).build())).isEqualTo(200);
    assertThat(store.read("client at " + servers.origin())).contains("dynamic-1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\"b"})
  void aNonceThatCannotBeUsedIsIgnored(String nonce) throws Exception {
    useDpop();
    ScriptedServers.Script mcp = servers.scripts.get("/mcp");
    servers.scripts.put("/mcp", request -> {
      request.http().getResponseHeaders().set("DPoP-Nonce", nonce);
      mcp.answer(request);
    });
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.call(client)).isEqualTo(200);
  }

  @Test
  void anEmptyNonceOfTheTokenEndpointIsNoReasonToAskAgain() {
    useDpop();
    servers.scripts.put("/token", request -> {
      request.http().getResponseHeaders().set("DPoP-Nonce", "");
      request.json(400, Map.of("error", "use_dpop_nonce"));
    });
    fails("use_dpop_nonce");
    assertThat(servers.heard("/token")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"client_id", "client_secret"})
  void aRegistrationWithAnInvisibleCharacterIsRefused(String member) {
    Map<String, String> registration = new HashMap<>(Map.of("client_id", "c"));
    registration.put(member, "c\r\nX: y");
    servers.scripts.put("/register", request -> request.json(201, registration));
    failsEarly("'" + member + "'", "visible ASCII");
  }

  @ParameterizedTest
  @ValueSource(strings = {"client_id", "client_secret"})
  void aRegistrationWithALongTextIsNeitherUsedNorStored(String member) throws Exception {
    TokenStore store = TokenStore.memory();
    client = ScriptedServers.browsing().store(store).build();
    Map<String, String> registration = new HashMap<>(Map.of("client_id", "c"));
    registration.put(member, "s3cret".repeat(2_000));
    servers.scripts.put("/register", request -> request.json(201, registration));
    failsEarly("'" + member + "' in the registration at " + servers.origin(), "12000", "8192");
    assertThat(servers.logins).hasValue(0);
    assertThat(store.read("client at " + servers.origin())).isNull();
  }

  @Test
  void aLoginPageWithALongAddressIsRefused() {
    String page = servers.origin() + "/authorize?" + "x".repeat(8_192);
    servers.metadata.put("authorization_endpoint", page);
    failsEarly("authorization_endpoint in " + servers.origin(), "more than 8192 characters");
    assertThat(servers.logins).hasValue(0);
  }

  @Test
  void aResourceWithAUserIsAnother() {
    String user = "x".repeat(8_192) + "@";
    servers.resource.put("resource", servers.mcp().toString().replace("//", "//" + user));
    failsEarly("of another resource");
    assertThat(servers.logins).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"access_token", "refresh_token"})
  void aLongTokenIsRefusedAndNotStored(String member) throws Exception {
    TokenStore store = TokenStore.memory();
    client = ScriptedServers.browsing().store(store).build();
    servers.token.put(member, "t".repeat(65_537));
    fails(servers.origin(), member.replace('_', ' ').substring(0, 6), "65536");
    assertThat(store.read("issuer for " + servers.mcp())).isNull();
  }

  @Test
  void moreScopesThanALoginPageCanHaveAreNotRequested() {
    List<String> scopes = IntStream.range(0, 2_000).mapToObj(i -> "scope-" + i).toList();
    servers.resource.put("scopes_supported", scopes);
    failsEarly("lists 2000 scopes", "up to 8192", "set the scopes that you need");
    assertThat(servers.logins).hasValue(0);
  }

  @Test
  void onlyAClientWithCredentialsOfItsOwnDeclaresTheirExtension() {
    OAuthClient robot = OAuthClient.builder("Test").clientCredentials().build();
    assertThat(robot.extensions())
        .containsOnlyKeys("io.modelcontextprotocol/oauth-client-credentials");
    assertThat(client.extensions()).isEmpty();
  }
}
