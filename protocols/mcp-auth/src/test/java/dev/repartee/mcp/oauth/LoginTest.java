package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.oauth2.sdk.util.URLUtils;
import dev.repartee.mcp.auth.HttpAuthorization.Refusal;
import dev.repartee.mcp.auth.HttpAuthorization.Request;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the authorization code grant: the user grants access. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoginTest extends BrowsingTest {
  private static final URI REDIRECT = URI.create("https://app.example/back");

  /** Sets the address that the browser is redirected to. */
  private void comesBackTo(Function<Map<String, List<String>>, String> back) {
    client = OAuthClient.builder("Test")
        .browser(Browser.of(REDIRECT, page -> {
          Map<String, List<String>> query = URLUtils.parseParameters(page.getRawQuery());
          return CompletableFuture.completedStage(URI.create(back.apply(query)));
        }))
        .build();
  }

  private static String state(Map<String, List<String>> query) {
    return query.get("state").get(0);
  }

  @Test
  void bothRequestsNameTheServerAndProveTheCode() throws Exception {
    assertThat(servers.call(client)).isEqualTo(200);

    ScriptedServers.Heard page = servers.last("/authorize");
    assertThat(page.query("response_type")).isEqualTo("code");
    assertThat(page.query("client_id")).isEqualTo("dynamic-1");
    assertThat(page.query("code_challenge_method")).isEqualTo("S256");
    assertThat(page.query("resource")).isEqualTo(servers.mcp().toString());
    assertThat(page.query()).doesNotContainKey("scope");
    assertThat(page.query("redirect_uri")).matches("http://127\\.0\\.0\\.1:\\d+/callback");
    assertThat(page.query("state")).hasSizeGreaterThanOrEqualTo(40);
    ScriptedServers.Heard token = servers.last("/token");
    assertThat(token.form("grant_type")).isEqualTo("authorization_code");
    assertThat(token.form("code")).isEqualTo("the-code");
    assertThat(token.form("code_verifier")).hasSizeGreaterThanOrEqualTo(43);
    assertThat(token.form("redirect_uri")).isEqualTo(page.query("redirect_uri"));
    assertThat(token.form("resource")).isEqualTo(servers.mcp().toString());
    assertThat(token.form("client_id")).isEqualTo("dynamic-1");
  }

  @Test
  void aTokenIsUsedForAllFurtherRequests() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(servers.call(client)).isEqualTo(200);
    }
    assertThat(servers.logins).hasValue(1);
    assertThat(servers.heard("/mcp")).hasSize(4);
  }

  @Test
  void scopesComeFromTheChallenge() throws Exception {
    servers.challenge = "Bearer scope=\"read write\"";
    servers.resource.put("scopes_supported", List.of("all"));
    servers.call(client);
    assertThat(servers.last("/authorize").query("scope")).isEqualTo("read write");
  }

  @Test
  void scopesOfTheApplicationReplaceThoseOfTheMetadata() throws Exception {
    client = ScriptedServers.browsing().scopes("own", "read").build();
    servers.resource.put("scopes_supported", List.of("all"));
    servers.call(client);
    assertThat(servers.last("/authorize").query("scope")).isEqualTo("own read");

    client = ScriptedServers.browsing().scopes("own", "read").build();
    servers.challenge = "Bearer scope=\"read write\"";
    servers.call(client);
    assertThat(servers.last("/authorize").query("scope")).isEqualTo("own read write");
  }

  @Test
  void withoutAChallengeScopesComeFromTheMetadata() throws Exception {
    servers.resource.put("scopes_supported", List.of("read", "list"));
    servers.metadata.put("scopes_supported", List.of("read", "list", "admin"));
    servers.call(client);
    assertThat(servers.last("/authorize").query("scope")).isEqualTo("read list");
  }

  @Test
  void offlineAccessIsRequestedWhereItIsSupported() throws Exception {
    servers.resource.put("scopes_supported", List.of("read"));
    servers.metadata.put("scopes_supported", List.of("read", "offline_access"));
    servers.call(client);
    assertThat(servers.last("/authorize").query("scope")).isEqualTo("read offline_access");
    assertThat(servers.last("/authorize").query("prompt")).isEqualTo("consent");
  }

  @Test
  void anAnswerHasToComeFromTheIssuer() throws Exception {
    servers.response.put("iss", servers.origin());
    assertThat(servers.call(client)).isEqualTo(200);
  }

  @Test
  void anAnswerFromAnotherIssuerIsRefused() {
    servers.response.put("iss", servers.origin() + "/");
    failsEarly("'iss' is '" + servers.origin() + "/'");
    servers.metadata.put("authorization_response_iss_parameter_supported", true);
    servers.response.put("iss", "https://evil.example");
    failsEarly("'iss' is 'https://evil.example'");
    servers.response.remove("iss");
    failsEarly("no 'iss'");
  }

  @Test
  void anErrorFromAnotherIssuerIsNotShown() {
    servers.response.putAll(Map.of(
        "code",
        "",
        "iss",
        "https://evil.example",
        "error",
        "access_denied",
        "error_description",
        "call 555"));
    assertThatThrownBy(() -> servers.call(client))
        .isInstanceOf(AuthorizationException.class)
        .message()
        .doesNotContain("call 555", "access_denied");
  }

  @Test
  void aRefusalOfTheUserIsReported() {
    servers.response.putAll(
        Map.of("code", "", "error", "access_denied", "error_description", "The user\r\nsaid no"));
    failsEarly("access_denied: The user said no");
    assertThatThrownBy(() -> servers.call(client))
        .extracting(failure -> ((AuthorizationException) failure).error())
        .isEqualTo("access_denied");
  }

  @Test
  void anAnswerWithoutACodeIsRefused() {
    servers.response.put("code", "");
    failsEarly("no 'code'");
  }

  @Test
  void anAnswerWithAnotherStateIsRefused() {
    comesBackTo(query -> REDIRECT + "?code=secret-code&state=another");
    failsEarly("'state'");
    comesBackTo(query -> REDIRECT + "?code=secret-code");
    failsEarly("'state'");
    assertThatThrownBy(() -> servers.call(client)).message().doesNotContain("secret-code");
  }

  @Test
  void anAnswerWithARepeatedParameterIsRefused() {
    comesBackTo(query -> REDIRECT + "?code=a&code=b&state=" + state(query));
    failsEarly("several 'code'");
  }

  @Test
  void anAnswerAtAnotherAddressIsRefused() {
    comesBackTo(query -> "https://evil.example/back?code=secret-code&state=" + state(query));
    failsEarly("https://evil.example/back");
  }

  @Test
  void aRedirectUriThatOthersCanReadIsRefused() {
    for (String redirect :
        List.of("http://app.example/back", "app:/back", "https://a.example/#x")) {
      client = OAuthClient.builder("Test")
          .browser(Browser.of(URI.create(redirect), page -> new CompletableFuture<>()))
          .build();
      failsEarly("redirect URI", redirect);
    }
  }

  @Test
  void aPrivateSchemeIsARedirectUri() throws Exception {
    client = OAuthClient.builder("Test")
        .browser(Browser.of(
            URI.create("com.example.app:/back"),
            page -> CompletableFuture.failedStage(new IOException("no display"))))
        .build();
    failsEarly("no display");
    assertThat(servers.last("/register").body()).contains("com.example.app:/back", "\"native\"");
  }

  @Test
  void aLoginHasATimeLimit() {
    client = OAuthClient.builder("Test")
        .browser(Browser.of(REDIRECT, page -> new CompletableFuture<>()))
        .userTimeout(Duration.ofMillis(50))
        .build();
    failsEarly("has not ended");
  }

  @Test
  void requestsThatAreRefusedAtTheSameTimeCauseOneLogin() throws Exception {
    CompletableFuture<URI> page = new CompletableFuture<>();
    CompletableFuture<URI> back = new CompletableFuture<>();
    client = OAuthClient.builder("Test")
        .browser(Browser.of(REDIRECT, opened -> {
          page.complete(opened);
          return back;
        }))
        .build();
    List<CompletionStage<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(CompletableFuture.supplyAsync(
          () -> {
            try {
              return servers.call(client);
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          },
          task -> new Thread(task).start()));
    }
    URI opened = ScriptedServers.await(page);
    Map<String, List<String>> query = URLUtils.parseParameters(opened.getRawQuery());
    servers.scripts.put("/token", token -> {
      servers.accepted.add("Bearer only");
      token.json(200, Map.of("access_token", "only", "token_type", "Bearer"));
    });
    back.complete(URI.create(REDIRECT + "?code=c&state=" + state(query)));

    for (CompletionStage<Integer> call : calls) {
      assertThat(ScriptedServers.await(call)).isEqualTo(200);
    }
    assertThat(servers.heard("/token")).hasSize(1);
    assertThat(servers.heard("/register")).hasSize(1);
  }

  @Test
  void aLoginForFurtherScopesDelaysNoOtherCall() throws Exception {
    servers.challenge = "Bearer scope=\"read\"";
    CompletableFuture<URI> second = new CompletableFuture<>();
    client = OAuthClient.builder("Test")
        .browser(Browser.loopback(page -> {
          if (servers.logins.get() == 0) {
            ScriptedServers.visit(page);
          } else {
            second.complete(page);
          }
        }))
        .build();
    servers.call(client);
    Request request = new Request("POST", servers.mcp(), servers.mcp());
    Headers sent = ScriptedServers.await(client.headers(request));
    CompletionStage<Boolean> again = client.refused(new Refusal(
        request,
        sent,
        403,
        Map.of("www-authenticate", List.of("Bearer error=\"insufficient_scope\", scope=\"write\"")),
        1));
    URI page = ScriptedServers.await(second);

    assertThat(servers.call(client)).isEqualTo(200);
    ScriptedServers.visit(page);
    assertThat(ScriptedServers.await(again)).isTrue();
  }
}
