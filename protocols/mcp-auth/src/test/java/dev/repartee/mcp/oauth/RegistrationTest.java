package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.repartee.json.Json;
import java.net.URI;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finds the identity of the client, and authenticates it at the token endpoint. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegistrationTest {
  private static final URI DOCUMENT = URI.create("https://app.example/client.json");

  private ScriptedServers servers;

  @BeforeEach
  void start() throws Exception {
    servers = new ScriptedServers();
  }

  @AfterEach
  void stop() {
    servers.close();
  }

  private void supports(String... methods) {
    servers.metadata.put("token_endpoint_auth_methods_supported", List.of(methods));
  }

  private static String basic(String id, String secret) {
    return "Basic " + Base64.getEncoder().encodeToString((id + ":" + secret).getBytes(UTF_8));
  }

  private void fails(OAuthClient client, String... parts) {
    assertThatThrownBy(() -> servers.call(client))
        .isInstanceOf(AuthorizationException.class)
        .message()
        .contains(parts)
        .doesNotContain("s3cret");
  }

  @Test
  void aRegistrationOfTheApplicationComesFirst() throws Exception {
    servers.metadata.put("client_id_metadata_document_supported", true);
    OAuthClient client = ScriptedServers.browsing()
        .clientIdDocument(DOCUMENT)
        .registered("https://other.example", Registration.of("stranger"))
        .registered(servers.origin(), Registration.withSecret("known", "s3cret"))
        .build();
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.last("/authorize").query("client_id")).isEqualTo("known");
    assertThat(servers.last("/token").header("Authorization")).isEqualTo(basic("known", "s3cret"));
    assertThat(servers.heard("/register")).isEmpty();
  }

  @Test
  void aDocumentComesSecond() throws Exception {
    servers.metadata.put("client_id_metadata_document_supported", true);
    OAuthClient client = ScriptedServers.browsing().clientIdDocument(DOCUMENT).build();
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.last("/token").form("client_id")).isEqualTo(DOCUMENT.toString());
    assertThat(servers.heard("/register")).isEmpty();
  }

  @Test
  void aDynamicRegistrationComesThird() throws Exception {
    OAuthClient client = ScriptedServers.browsing().clientIdDocument(DOCUMENT).build();
    assertThat(servers.call(client)).isEqualTo(200);
    Json sent = servers.last("/register").json();
    assertThat(sent.get("client_name")).isEqualTo(Json.of("Test"));
    assertThat(sent.get("application_type")).isEqualTo(Json.of("native"));
    assertThat(sent.get("token_endpoint_auth_method")).isEqualTo(Json.of("none"));
    assertThat(sent.get("grant_types"))
        .isEqualTo(Json.of(List.of("authorization_code", "refresh_token")));
    assertThat(sent.get("redirect_uris").toString()).contains("127.0.0.1");
  }

  @Test
  void withoutAnyWayTheErrorTellsTheRemedy() {
    servers.metadata.remove("registration_endpoint");
    fails(ScriptedServers.browsing().build(), servers.origin(), "'registered'");
  }

  @Test
  void aFailedRegistrationTellsTheReason() {
    servers.scripts.put(
        "/register",
        refused -> refused.json(
            400, Map.of("error", "invalid_redirect_uri", "error_description", "no loopback here")));
    fails(
        ScriptedServers.browsing().build(),
        "redirect URI http://127.0.0.1",
        "invalid_redirect_uri: no loopback here",
        "'registered'");
  }

  @Test
  void aDynamicRegistrationIsUsedAgainForTheSameRedirectUri() throws Exception {
    TokenStore store = TokenStore.memory();
    Browser browser = Browser.loopback(ScriptedServers::visit);
    for (int i = 0; i < 2; i++) {
      OAuthClient client =
          OAuthClient.builder("Test").browser(browser).store(store).build();
      assertThat(servers.call(client)).isEqualTo(200);
      assertThat(client.forget(servers.mcp())).isTrue();
      assertThat(client.forget(servers.mcp())).isFalse();
    }
    assertThat(servers.heard("/register")).hasSize(1);
    assertThat(servers.logins).hasValue(2);

    OAuthClient elsewhere = OAuthClient.builder("Test")
        .browser(Browser.of(
            URI.create("https://app.example/back"),
            page -> CompletableFuture.failedStage(new IllegalStateException("stop here"))))
        .store(store)
        .build();
    fails(elsewhere, "stop here");
    assertThat(servers.heard("/register")).hasSize(2);
    assertThat(servers.last("/register").body()).contains("\"web\"");
  }

  @Test
  void anExpiredOrUnknownRegistrationIsReplaced() throws Exception {
    TokenStore store = TokenStore.memory();
    Browser browser = Browser.loopback(ScriptedServers::visit);
    servers.scripts.put(
        "/register",
        expired -> expired.json(
            201,
            Map.of("client_id", "old", "client_secret", "s3cret", "client_secret_expires_at", 1)));
    OAuthClient client =
        OAuthClient.builder("Test").browser(browser).store(store).build();
    servers.call(client);
    client.forget(servers.mcp());
    servers.scripts.put("/token", unknown -> unknown.json(401, Map.of("error", "invalid_client")));
    servers.scripts.put("/register", again -> again.json(201, Map.of("client_id", "new")));
    fails(client, "invalid_client");
    assertThat(servers.heard("/register")).hasSize(2);
    fails(client, "invalid_client");
    assertThat(servers.heard("/register")).hasSize(3);
  }

  @Test
  void theMethodOfAuthenticationFollowsTheMetadata() throws Exception {
    Registration known = Registration.withSecret("known", "s3cret");
    supports("private_key_jwt", "client_secret_post");
    assertThat(servers.call(
            ScriptedServers.browsing().registered(servers.origin(), known).build()))
        .isEqualTo(200);
    assertThat(servers.last("/token").form("client_secret")).isEqualTo("s3cret");
    assertThat(servers.last("/token").header("Authorization")).isEmpty();

    servers.metadata.remove("token_endpoint_auth_methods_supported");
    servers.accepted.clear();
    servers.call(ScriptedServers.browsing().registered(servers.origin(), known).build());
    assertThat(servers.last("/token").header("Authorization")).isEqualTo(basic("known", "s3cret"));

    supports("tls_client_auth");
    servers.accepted.clear();
    fails(
        ScriptedServers.browsing().registered(servers.origin(), known).build(),
        "a client secret",
        "tls_client_auth");
  }

  @Test
  void aDynamicRegistrationMayDemandItsMethod() throws Exception {
    supports("client_secret_basic", "client_secret_post");
    servers.scripts.put(
        "/register",
        it -> it.json(
            201,
            Map.of(
                "client_id", "d",
                "client_secret", "s3cret",
                "token_endpoint_auth_method", "client_secret_post")));
    assertThat(servers.call(ScriptedServers.browsing().build())).isEqualTo(200);
    assertThat(servers.last("/register").json().get("token_endpoint_auth_method"))
        .isEqualTo(Json.of("client_secret_basic"));
    assertThat(servers.last("/token").form("client_secret")).isEqualTo("s3cret");
  }

  @Test
  void clientCredentialsNeedNoUser() throws Exception {
    servers.challenge = "Bearer scope=\"read\"";
    OAuthClient client = OAuthClient.builder("Test")
        .clientCredentials()
        .registered(servers.origin(), Registration.withSecret("robot", "s3cret"))
        .build();
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.last("/token").form("grant_type")).isEqualTo("client_credentials");
    assertThat(servers.last("/token").form("scope")).isEqualTo("read");
    assertThat(servers.last("/token").form("resource")).isEqualTo(servers.mcp().toString());
    assertThat(servers.logins).hasValue(0);
  }

  @Test
  void clientCredentialsNeedASecretOfThisIssuer() {
    OAuthClient.Builder builder = OAuthClient.builder("Test").clientCredentials();
    fails(
        builder
            .registered("https://other.example", Registration.withSecret("robot", "s3cret"))
            .build(),
        "does not know this client");
    fails(
        builder.registered(servers.origin(), Registration.of("robot")).build(),
        "neither a secret nor a key");
    assertThat(servers.heard("/token")).isEmpty();
  }

  @Test
  void aKeySignsAnAssertionForTheIssuer() throws Exception {
    ECKey key = new ECKeyGenerator(Curve.P_256).generate();
    Registration robot = Registration.withKey("robot", key.toECPrivateKey(), "ES256");
    OAuthClient client = OAuthClient.builder("Test")
        .clientCredentials()
        .registered(servers.origin(), robot)
        .build();
    fails(client, "private_key_jwt", "client_secret_basic");
    supports("private_key_jwt");
    servers.metadata.put("token_endpoint_auth_signing_alg_values_supported", List.of("RS256"));
    fails(client, "ES256", "RS256");
    servers.metadata.remove("token_endpoint_auth_signing_alg_values_supported");
    assertThat(servers.call(client)).isEqualTo(200);

    SignedJWT assertion = SignedJWT.parse(servers.last("/token").form("client_assertion"));
    assertThat(assertion.verify(new ECDSAVerifier(key.toECPublicKey()))).isTrue();
    assertThat(assertion.getJWTClaimsSet().getAudience()).containsExactly(servers.origin());
    assertThat(assertion.getJWTClaimsSet().getIssuer()).isEqualTo("robot");
    assertThat(assertion.getJWTClaimsSet().getSubject()).isEqualTo("robot");
    assertThat(assertion.getJWTClaimsSet().getExpirationTime()).isNotNull();
  }

  @Test
  void anAssertionOfAThirdPartyIsExchangedOnce() throws Exception {
    ECKey key = new ECKeyGenerator(Curve.P_256).generate();
    SignedJWT assertion = new SignedJWT(
        new JWSHeader(JWSAlgorithm.ES256),
        new JWTClaimsSet.Builder().audience(servers.origin()).build());
    assertion.sign(new ECDSASigner(key));
    String text = assertion.serialize();
    OAuthClient client = OAuthClient.builder("Test")
        .assertions((issuer, resource) -> CompletableFuture.completedStage(
            issuer.equals(servers.origin()) && resource.equals(servers.mcp().toString())
                ? text
                : "wrong"))
        .registered(servers.origin(), Registration.of("workload"))
        .build();
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.last("/token").form("grant_type"))
        .isEqualTo("urn:ietf:params:oauth:grant-type:jwt-bearer");
    assertThat(servers.last("/token").form("assertion")).isEqualTo(text);

    servers.accepted.clear();
    servers.scripts.put("/token", no -> no.json(400, Map.of("error", "invalid_grant")));
    fails(client, "invalid_grant");
    assertThat(servers.heard("/token")).hasSize(2);
  }

  @Test
  void theFirstIssuerOfATrustedServerIsRemembered() throws Exception {
    try (ScriptedServers other = new ScriptedServers()) {
      OAuthClient client = OAuthClient.builder("Test")
          .clientCredentials()
          .registeredFor(servers.mcp(), Registration.withSecret("robot", "s3cret"))
          .build();
      assertThat(servers.call(client)).isEqualTo(200);
      servers.accepted.clear();
      servers.resource.put("authorization_servers", List.of(other.origin()));
      fails(client, "now names", other.origin(), servers.origin());
      assertThat(other.heard).isEmpty();
    }
  }

  @Test
  void aClientRegistersAgainWithAnotherAuthorizationServer() throws Exception {
    try (ScriptedServers other = new ScriptedServers()) {
      OAuthClient client = ScriptedServers.browsing().build();
      servers.token.put("refresh_token", "refresh-of-the-first");
      assertThat(servers.call(client)).isEqualTo(200);
      servers.accepted.clear();
      servers.accepted.add("Bearer access-of-the-second");
      other.token.put("access_token", "access-of-the-second");
      servers.resource.put("authorization_servers", List.of(other.origin()));
      assertThat(servers.call(client)).isEqualTo(200);
      assertThat(other.heard("/register")).hasSize(1);
      assertThat(other.heard.toString()).doesNotContain("refresh-of-the-first");
    }
  }

  @Test
  void aRegisteredIssuerIsPreferredAndItsLossIsAnError() throws Exception {
    servers.resource.put(
        "authorization_servers", List.of("https://unused.example", servers.origin()));
    OAuthClient client = ScriptedServers.browsing()
        .registered(servers.origin(), Registration.of("known"))
        .build();
    assertThat(servers.call(client)).isEqualTo(200);
    servers.accepted.clear();
    servers.resource.put("authorization_servers", List.of("https://unused.example"));
    fails(client, "now names", "https://unused.example");
  }

  @Test
  void aServerThatDemandsDpopGetsAFreshProofWithEachRequest() throws Exception {
    servers.metadata.put("dpop_signing_alg_values_supported", List.of("ES256"));
    servers.challenge = "DPoP algs=\"ES256\"";
    servers.token.put("token_type", "DPoP");
    servers.scripts.put("/mcp", request -> {
      if (!servers.accepted.contains(request.header("Authorization"))) {
        request.http().getResponseHeaders().set("WWW-Authenticate", servers.challenge);
        request.answer(401, "text/plain", "");
      } else if (!"n1"
          .equals(
              SignedJWT.parse(request.header("DPoP")).getJWTClaimsSet().getStringClaim("nonce"))) {
        request
            .http()
            .getResponseHeaders()
            .set("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\"");
        request.http().getResponseHeaders().set("DPoP-Nonce", "n1");
        request.answer(401, "text/plain", "");
      } else {
        request.json(200, Map.of());
      }
    });
    OAuthClient client = ScriptedServers.browsing().build();
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.logins).hasValue(1);

    SignedJWT issued = SignedJWT.parse(servers.last("/token").header("DPoP"));
    List<ScriptedServers.Heard> calls = servers.heard("/mcp");
    assertThat(calls).hasSize(4);
    SignedJWT one = SignedJWT.parse(calls.get(2).header("DPoP"));
    SignedJWT two = SignedJWT.parse(calls.get(3).header("DPoP"));
    JWK key = two.getHeader().getJWK();
    assertThat(two.verify(new ECDSAVerifier(key.toECKey()))).isTrue();
    assertThat(key).isEqualTo(issued.getHeader().getJWK());
    assertThat(key.isPrivate()).isFalse();
    assertThat(two.getJWTClaimsSet().getJWTID())
        .isNotEqualTo(one.getJWTClaimsSet().getJWTID());
    assertThat(two.getJWTClaimsSet().getStringClaim("htu"))
        .isEqualTo(servers.mcp().toString());
    assertThat(two.getJWTClaimsSet().getStringClaim("ath")).isNotEmpty();
  }

  @Test
  void settingsThatContradictEachOtherAreRefused() {
    assertThatIllegalStateException().isThrownBy(OAuthClient.builder("Test")::build);
    assertThatIllegalStateException()
        .isThrownBy(ScriptedServers.browsing().clientCredentials()::build);
    for (String wrong : List.of("http://app.example/x", "https://app.example", "/x")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> OAuthClient.builder("Test").clientIdDocument(URI.create(wrong)));
    }
  }
}
