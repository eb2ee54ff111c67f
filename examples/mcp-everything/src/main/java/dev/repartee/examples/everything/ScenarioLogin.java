package dev.repartee.examples.everything;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.mcp.oauth.Browser;
import dev.repartee.mcp.oauth.OAuthClient;
import dev.repartee.mcp.oauth.Registration;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The authorization in the scenarios {@code auth/...} of the official suite. The browser is a plain
 * HTTP client: the login page of the suite asks no user, but redirects immediately.
 */
final class ScenarioLogin {
  private static final URI DOCUMENT =
      URI.create("https://conformance-test.local/client-metadata.json");
  private static final HttpClient HTTP =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.ALWAYS).build();

  private ScenarioLogin() {}

  /** Returns the authorization for a scenario with its context. */
  static OAuthClient of(String scenario, URI server, Json context) throws Exception {
    OAuthClient.Builder oauth = OAuthClient.builder("Repartee");
    Registration registration = registration(context);
    if (registration == null) {
      return oauth
          .clientIdDocument(DOCUMENT)
          .browser(Browser.loopback(ScenarioLogin::visit))
          .build();
    }
    String issuer = text(context, "issuer");
    if (issuer.isEmpty()) {
      oauth.registeredFor(server, registration);
    } else {
      oauth.registered(issuer, registration);
    }
    return switch (scenario) {
      case "auth/pre-registration" ->
        oauth.browser(Browser.loopback(ScenarioLogin::visit)).build();
      case "auth/wif-jwt-bearer" ->
        oauth
            .assertions(
                (at, resource) -> CompletableFuture.completedStage(text(context, "valid_jwt")))
            .build();
      case "auth/enterprise-managed-authorization" ->
        oauth.assertions((at, resource) -> exchange(context, at, resource)).build();
      default -> oauth.clientCredentials().build();
    };
  }

  private static @Nullable Registration registration(Json context) throws GeneralSecurityException {
    String id = text(context, "client_id");
    if (id.isEmpty()) {
      return null;
    }
    String pem = text(context, "private_key_pem");
    if (!pem.isEmpty()) {
      return Registration.withKey(id, key(pem), text(context, "signing_algorithm"));
    }
    String secret = text(context, "client_secret");
    return secret.isEmpty() ? Registration.of(id) : Registration.withSecret(id, secret);
  }

  private static PrivateKey key(String pem) throws GeneralSecurityException {
    String base64 = pem.replaceAll("-----[A-Z ]+-----|\\s", "");
    return KeyFactory.getInstance("EC")
        .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
  }

  private static void visit(URI page) {
    HTTP.sendAsync(HttpRequest.newBuilder(page).build(), BodyHandlers.discarding());
  }

  /** Exchanges the token of the user at the identity provider for an assertion (RFC 8693). */
  private static CompletionStage<String> exchange(Json context, String issuer, String resource) {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
    form.put("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag");
    form.put("audience", issuer);
    form.put("resource", resource);
    form.put("subject_token", text(context, "idp_id_token"));
    form.put("subject_token_type", "urn:ietf:params:oauth:token-type:id_token");
    form.put("client_id", text(context, "idp_client_id"));
    String body = form.entrySet().stream()
        .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), UTF_8))
        .collect(Collectors.joining("&"));
    HttpRequest request = HttpRequest.newBuilder(URI.create(text(context, "idp_token_endpoint")))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    return HTTP.sendAsync(request, BodyHandlers.ofString()).thenCompose(answer -> {
      if (answer.statusCode() != 200) {
        return CompletableFuture.failedStage(
            new IOException("the identity provider answered HTTP status " + answer.statusCode()));
      }
      return CompletableFuture.completedStage(text(Json.parse(answer.body()), "access_token"));
    });
  }

  private static String text(Json object, String member) {
    Json value = object.get(member);
    return value == null ? "" : value.as(String.class);
  }
}
