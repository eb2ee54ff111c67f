package dev.repartee.mcp.oauth;

import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.limits.NetworkRange;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Obtains access tokens for MCP servers with OAuth 2.1 (specification, "Authorization"), and sends
 * them with each request:
 *
 * <pre>{@code
 * OAuthClient oauth = OAuthClient.builder("My app").browser(Browser.loopback(page -> open(page))).build();
 * McpClient.builder("my-app", "1").authorization(oauth).connect("https://mcp.example/mcp");
 * }</pre>
 *
 * <p>When a server refuses a request with 401, the client finds its authorization server, registers
 * if necessary, and obtains a token: from the user in a {@linkplain Builder#browser browser}, with
 * its {@linkplain Builder#clientCredentials client credentials}, or for an
 * {@linkplain Builder#assertions assertion}. It refreshes tokens, and requests additional scopes
 * when a server requires them (403 {@code insufficient_scope}). Requests that are refused at the
 * same time cause one login.
 *
 * <p>The time-out of a call includes the login. If the call times out during the login, the login
 * continues, and the next call uses its token.
 *
 * <p>If the authorization fails, the call fails with an {@link AuthorizationException}.
 * Thread-safe. One client may serve any number of {@link dev.repartee.mcp.client.McpClient}s; a
 * token is sent only to the server that it was issued for. At most {@value #THREADS} logins run at
 * the same time in a process.
 */
public final class OAuthClient implements HttpAuthorization {
  private static final int THREADS = 16;
  private static final int WAITING = 1000;
  private static final int SERVERS = 10_000;

  private static final String CLIENT_CREDENTIALS =
      "io.modelcontextprotocol/oauth-client-credentials";

  private static final Executor WORKERS =
      Threads.bounded(THREADS, WAITING, Threads.numbered("repartee-mcp-oauth"));

  private final Settings settings;
  private final Map<String, ServerAccess> servers = new ConcurrentHashMap<>();

  private OAuthClient(Settings settings) {
    this.settings = settings;
  }

  /**
   * Returns a builder.
   *
   * @param name the name of the application, which the authorization server may show to the user
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  @Override
  public CompletionStage<Headers> headers(Request request) {
    return access(request.server()).headers(request);
  }

  @Override
  public CompletionStage<Boolean> refused(Refusal refusal) {
    return access(refusal.request().server()).refused(refusal);
  }

  @Override
  public void answered(Request request, Map<String, List<String>> headers) {
    access(request.server()).answered(headers);
  }

  /**
   * Returns {@code io.modelcontextprotocol/oauth-client-credentials} for
   * {@link Builder#clientCredentials}, otherwise none. An application with
   * {@link Builder#assertions} from the identity provider of an enterprise must declare
   * {@code io.modelcontextprotocol/enterprise-managed-authorization}, since it implements the first
   * half of that extension: the exchange of an ID token for the assertion.
   */
  @Override
  public Map<String, Json> extensions() {
    boolean credentials = settings.browser() == null && settings.assertions() == null;
    return credentials ? Map.of(CLIENT_CREDENTIALS, Json.EMPTY_OBJECT) : Map.of();
  }

  private ServerAccess access(URI server) {
    if (servers.size() > SERVERS) {
      servers.clear(); // the store has the tokens
    }
    return servers.computeIfAbsent(
        Discovery.identifier(server), name -> new ServerAccess(settings, server, WORKERS));
  }

  /**
   * Removes the tokens for an MCP server, including the stored ones. The next call begins a login.
   *
   * @return whether the store had tokens
   * @throws IOException if the store fails
   */
  public boolean forget(URI server) throws IOException {
    return access(server).forget();
  }

  /** Builds an {@link OAuthClient}. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private @Nullable Browser browser;
    private @Nullable AssertionSource assertions;
    private boolean own;
    private final Map<String, Registration> registered = new LinkedHashMap<>();
    private final Map<String, Registration> trusted = new LinkedHashMap<>();
    private @Nullable URI document;
    private Set<String> scopes = Set.of();
    private TokenStore store = TokenStore.memory();
    private Duration userTimeout = Duration.ofMinutes(5);
    private NetworkRange.Resolver resolver = InetAddress::getAllByName;

    private Builder(String name) {
      this.name = name;
    }

    /**
     * Sets the browser for the authorization code grant with PKCE: the user grants access in it.
     */
    public Builder browser(Browser browser) {
      this.browser = browser;
      return this;
    }

    /** Obtains tokens with the secret or key of the registration, without a user. */
    public Builder clientCredentials() {
      own = true;
      return this;
    }

    /** Obtains tokens for assertions of a third party, without a user. */
    public Builder assertions(AssertionSource assertions) {
      this.assertions = assertions;
      return this;
    }

    /**
     * Sets the registration at an authorization server. It is used nowhere else.
     *
     * @param issuer the issuer, exactly as in the metadata of the authorization server
     */
    public Builder registered(String issuer, Registration registration) {
      registered.put(issuer, registration);
      return this;
    }

    /**
     * Sets the registration at the authorization server of an MCP server if its issuer is unknown:
     * the first issuer in the metadata of the MCP server is trusted and stored. If the MCP server
     * later changes it, calls fail.
     *
     * @param server the address of the MCP server
     */
    public Builder registeredFor(URI server, Registration registration) {
      trusted.put(Discovery.identifier(server), registration);
      return this;
    }

    /**
     * Sets the address of the document that describes this client (Client ID Metadata Document). It
     * is the id of the client at authorization servers that support such documents, unless the
     * client has a {@linkplain #registered registration} there.
     *
     * @throws IllegalArgumentException if it is not an HTTPS address with a path
     */
    public Builder clientIdDocument(URI document) {
      String path = document.getRawPath();
      if (!"https".equalsIgnoreCase(document.getScheme()) || path == null || path.length() < 2) {
        throw new IllegalArgumentException(
            "the address of a client id document is HTTPS and has a path, unlike " + document);
      }
      this.document = document;
      return this;
    }

    /**
     * Requests these scopes instead of all that the metadata of the MCP server lists
     * (scopes_supported). Scopes in a challenge of the server are requested in addition.
     */
    public Builder scopes(String... scopes) {
      this.scopes = Collections.unmodifiableSet(new LinkedHashSet<>(List.of(scopes)));
      return this;
    }

    /** Sets the store of tokens and registrations, {@link TokenStore#memory} by default. */
    public Builder store(TokenStore store) {
      this.store = store;
      return this;
    }

    /** Sets the maximum time of a login, or of obtaining an assertion, 5 minutes by default. */
    public Builder userTimeout(Duration userTimeout) {
      this.userTimeout = userTimeout;
      return this;
    }

    /** Sets the resolver of host names. */
    Builder resolver(NetworkRange.Resolver resolver) {
      this.resolver = resolver;
      return this;
    }

    /**
     * Returns the client.
     *
     * @throws IllegalStateException unless exactly one of {@link #browser}, {@link
     *     #clientCredentials} and {@link #assertions} is set
     */
    public OAuthClient build() {
      int grants = (browser == null ? 0 : 1) + (assertions == null ? 0 : 1) + (own ? 1 : 0);
      if (grants != 1) {
        throw new IllegalStateException(
            "set one of browser, clientCredentials and assertions, not " + grants);
      }
      return new OAuthClient(new Settings(
          name,
          browser,
          assertions,
          Map.copyOf(registered),
          Map.copyOf(trusted),
          document,
          scopes,
          store,
          userTimeout,
          resolver));
    }
  }
}
