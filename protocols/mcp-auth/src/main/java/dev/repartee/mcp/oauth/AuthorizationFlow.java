package dev.repartee.mcp.oauth;

import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationRequest;
import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.JWTBearerGrant;
import com.nimbusds.oauth2.sdk.RefreshTokenGrant;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.token.RefreshToken;
import com.nimbusds.oauth2.sdk.util.URLUtils;
import com.nimbusds.openid.connect.sdk.Prompt;
import dev.repartee.internal.Origin;
import dev.repartee.security.http.SmallExchange;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Obtains the tokens for one MCP server. All methods block. */
final class AuthorizationFlow {
  private static final int STATE_BYTES = 32;

  private static final String OFFLINE = "offline_access";

  private final Settings settings;
  private final URI server;
  private final StoredTokens store;
  private final Http http;
  private final Discovery discovery;
  private final Registrar registrar;

  AuthorizationFlow(Settings settings, URI server, StoredTokens store) {
    this.settings = settings;
    this.server = server;
    this.store = store;
    Addresses addresses = new Addresses(server, settings.resolver());
    this.http = new Http(addresses);
    this.discovery = new Discovery(server, addresses, http);
    this.registrar = new Registrar(settings, server, http);
  }

  /**
   * Obtains new tokens.
   *
   * @param challenge the challenge of the MCP server
   * @param old the tokens that the server has refused, or null
   * @param isRefreshable whether to try to refresh them
   * @throws IOException if the store fails
   */
  Tokens obtain(Challenge challenge, @Nullable Tokens old, boolean isRefreshable)
      throws IOException {
    ResourceMetadata resource = discovery.resource(challenge);
    String issuer = issuer(resource, store.issuer());
    ServerMetadata at = discovery.server(issuer, resource.legacy());
    boolean continued = old != null && old.issuer().equals(issuer);
    Set<String> scopes = new LinkedHashSet<>(settings.scopes());
    scopes.addAll(challenge.scopes());
    if (scopes.isEmpty()) {
      scopes.addAll(resource.scopes());
    }
    if (old != null && continued) {
      if (isRefreshable
          && old.resource().equals(resource.resource())
          && old.requested().containsAll(challenge.scopes())) {
        Tokens refreshed = refresh(at, old);
        if (refreshed == null) {
          refreshed = store.otherThan(old.access()); // another process was faster
        }
        if (refreshed != null) {
          return refreshed;
        }
      }
      scopes.addAll(old.requested());
    }
    requireFew(scopes);
    boolean bound =
        (challenge.isDpop() || resource.bound()) && at.bindings().contains(Proofs.ALGORITHM);
    ECKey key = bound ? Proofs.key() : null;
    if (settings.assertions() != null) {
      return exchange(at, resource.resource(), scopes, key, settings.assertions());
    }
    if (settings.browser() == null) {
      Client client = configured(at);
      if (client.method().equals(Registrar.NONE)) {
        throw new AuthorizationException("the client " + client.registration().id()
            + " has neither a secret nor a key, which the grant of client credentials needs");
      }
      return new TokenEndpoint(at, client, http, resource.resource())
          .request(new ClientCredentialsGrant(), scopes, key, scopes, null, Tokens.Source.ISSUED);
    }
    return login(at, resource.resource(), scopes, key, settings.browser());
  }

  /** Refuses scopes that make the address of the login page too long for browsers. */
  private void requireFew(Set<String> scopes) {
    int length = String.join(" ", scopes).length();
    if (length > Document.LONGEST) {
      throw new AuthorizationException(Discovery.identifier(server) + " lists " + scopes.size()
          + " scopes with " + length + " characters, and a login can request up to "
          + Document.LONGEST + "; set the scopes that you need with 'scopes'");
    }
  }

  /** Selects an authorization server, and refuses a change if the client is registered with one. */
  private String issuer(ResourceMetadata resource, @Nullable String last) {
    List<String> servers = resource.servers();
    boolean trusted = settings.trusted().containsKey(Discovery.identifier(server));
    if (!trusted) {
      for (String issuer : servers) {
        if (settings.registered().containsKey(issuer)) {
          return issuer;
        }
      }
    }
    if (last != null && servers.contains(last)) {
      return last;
    }
    if (last != null && (trusted || settings.registered().containsKey(last))) {
      throw new AuthorizationException(Discovery.identifier(server)
          + " now names the authorization server "
          + AuthorizationException.told(servers.get(0)) + ", but the client is registered with "
          + last + "; register it with the new one, if you trust it");
    }
    return servers.get(0);
  }

  private Client configured(ServerMetadata at) {
    Client client = registrar.known(at);
    if (client == null) {
      throw Registrar.unregistered(at);
    }
    return client;
  }

  /**
   * Refreshes tokens.
   *
   * @return the new tokens; null if the refresh token is missing or no longer valid
   */
  @Nullable Tokens refresh(Tokens old) {
    return old.refresh() == null ? null : refresh(discovery.server(old.issuer(), isOwn(old)), old);
  }

  /** Returns whether the MCP server is its own authorization server, as in 2025-03-26. */
  private boolean isOwn(Tokens tokens) {
    return tokens.issuer().equals(Origin.of(server));
  }

  private @Nullable Tokens refresh(ServerMetadata at, Tokens old) {
    String refresh = old.refresh();
    Client client = old.client().isDynamic() ? old.client() : registrar.known(at);
    if (refresh == null
        || client == null
        || !client.registration().id().equals(old.client().registration().id())) {
      return null;
    }
    try {
      return new TokenEndpoint(at, client, http, old.resource())
          .request(
              new RefreshTokenGrant(new RefreshToken(refresh)),
              Set.of(),
              old.key(),
              old.requested(),
              refresh,
              Tokens.Source.REFRESHED);
    } catch (AuthorizationException e) {
      if (e.error() == null || e.error().equals("temporarily_unavailable")) {
        throw e; // the refresh token may still be valid
      }
      return null;
    }
  }

  private Tokens exchange(
      ServerMetadata at,
      String resource,
      Set<String> scopes,
      @Nullable ECKey key,
      AssertionSource source) {
    Client client = configured(at);
    String assertion = await("the assertion", source.assertion(at.issuer(), resource));
    try {
      return new TokenEndpoint(at, client, http, resource)
          .request(
              new JWTBearerGrant(SignedJWT.parse(assertion)),
              scopes,
              key,
              scopes,
              null,
              Tokens.Source.ISSUED);
    } catch (java.text.ParseException e) {
      throw new AuthorizationException("the assertion is not a signed JWT");
    }
  }

  // ---------------------------------------------------------------- authorization code

  private Tokens login(
      ServerMetadata at,
      String resource,
      Set<String> scopes,
      @Nullable ECKey key,
      Browser browser) {
    if (at.authorization() == null) {
      throw new AuthorizationException(
          "the authorization server " + at.issuer() + " has no authorization_endpoint");
    }
    if (!at.pkce()) {
      throw new AuthorizationException("the authorization server " + at.issuer()
          + " does not support PKCE with S256 (code_challenge_methods_supported)");
    }
    Set<String> requested = new LinkedHashSet<>(scopes);
    if (!scopes.isEmpty() && at.scopes().contains(OFFLINE)) {
      requested.add(OFFLINE);
    }
    try (Browser.Visit visit = browser.visit()) {
      URI redirect = visit.redirect();
      requireOwn(redirect);
      Client client = registrar.find(at, redirect);
      try {
        return login(at, at.authorization(), resource, requested, key, visit, client);
      } catch (AuthorizationException e) {
        if (client.isDynamic() && "invalid_client".equals(e.error())) {
          registrar.forget(at);
        }
        throw e;
      }
    } catch (IOException e) {
      throw new AuthorizationException("the login cannot begin: " + e.getMessage(), e);
    }
  }

  /** Refuses a redirect URI if others could read the code there. */
  private static void requireOwn(URI redirect) {
    String scheme = redirect.getScheme() == null ? "" : redirect.getScheme();
    boolean own = scheme.equalsIgnoreCase("https")
        || scheme.equalsIgnoreCase("http") && Addresses.isLoopback(redirect)
        || scheme.contains("."); // a private scheme, RFC 8252 section 7.1
    if (!own || redirect.getRawFragment() != null) {
      throw new AuthorizationException("the redirect URI " + redirect + " is refused: it is neither"
          + " HTTPS, nor of this machine, nor of a private scheme such as com.example.app:");
    }
  }

  private Tokens login(
      ServerMetadata at,
      URI endpoint,
      String resource,
      Set<String> scopes,
      @Nullable ECKey key,
      Browser.Visit visit,
      Client client) {
    State state = new State(STATE_BYTES);
    CodeVerifier verifier = new CodeVerifier();
    AuthorizationRequest.Builder request = new AuthorizationRequest.Builder(
            ResponseType.CODE, new ClientID(client.registration().id()))
        .endpointURI(endpoint)
        .redirectionURI(visit.redirect())
        .state(state)
        .codeChallenge(verifier, CodeChallengeMethod.S256)
        .resource(URI.create(resource));
    if (!scopes.isEmpty()) {
      request.scope(new Scope(scopes.toArray(String[]::new)));
    }
    if (scopes.contains(OFFLINE)) {
      request.prompt(Prompt.Type.CONSENT); // OpenID Connect Core section 11
    }
    URI back = await("the login", visit.open(request.build().toURI()));
    String code = code(at, visit.redirect(), state.getValue(), back);
    return new TokenEndpoint(at, client, http, resource)
        .request(
            new AuthorizationCodeGrant(new AuthorizationCode(code), visit.redirect(), verifier),
            Set.of(),
            key,
            scopes,
            null,
            Tokens.Source.ISSUED);
  }

  /** Checks an authorization response (RFC 9207 section 2.4), and returns its code. */
  private static String code(ServerMetadata at, URI redirect, String state, URI back) {
    String from = SmallExchange.named(back);
    if (!from.equals(SmallExchange.named(redirect))) {
      throw new AuthorizationException("the browser came back to " + from + ", not to " + redirect);
    }
    Map<String, List<String>> parameters = URLUtils.parseParameters(back.getRawQuery());
    if (!state.equals(only(parameters, "state"))) {
      throw new AuthorizationException(
          "the answer does not belong to this login: its 'state' is another");
    }
    String issuer = only(parameters, "iss");
    if (issuer == null ? at.names() : !issuer.equals(at.issuer())) {
      throw new AuthorizationException("the answer to the login is not from " + at.issuer()
          + (issuer == null
              ? ": it has no 'iss'"
              : ": its 'iss' is '" + AuthorizationException.told(issuer) + "'"));
    }
    String error = only(parameters, "error");
    if (error != null) {
      String description = only(parameters, "error_description");
      throw new AuthorizationException(
          at.issuer() + " refused the login: "
              + AuthorizationException.told(
                  error + (description == null ? "" : ": " + description)),
          error,
          null);
    }
    String code = only(parameters, "code");
    if (code == null || code.isEmpty()) {
      throw new AuthorizationException("the answer of " + at.issuer() + " has no 'code'");
    }
    return code;
  }

  private static @Nullable String only(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw new AuthorizationException("the answer to the login has several '" + name + "'");
    }
    return values.isEmpty() ? null : values.get(0);
  }

  private <T> T await(String what, CompletionStage<T> stage) {
    try {
      return stage
          .toCompletableFuture()
          .get(settings.userTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException known) {
        throw known;
      }
      throw new AuthorizationException(what + " failed: " + e.getCause(), e.getCause());
    } catch (CancellationException e) {
      throw new AuthorizationException(what + " was cancelled");
    } catch (TimeoutException e) {
      throw new AuthorizationException(
          what + " has not ended within " + settings.userTimeout().toSeconds() + " seconds");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AuthorizationException(what + " was interrupted");
    }
  }
}
