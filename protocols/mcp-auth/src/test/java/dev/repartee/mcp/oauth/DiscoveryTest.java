package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.security.http.SmallExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finds the metadata of MCP servers and authorization servers. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DiscoveryTest extends BrowsingTest {
  private static final String RESOURCE = "/.well-known/oauth-protected-resource";
  private static final String OAUTH = "/.well-known/oauth-authorization-server";
  private static final String OPENID = "/.well-known/openid-configuration";

  @Test
  void theMetadataIsAtThePathOfTheServer() throws Exception {
    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.wellKnown()).containsExactly(RESOURCE + "/mcp", OAUTH);
  }

  @Test
  void theMetadataMayBeAtTheRootAndNameTheWholeOrigin() throws Exception {
    servers.scripts.put(RESOURCE, servers.scripts.remove(RESOURCE + "/mcp"));
    servers.resource.put("resource", servers.origin());

    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.wellKnown()).startsWith(RESOURCE + "/mcp", RESOURCE);
    assertThat(servers.last("/token").form("resource")).isEqualTo(servers.origin());
  }

  @Test
  void aChallengeNamesTheOnlyPlaceOfTheMetadata() throws Exception {
    servers.scripts.put("/its/metadata", servers.scripts.remove(RESOURCE + "/mcp"));
    servers.challenge = "Bearer resource_metadata=\"" + servers.origin() + "/its/metadata\"";

    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.wellKnown()).containsExactly(OAUTH);
  }

  @Test
  void aNamedPlaceWithoutMetadataIsAnError() {
    servers.challenge = "Bearer resource_metadata=\"" + servers.origin() + "/nowhere\"";
    failsEarly("/nowhere", "404");
  }

  @Test
  void metadataOfAnIssuerWithoutAPathIsTriedInOrder() throws Exception {
    servers.scripts.put(OPENID, servers.scripts.remove(OAUTH));

    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.wellKnown()).containsExactly(RESOURCE + "/mcp", OAUTH, OPENID);
  }

  @Test
  void metadataOfAnIssuerWithAPathIsTriedInOrder() throws Exception {
    String issuer = servers.origin() + "/tenant";
    servers.resource.put("authorization_servers", List.of(issuer));
    servers.metadata.put("issuer", issuer);
    servers.scripts.put("/tenant" + OPENID, servers.scripts.remove(OAUTH));

    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.wellKnown())
        .containsExactly(
            RESOURCE + "/mcp", OAUTH + "/tenant", OPENID + "/tenant", "/tenant" + OPENID);
  }

  @Test
  void aPageForPeopleIsNoMetadata() throws Exception {
    servers.scripts.put(OPENID, servers.scripts.get(OAUTH));
    servers.scripts.put(OAUTH, page -> page.answer(200, "text/html", "<p>Welcome"));

    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.wellKnown()).endsWith(OAUTH, OPENID);
  }

  @Test
  void aServerWithoutMetadataHasTheDefaultEndpointsOf20250326() throws Exception {
    servers.withoutMetadata();

    assertThat(servers.call(client)).isEqualTo(200);
    assertThat(servers.last("/authorize").query("code_challenge_method")).isEqualTo("S256");
    assertThat(servers.last("/token").form("resource")).isEqualTo(servers.mcp().toString());
  }

  @Test
  void anErrorOfAServerDoesNotLeadToTheDefaultEndpoints() {
    servers.withoutMetadata();
    servers.scripts.put(RESOURCE, broken -> broken.answer(503, "text/plain", "later"));
    failsEarly(RESOURCE, "503");
    assertThat(servers.heard("/register")).isEmpty();
  }

  @Test
  void namedAuthorizationServersHaveNoDefaultEndpoints() {
    servers.scripts.remove(OAUTH);
    failsEarly("publishes no metadata", OAUTH, OPENID);
  }

  @Test
  void metadataOfAnotherResourceIsRefused() {
    servers.resource.put("resource", "https://evil.example/mcp");
    failsEarly("another resource", "https://evil.example/mcp");
    servers.resource.put("resource", servers.origin() + "/mc");
    failsEarly("another resource");
    servers.resource.put("resource", servers.mcp() + "/deeper");
    failsEarly("another resource");
    servers.resource.put("resource", servers.mcp() + "#part");
    failsEarly("another resource");
  }

  @Test
  void metadataOfAnotherIssuerIsRefused() {
    servers.metadata.put("issuer", servers.origin() + "/");
    failsEarly("another issuer", "'" + servers.origin() + "/'");
  }

  @Test
  void metadataWithWrongMembersIsRefused() {
    servers.resource.put("authorization_servers", List.of());
    failsEarly("names no authorization server");
    servers.resource.put("authorization_servers", List.of(servers.origin()));
    servers.metadata.put("scopes_supported", "read");
    failsEarly("'scopes_supported'", "not an array of strings");
    servers.metadata.remove("scopes_supported");
    servers.metadata.remove("token_endpoint");
    failsEarly("no 'token_endpoint'");
    servers.scripts.put(OAUTH, list -> list.json(200, List.of("s3cret")));
    failsEarly("is no JSON object");
    servers.scripts.put(OAUTH, broken -> broken.answer(200, "application/json", "{\"a\":"));
    failsEarly("is no JSON object");
  }

  @Test
  void anAuthorizationServerWithoutPkceIsRefused() {
    servers.metadata.remove("code_challenge_methods_supported");
    failsEarly("PKCE");
    servers.metadata.put("code_challenge_methods_supported", List.of("plain"));
    failsEarly("PKCE");
    assertThat(servers.logins).hasValue(0);
  }

  @Test
  void aLargeBodyIsRefused() {
    servers.scripts.put(
        OAUTH, large -> large.json(200, Map.of("issuer", "x".repeat(SmallExchange.BODY))));
    failsEarly("more than 1048576 bytes");
  }

  @Test
  void aRedirectIsFollowedWithinItsOriginOnly() throws Exception {
    servers.scripts.put("/moved", servers.scripts.get(OAUTH));
    servers.scripts.put(OAUTH, moved -> moved.redirect("/moved"));
    assertThat(servers.call(client)).isEqualTo(200);

    try (ScriptedServers other = new ScriptedServers()) {
      servers.accepted.clear();
      client = ScriptedServers.browsing().build();
      servers.scripts.put(OAUTH, moved -> moved.redirect(other.origin() + OAUTH));
      assertThatThrownBy(() -> servers.call(client)).message().contains("redirects to");
      assertThat(other.heard).isEmpty();
    }
  }

  @Test
  void aRedirectToAQueryKeepsThePath() throws Exception {
    ScriptedServers.Script document = servers.scripts.get(OAUTH);
    servers.scripts.put(OAUTH, moved -> {
      if (moved.query().isEmpty()) {
        moved.redirect("?moved=yes");
      } else {
        document.answer(moved);
      }
    });
    assertThat(servers.call(client)).isEqualTo(200);
  }

  @Test
  void aRedirectWithoutAnAddressIsRefused() {
    servers.scripts.put(OAUTH, lost -> lost.answer(302, "text/plain", "nowhere"));
    failsEarly("redirects to ''");
    assertThat(servers.heard(OAUTH)).hasSize(1);
  }

  @Test
  void aCircleOfRedirectsEnds() {
    servers.scripts.put(OAUTH, moved -> moved.redirect(OAUTH));
    failsEarly("only 3 redirects");
  }

  @Test
  void challengesAreReadInAllForms() {
    String quoted = "Basic realm=\"a, b=\\\"c\\\"\", Bearer  error = \"invalid_token\" ,"
        + "scope=\"a b\", resource_metadata=https://x.example/y?z";
    assertThat(Challenge.of(List.of(quoted)))
        .isEqualTo(new Challenge(
            "bearer",
            Map.of(
                "error", "invalid_token",
                "scope", "a b",
                "resource_metadata", "https://x.example/y?z")));
    assertThat(Challenge.of(List.of("Negotiate abc==", "bearer", "DPoP algs=\"ES256\""))
            .scheme())
        .isEqualTo("dpop");
    assertThat(Challenge.of(List.of("Bearer scope=\"open"))).isNotSameAs(Challenge.NONE);
    List<String> odd = new ArrayList<>(List.of("", ",", "=", "\"", "a=", "Digest x=1"));
    assertThat(Challenge.of(odd)).isSameAs(Challenge.NONE);
  }
}
