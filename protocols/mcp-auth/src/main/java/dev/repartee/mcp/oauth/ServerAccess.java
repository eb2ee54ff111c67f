package dev.repartee.mcp.oauth;

import dev.repartee.internal.Origin;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The access of a client to one MCP server. At most one flow runs at a time; requests that are
 * refused during the flow wait for it. Thread-safe; the monitor guards all fields that change.
 */
final class ServerAccess {
  /** The number of refusals after which no further scopes are requested. */
  private static final int STEPS = 3;

  private final URI server;

  /** The server in messages: without a user or a query, which may be secrets. */
  private final String name;

  private final Executor workers;
  private final StoredTokens store;
  private final AuthorizationFlow flow;
  private @Nullable Tokens tokens;

  /** The access token in the store that could not be refreshed, or null. */
  private @Nullable String dead;

  private @Nullable CompletableFuture<@Nullable Tokens> running;
  private boolean loaded;
  private boolean accepted;
  private volatile @Nullable String nonce;

  ServerAccess(Settings settings, URI server, Executor workers) {
    this.server = server;
    this.name = Discovery.identifier(server);
    this.workers = workers;
    this.store = new StoredTokens(settings.store(), name);
    this.flow = new AuthorizationFlow(settings, server, store);
  }

  /** Returns the headers of a request; empty without a token. */
  CompletionStage<Headers> headers(HttpAuthorization.Request request) {
    CompletableFuture<@Nullable Tokens> ready;
    synchronized (this) {
      Tokens now = tokens;
      // While the user grants additional scopes, other requests continue with the current token.
      if (loaded && (now == null ? running == null : !isRefreshable(now))) {
        ready = CompletableFuture.completedFuture(now);
      } else {
        ready = run(this::current);
      }
    }
    return ready.thenApply(now -> now == null ? Headers.NONE : headers(request, now));
  }

  private static boolean isRefreshable(Tokens now) {
    return now.refresh() != null && now.isExpiring();
  }

  /** Returns the tokens of the store, refreshed if they have expired. */
  private @Nullable Tokens current() throws IOException {
    Tokens now;
    synchronized (this) {
      now = tokens;
    }
    Tokens stored = store.otherThan(now == null ? null : now.access());
    if (stored != null) {
      now = stored; // another process may have refreshed it
    }
    if (now == null || !isRefreshable(now)) {
      return now;
    }
    Tokens refreshed = flow.refresh(now);
    if (refreshed != null) {
      store.save(refreshed);
      return refreshed;
    }
    Tokens newer = store.otherThan(now.access()); // another process was faster
    if (newer == null) {
      synchronized (this) {
        dead = now.access();
      }
    }
    return newer;
  }

  private Headers headers(HttpAuthorization.Request request, Tokens now) {
    if (!Origin.isSame(request.uri(), server)) {
      return Headers.NONE;
    }
    Headers headers = Headers.NONE.with("Authorization", now.header());
    return now.key() == null
        ? headers
        : headers.with(
            "DPoP", Proofs.of(now.key(), request.method(), request.uri(), now.access(), nonce));
  }

  /** Decides whether a refused request is sent again. */
  CompletionStage<Boolean> refused(HttpAuthorization.Refusal refusal) {
    Challenge challenge = Challenge.of(refusal.challenges());
    String given = remember(refusal.headers());
    if (isForNonce(challenge)) {
      return CompletableFuture.completedStage(requireNonce(given));
    }
    boolean stepUp = refusal.status() == 403;
    if (stepUp && !"insufficient_scope".equals(challenge.error())) {
      return CompletableFuture.completedStage(false);
    }
    CompletableFuture<@Nullable Tokens> next;
    synchronized (this) {
      Tokens now = tokens;
      if (running == null) {
        if (now != null && !isSent(refusal.sent(), now)) {
          return CompletableFuture.completedStage(true); // there are already new tokens
        }
        if (stepUp) {
          if (now == null) {
            return CompletableFuture.completedStage(false);
          }
          accepted = true;
          requireNews(challenge, now, refusal.attempt());
        } else if (now != null && now.source() == Tokens.Source.ISSUED && !accepted) {
          throw new AuthorizationException(name + " refuses the token that " + now.issuer()
              + " has just issued for it" + challenge.reason());
        }
      }
      boolean isRefreshable = accepted || now == null || now.source() != Tokens.Source.REFRESHED;
      next = run(() -> obtain(challenge, now, isRefreshable));
    }
    return next.thenApply(now -> true);
  }

  /**
   * Returns whether a proof lacks the current nonce of the server (RFC 9449 section 9). A new token
   * would not help. Requests that were sent together are all refused because of the same old nonce.
   */
  private synchronized boolean isForNonce(Challenge challenge) {
    return tokens != null && tokens.key() != null && "use_dpop_nonce".equals(challenge.error());
  }

  private boolean requireNonce(@Nullable String given) {
    if (given == null) {
      throw new AuthorizationException(
          name + " asks for a nonce in the proof of DPoP, but sends none that can be used");
    }
    return true;
  }

  /** Refuses to request scopes again that were not granted. */
  private void requireNews(Challenge challenge, Tokens now, int attempt) {
    Set<String> missing = new LinkedHashSet<>(challenge.scopes());
    missing.removeAll(now.requested());
    if (missing.isEmpty() || attempt > STEPS) {
      throw new AuthorizationException(name + " demands "
          + (challenge.scopes().isEmpty()
              ? "scopes that it does not name"
              : "the scopes " + AuthorizationException.told(String.join(" ", challenge.scopes())))
          + "; " + now.issuer() + " was asked for " + now.requested()
          + " and has not granted enough" + challenge.reason());
    }
  }

  private static boolean isSent(Headers sent, Tokens now) {
    return now.header().equals(sent.fields().get("Authorization"));
  }

  private Tokens obtain(Challenge challenge, @Nullable Tokens old, boolean isRefreshable)
      throws IOException {
    requireHttps();
    String known;
    synchronized (this) {
      known = old == null ? dead : old.access();
    }
    Tokens stored = store.otherThan(known);
    if (stored != null) {
      return stored; // another process has obtained it
    }
    Tokens next = flow.obtain(challenge, old, isRefreshable);
    if (next.source() != Tokens.Source.STORED) {
      store.save(next);
    }
    return next;
  }

  private void requireHttps() {
    if (!"https".equalsIgnoreCase(server.getScheme()) && !Addresses.isLoopback(server)) {
      throw new AuthorizationException(
          name + " asks for a token, which may only be sent by HTTPS: connect to https:");
    }
  }

  /** Runs a step, unless one is already running. The caller holds the monitor. */
  private CompletableFuture<@Nullable Tokens> run(Callable<@Nullable Tokens> step) {
    CompletableFuture<@Nullable Tokens> before = running;
    if (before != null) {
      return before;
    }
    CompletableFuture<@Nullable Tokens> next = new CompletableFuture<>();
    running = next;
    try {
      workers.execute(() -> end(next, step));
    } catch (RejectedExecutionException e) {
      running = null;
      throw new AuthorizationException("too many logins run at the same time");
    }
    return next;
  }

  private void end(CompletableFuture<@Nullable Tokens> future, Callable<@Nullable Tokens> step) {
    Tokens result = null;
    Throwable failure = null;
    try {
      result = step.call();
    } catch (IOException e) {
      failure = new AuthorizationException("the store of tokens failed: " + e.getMessage(), e);
    } catch (Throwable e) {
      failure = e;
    }
    synchronized (this) {
      running = null;
      if (failure == null) {
        accepted &= result == tokens;
        tokens = result;
        loaded = true;
      }
    }
    if (failure == null) {
      future.complete(result);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** Reads the headers of an answer to an authorized request. */
  void answered(Map<String, List<String>> headers) {
    remember(headers);
    synchronized (this) {
      accepted = true;
    }
  }

  /**
   * Stores the nonce for the next proof (RFC 9449 section 9) and returns it. Returns null if it is
   * missing or unusable.
   */
  private @Nullable String remember(Map<String, List<String>> headers) {
    String given = Proofs.nonce(headers.getOrDefault("dpop-nonce", List.of()));
    if (given != null) {
      nonce = given;
    }
    return given;
  }

  /** Removes the tokens, and returns whether the store had any. */
  boolean forget() throws IOException {
    synchronized (this) {
      tokens = null;
      loaded = true;
    }
    return store.forget();
  }
}
