package dev.repartee.security;

import dev.repartee.Call;
import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.security.SessionStore.Session;
import dev.repartee.transport.Headers;
import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of web pages, which a cookie names. A method of the service, which the caller has called
 * with other credentials, starts a session:
 *
 * <pre>{@code
 * Sessions sessions = Sessions.builder().build();
 * Authenticator callers = Authenticators.anyOf(sessions, Authenticators.basic(users));
 *
 * service.method("login", call -> {
 *   sessions.login(call);
 *   return null;
 * });
 * service.method("logout", call -> {
 *   sessions.logout(call);
 *   return null;
 * });
 * }</pre>
 *
 * <p>The cookie is random, with 256 bits. It is {@code HttpOnly}, {@code SameSite=Strict} and
 * {@code Secure}, for this host only. The server keeps the sessions in memory, and only digests of
 * their ids. A session ends after half an hour without a request, and after eight hours. At the
 * maximum number of sessions, a new one ends the oldest of the principal with the most sessions. An
 * open WebSocket connection is not closed when its session ends.
 *
 * <p><b>Pages of other sites.</b> A browser sends the cookie with requests of other pages in some
 * cases. A request with the cookie is refused with the status 403 unless it has an {@code Origin}
 * of this host or a listed origin; or no {@code Origin}, and the field {@code X-Requested-With}
 * with any value or {@code Sec-Fetch-Site: same-origin}.
 *
 * <p>Thread-safe.
 */
public final class Sessions implements Authenticator {
  private static final String PROOF = "session";
  private static final String NAME = "repartee-session";

  /** The prefix of cookies that only this host can set (RFC 6265bis section 4.1.3.2). */
  private static final String HOST = "__Host-";

  /** The maximum number of characters of a field with cookies. */
  private static final int LONGEST = 16 << 10;

  private static final AccessException FOREIGN = new AccessException(
      403,
      "pages of other sites may not use this session; list their origin, or send the field"
          + " X-Requested-With if the caller is no web page",
      Headers.NONE);

  private final String cookie;
  private final boolean secure;
  private final Duration idle;
  private final Duration lifetime;
  private final Set<String> origins;
  private final Clock clock;
  private final SessionStore store;

  private Sessions(Builder builder) {
    secure = builder.secure;
    cookie = secure ? HOST + NAME : NAME;
    idle = builder.idle;
    lifetime = builder.lifetime;
    origins = Set.copyOf(builder.origins);
    clock = builder.clock;
    store = new SessionStore(builder.most, clock.nanos());
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts a session for the principal of a call, and sets the cookie in the response. The id is
   * always a new one; a session that the call came with ends. If this session is the proof of the
   * principal, the new one ends when it would have ended.
   *
   * @throws IllegalStateException if the call has no principal, or has not come in an HTTP request:
   *     no other response can set a cookie
   */
  public void login(Call call) {
    Principal caller = call.principal();
    if (caller == null) {
      throw new IllegalStateException("'" + call.method() + "' starts a session, and its caller has"
          + " no principal; set an authenticator in the options, or restrict it with @Allow");
    }
    login(call, caller);
  }

  /**
   * Starts a session as {@link #login(Call)} does, for a principal that the handler has
   * authenticated.
   *
   * @throws IllegalStateException if the call has not come in an HTTP request
   */
  public void login(Call call, Principal principal) {
    if (call.attributes().get(HttpReply.RESPONSE_HEADERS) == null) {
      throw new IllegalStateException(
          "'" + call.method() + "' starts a session, which needs a request over HTTP");
    }
    Session before = end(call);
    String id = Digest.randomToken();
    long now = clock.nanos();
    long end = now + lifetime.toNanos();
    if (principal.proof().equals(PROOF)) {
      // Otherwise a stolen cookie could be used for ever.
      end = before == null ? now : before.end;
    }
    Principal named = new Principal(principal.name(), principal.roles(), principal.scopes(), PROOF);
    store.add(Digest.of(id), new Session(named, end, now + idle.toNanos()), now);
    call.responseHeader("Set-Cookie", field(id, Duration.ofNanos(end - now).toSeconds()));
    call.responseHeader("Cache-Control", "no-store");
  }

  /** Ends the session that a call came with, and removes the cookie. */
  public void logout(Call call) {
    end(call);
    call.responseHeader("Set-Cookie", field("", 0));
  }

  /** Ends all sessions of a principal, for example after a change of its password or roles. */
  public void logout(String principal) {
    store.removeAll(principal);
  }

  /** Ends the session that a call came with, and returns it. */
  private @Nullable Session end(Call call) {
    String id = id(call.header("Cookie"));
    return id == null ? null : store.remove(Digest.of(id));
  }

  private String field(String id, long seconds) {
    return cookie + "=" + id + "; Path=/; Max-Age=" + seconds + "; HttpOnly; SameSite=Strict"
        + (secure ? "; Secure" : "");
  }

  /**
   * Returns the id in a field with cookies; null if there is none. A comma separates no cookies:
   * the value of another cookie, which a page of a neighbouring host may have set, contains any.
   */
  private @Nullable String id(@Nullable String cookies) {
    if (cookies == null || cookies.length() > LONGEST) {
      return null;
    }
    for (String pair : cookies.split(";")) {
      String text = pair.strip();
      if (text.length() == cookie.length() + 1 + Digest.CHARACTERS
          && text.startsWith(cookie)
          && text.charAt(cookie.length()) == '=') {
        return text.substring(cookie.length() + 1);
      }
    }
    return null;
  }

  @Override
  public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
    String id = id(credentials.header("Cookie"));
    Digest digest = id == null ? null : Digest.of(id);
    Session session = digest == null ? null : store.get(digest);
    if (digest == null || session == null) {
      return CompletableFuture.completedFuture(null);
    }
    long now = clock.nanos();
    if (session.isOver(now)) {
      store.remove(digest);
      return CompletableFuture.completedFuture(null);
    }
    if (!isOwn(credentials)) {
      return Refusals.refuse(FOREIGN);
    }
    session.idleEnd = now + idle.toNanos();
    return CompletableFuture.completedFuture(session.principal);
  }

  /** Returns whether the request is by a page of this site, or by no page. */
  private boolean isOwn(Credentials credentials) {
    String origin = credentials.header("Origin");
    if (origin == null) {
      return credentials.header("X-Requested-With") != null
          || "same-origin".equals(credentials.header("Sec-Fetch-Site"));
    }
    if (origins.contains(origin)) {
      return true;
    }
    // Unlike a cookie, an origin has a port: other programs of a host are other sites.
    String host = credentials.header("Host");
    return host != null
        && (origin.equalsIgnoreCase("https://" + host)
            || !secure && origin.equalsIgnoreCase("http://" + host));
  }

  /** Returns no challenge: no scheme of HTTP is one for cookies. */
  @Override
  public List<String> challenges() {
    return List.of();
  }

  /** A builder of {@link Sessions}. */
  public static final class Builder {
    private boolean secure = true;
    private Duration idle = Duration.ofMinutes(30);
    private Duration lifetime = Duration.ofHours(8);
    private Set<String> origins = Set.of();
    private int most = 100_000;
    private Clock clock = Clock.SYSTEM;

    private Builder() {}

    /**
     * Lets the browser send the cookie without TLS, too: for tests on this machine. Browsers accept
     * a secure cookie from {@code http://localhost} as well.
     */
    public Builder insecure() {
      this.secure = false;
      return this;
    }

    /**
     * Sets the time without a request after which a session ends; half an hour by default.
     *
     * @throws IllegalArgumentException if it is less than a second or more than a year
     */
    public Builder idle(Duration time) {
      this.idle = required(time);
      return this;
    }

    /**
     * Sets the time after which a session ends, even if it is in use; eight hours by default.
     *
     * @throws IllegalArgumentException if it is less than a second or more than a year
     */
    public Builder lifetime(Duration time) {
      this.lifetime = required(time);
      return this;
    }

    private static Duration required(Duration time) {
      if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(366)) > 0) {
        throw new IllegalArgumentException("a session has from 1 second to a year, not " + time);
      }
      return time;
    }

    /**
     * Lists origins with pages that may use sessions, besides those of this host, such as {@code
     * https://www.shop.example}. They must be of the same site, since the cookie is {@code
     * SameSite=Strict}; the server must list them too ({@code #origins}).
     */
    public Builder origins(String... origins) {
      this.origins = Set.of(origins);
      return this;
    }

    /**
     * Sets the maximum number of sessions; 100,000 by default.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder maxSessions(int number) {
      if (number < 1) {
        throw new IllegalArgumentException("the maximum number of sessions is at least 1");
      }
      this.most = number;
      return this;
    }

    /** Sets the clock of a test. */
    Builder clock(Clock clock) {
      this.clock = Objects.requireNonNull(clock);
      return this;
    }

    /** Returns the sessions; there are none yet. */
    public Sessions build() {
      return new Sessions(this);
    }
  }
}
