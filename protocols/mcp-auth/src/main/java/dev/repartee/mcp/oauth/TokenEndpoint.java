package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.ClientSecretPost;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import com.nimbusds.oauth2.sdk.token.AccessTokenType;
import com.nimbusds.oauth2.sdk.token.RefreshToken;
import dev.repartee.security.http.SmallExchange.Answer;
import java.net.URI;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests tokens from an authorization server. */
final class TokenEndpoint {
  /** The maximum life time of an access token: ten years. */
  private static final long LIFE_SECONDS = 10L * 365 * 24 * 60 * 60;

  /** The parameters of grants that are secret. */
  private static final List<String> SECRETS =
      List.of("code", "code_verifier", "refresh_token", "assertion");

  private final ServerMetadata at;
  private final Client client;
  private final Http http;
  private final String resource;

  TokenEndpoint(ServerMetadata at, Client client, Http http, String resource) {
    this.at = at;
    this.client = client;
    this.http = http;
    this.resource = resource;
  }

  /**
   * Requests tokens.
   *
   * @param scopes the scopes to send; empty for none
   * @param key the key to bind the tokens to; null for bearer tokens
   * @param requested all scopes that were requested, to remember
   * @param refresh the refresh token, which stays valid if the answer does not contain a new one
   */
  Tokens request(
      AuthorizationGrant grant,
      Set<String> scopes,
      @Nullable ECKey key,
      Set<String> requested,
      @Nullable String refresh,
      Tokens.Source source) {
    ClientAuthentication authentication = authentication();
    ClientID id = new ClientID(client.registration().id());
    TokenRequest.Builder request = authentication == null
        ? new TokenRequest.Builder(at.token(), id, grant)
        : new TokenRequest.Builder(at.token(), authentication, grant);
    request.resource(URI.create(resource));
    if (!scopes.isEmpty()) {
      request.scope(new Scope(scopes.toArray(String[]::new)));
    }
    Answer answer = send(request.build().toHTTPRequest(), key);
    AccessToken access;
    RefreshToken next;
    try {
      HTTPResponse response = new HTTPResponse(answer.status());
      response.setContentType("application/json");
      response.setBody(new String(answer.body(), UTF_8));
      TokenResponse parsed = TokenResponse.parse(response);
      if (!parsed.indicatesSuccess()) {
        throw refused(answer, parsed.toErrorResponse().getErrorObject(), grant);
      }
      access = parsed.toSuccessResponse().getTokens().getAccessToken();
      next = parsed.toSuccessResponse().getTokens().getRefreshToken();
    } catch (ParseException e) { // its message may have a part of a token
      throw new AuthorizationException(answer + ", without a token response");
    }
    AccessTokenType expected = key == null ? AccessTokenType.BEARER : AccessTokenType.DPOP;
    if (!expected.equals(access.getType())) {
      throw new AuthorizationException(answer.source() + " issued a token of the type "
          + AuthorizationException.told(String.valueOf(access.getType())) + ", not "
          + expected);
    }
    if (!Tokens.isSendable(access.getValue())) {
      throw new AuthorizationException(
          answer.source() + " issued an access token that no Authorization"
              + " header can hold: it has more than " + Tokens.LONGEST
              + " characters, or others than visible ASCII (RFC 6750 section 2.1)");
    }
    if (next != null && next.getValue().length() > Tokens.LONGEST) {
      throw new AuthorizationException(answer.source() + " issued a 'refresh_token' with "
          + next.getValue().length() + " characters, of at most " + Tokens.LONGEST);
    }
    requireAudience(access.getValue());
    long life = Math.max(0, Math.min(access.getLifetime(), LIFE_SECONDS)) * 1000;
    boolean known = new Document(answer.source(), answer.body()).has("expires_in");
    return new Tokens(
        at.issuer(),
        resource,
        client,
        access.getValue(),
        next == null ? refresh : next.getValue(),
        key,
        known ? System.currentTimeMillis() + life : 0,
        life,
        requested,
        source);
  }

  private @Nullable ClientAuthentication authentication() {
    Registration registration = client.registration();
    ClientID id = new ClientID(registration.id());
    switch (client.method()) {
      case Registrar.BASIC:
        return new ClientSecretBasic(id, new Secret(Objects.requireNonNull(registration.secret())));
      case Registrar.POST:
        return new ClientSecretPost(id, new Secret(Objects.requireNonNull(registration.secret())));
      case Registrar.KEY:
        try {
          return new PrivateKeyJWT(
              id,
              URI.create(at.issuer()),
              JWSAlgorithm.parse(Objects.requireNonNull(registration.algorithm())),
              Objects.requireNonNull(registration.key()),
              null,
              null);
        } catch (JOSEException | IllegalArgumentException e) {
          throw new AuthorizationException("the key of the client " + registration.id()
              + " cannot sign with " + registration.algorithm());
        }
      default:
        return null;
    }
  }

  private Answer send(HTTPRequest request, @Nullable ECKey key) {
    Map<String, String> headers = new LinkedHashMap<>();
    request.getHeaderMap().forEach((name, values) -> headers.put(name, values.get(0)));
    String body = request.getBody();
    if (key == null) {
      return http.post(at.token(), headers, body);
    }
    headers.put("DPoP", Proofs.of(key, "POST", at.token(), null, null));
    Answer answer = http.post(at.token(), headers, body);
    String nonce = Proofs.nonce(answer.headers().allValues("dpop-nonce"));
    if (answer.status() != 400 || nonce == null) {
      return answer;
    }
    headers.put("DPoP", Proofs.of(key, "POST", at.token(), null, nonce)); // RFC 9449 section 8
    return http.post(at.token(), headers, body);
  }

  private AuthorizationException refused(
      Answer answer, @Nullable ErrorObject error, AuthorizationGrant grant) {
    Set<String> secrets = new HashSet<>();
    SECRETS.forEach(name -> secrets.addAll(grant.toParameters().getOrDefault(name, List.of())));
    String secret = client.registration().secret();
    if (secret != null) {
      secrets.add(secret);
    }
    secrets.remove("");
    String code = error == null ? null : error.getCode();
    return new AuthorizationException(answer + Registrar.reason(answer, secrets), code, null);
  }

  /**
   * Refuses a token with another audience, if the token has one. An audience that is not a web
   * address is a name that the authorization server uses for the MCP server; it cannot be compared.
   */
  private void requireAudience(String token) {
    List<String> audience;
    try {
      JWTClaimsSet claims = JWTParser.parse(token).getJWTClaimsSet();
      audience = claims == null ? List.of() : claims.getAudience();
    } catch (java.text.ParseException e) {
      return; // an opaque token
    }
    String own = slashed(resource);
    if (!audience.isEmpty()
        && audience.stream()
            .allMatch(to -> to.matches("(?i)https?://.*") && !own.startsWith(slashed(to)))) {
      throw new AuthorizationException(at.issuer() + " issued a token for '"
          + AuthorizationException.told(String.join(", ", audience)) + "', not for " + resource);
    }
  }

  private static String slashed(String uri) {
    return uri.endsWith("/") ? uri : uri + "/";
  }
}
