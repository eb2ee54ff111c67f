package dev.repartee.mcp.client;

import dev.repartee.CallFuture;
import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnsafeJson;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.wire.Errors;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Agrees on a revision with one server (specification 2026-07-28, "Versioning": clients of both
 * eras). The client sends {@code server/discover} first. After a valid answer it uses the stateless
 * revision. The error -32022 lists the revisions to try. After any other error, or if the server
 * does not answer, the client begins the handshake. Over HTTP it also begins the handshake after
 * the status 400, 404 or 405 without an error of the protocol. If that handshake is refused, it
 * tries HTTP with SSE. Each of these steps is tried once, all within one deadline. Not thread-safe.
 */
final class Negotiation {
  /** The maximum time to wait until the server accepts a notification. */
  private static final Duration TAKEN = Duration.ofSeconds(5);

  /** The time without an answer after which the client sends the handshake as well. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private final Connector connector;
  private final Settings settings;
  private final @Nullable TimedAuthorization authorization;
  private final Deadline deadline;

  /**
   * @param authorization the authorization of the requests, or null; its login does not count as
   *     silence of the server
   */
  Negotiation(
      Connector connector,
      Settings settings,
      @Nullable TimedAuthorization authorization,
      Deadline deadline) {
    this.connector = connector;
    this.settings = settings;
    this.authorization = authorization;
    this.deadline = deadline;
  }

  /**
   * Opens a connection and agrees on a revision. Blocks.
   *
   * @throws IOException if the server cannot be reached
   */
  Link open() throws IOException {
    Revision modern = settings.newest(true);
    Revision handshake = settings.newest(false);
    if (modern == null || connector.isOlder() && handshake != null) {
      try {
        return handshake(connector.begin(deadline.left()));
      } catch (RpcException | ProtocolException | DisconnectedException e) {
        connector.forget();
        if (modern == null) {
          throw e;
        }
      }
    }
    return discover(connector.begin(deadline.left()), modern);
  }

  // ---------------------------------------------------------------- the stateless revision

  private Link discover(Link link, Revision modern) throws IOException {
    try {
      return discover(link, modern, true);
    } catch (RuntimeException | IOException e) {
      link.peer().close(Duration.ZERO);
      throw e;
    }
  }

  private Link discover(Link link, Revision revision, boolean again) throws IOException {
    StreamableHttpChannel http = link.http();
    if (http != null) {
      http.revision(revision.label(), true);
    }
    CallFuture<Json> found = link.peer()
        .request("server/discover")
        .params(requestMeta(revision))
        .timeout(deadline.left())
        .send(Json.class);
    if (!found.isDone()) {
      discovered(link.server(), ANSWER, revision); // loads the classes while the server starts
    }
    try {
      Json result = settings.newest(false) == null ? found.get() : beforeSilence(found);
      return discovered(link, result, revision);
    } catch (TimeoutException e) {
      return afterSilence(link, found, revision);
    } catch (InterruptedException e) {
      found.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + link.server(), e);
    } catch (ExecutionException e) {
      return afterFailure(link, Futures.cause(e), revision, again);
    }
  }

  /** Waits for an answer for {@link #SILENCE}, not counting the time of a login. */
  private Json beforeSilence(CallFuture<Json> found)
      throws InterruptedException, ExecutionException, TimeoutException {
    long left = SILENCE.toNanos();
    while (true) {
      try {
        return found.get(left, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        left = SILENCE.toNanos() - (authorization == null ? left : authorization.idleNanos());
        if (left <= 0) {
          throw e;
        }
      }
    }
  }

  /**
   * Agrees on the stateless revision. Begins a handshake if the result is not a discovery result.
   */
  private Link discovered(Link link, Json result, Revision revision) throws IOException {
    List<String> supported;
    try {
      supported = JsonObjectReader.of(result).stringList("supportedVersions");
    } catch (RpcException e) {
      supported = List.of();
    }
    if (supported.isEmpty()) {
      if (settings.newest(false) != null) {
        return handshake(link);
      }
      throw Answers.broken("server/discover", link.server(), "missing: supportedVersions");
    }
    Revision agreed = common(supported, true);
    if (agreed == null) {
      if (common(supported, false) != null) {
        return handshake(link);
      }
      throw unsupported(link, supported);
    }
    if (agreed != revision && link.http() != null) {
      link.http().revision(agreed.label(), true);
    }
    link.agreed(discovered(link.server(), result, agreed));
    return link;
  }

  private static Link.Agreed discovered(String from, Json result, Revision agreed) {
    return Answers.read("server/discover", from, result, json -> {
      JsonObjectReader in = Answers.object(json);
      JsonObjectReader meta = in.optionalObject("_meta");
      JsonObjectReader server =
          meta.has(SERVER) ? meta.object(SERVER) : in.optionalObject("serverInfo");
      Json capabilities = in.optionalObjectJson("capabilities");
      return new Link.Agreed(
          agreed,
          server.members().isEmpty() ? null : Answers.implementation(server),
          capabilities == null ? Json.EMPTY_OBJECT : capabilities,
          in.optionalString("instructions"));
    });
  }

  private static final String SERVER = "io.modelcontextprotocol/serverInfo";

  /** A sample answer to {@code server/discover}. */
  private static final Json ANSWER = Json.parse(
      "{\"_meta\":{\"" + SERVER + "\":{\"name\":\"a\",\"version\":\"1\"}},\"capabilities\":{}}");

  private Link afterFailure(Link link, Throwable cause, Revision revision, boolean again)
      throws IOException {
    boolean canShake = settings.newest(false) != null;
    if (cause instanceof RpcException error) {
      if (error.code() == Errors.UNSUPPORTED_VERSION && again) {
        List<String> supported = supported(error.data());
        Revision other = common(supported, true);
        if (other != null) {
          return discover(link, other, false);
        } else if (!supported.isEmpty() && common(supported, false) == null) {
          throw unsupported(link, supported);
        }
      }
      if (canShake) {
        return handshake(link);
      }
      throw error;
    }
    boolean mayBeOlder = cause instanceof HttpException refused
        ? isUnknownTransport(refused)
        : cause instanceof ProtocolException;
    if (mayBeOlder && canShake) {
      return handshake(link);
    }
    if (cause instanceof DisconnectedException && canShake && link.http() == null) {
      return handshake(connector.begin(deadline.left())); // closed without an answer
    }
    throw connector.unreachable(cause);
  }

  /**
   * Begins a handshake while {@code server/discover} is pending, and uses the first valid answer.
   */
  private Link afterSilence(Link link, CallFuture<Json> found, Revision revision)
      throws IOException {
    CallFuture<Json> initialized = initialize(link);
    CompletableFuture<Json> either = new CompletableFuture<>();
    found.whenComplete((result, failure) -> {
      if (failure == null && result.get("supportedVersions") != null) {
        either.complete(result);
      }
    });
    initialized.whenComplete((result, failure) -> {
      if (failure == null) {
        either.complete(result);
      } else {
        found.whenComplete((late, lateFailure) -> either.completeExceptionally(failure));
      }
    });
    Json result = await(link, either);
    if (result.get("supportedVersions") != null) {
      initialized.cancel(true);
      return discovered(link, result, revision);
    }
    found.cancel(true);
    return initialized(link, result);
  }

  private static List<String> supported(@Nullable Json data) {
    try {
      return JsonObjectReader.of(data).stringList("supported");
    } catch (RpcException e) {
      return List.of();
    }
  }

  private @Nullable Revision common(List<String> labels, boolean stateless) {
    return settings.newest(
        revision -> revision.isStateless() == stateless && labels.contains(revision.label()));
  }

  private ProtocolException unsupported(Link link, List<String> supported) {
    List<String> own = new ArrayList<>();
    settings.revisions().forEach(revision -> own.add(revision.label()));
    return new ProtocolException(link.server() + " supports the revisions "
        + String.join(", ", supported) + ", this client " + String.join(", ", own));
  }

  /** Returns params with only the metadata of a stateless request. */
  private Json requestMeta(Revision revision) {
    JsonWriter out = new JsonWriter().ascii("{\"_meta\":{");
    Connector.meta(settings, revision, false, out);
    return UnsafeJson.wrap(out.ascii("}}").toBytes());
  }

  // ---------------------------------------------------------------- the handshake

  private CallFuture<Json> initialize(Link link) {
    Revision newest = settings.newest(false);
    if (newest == null) {
      throw new IllegalStateException("no handshake revision is allowed");
    }
    StreamableHttpChannel http = link.http();
    if (http != null) {
      http.revision(null, false);
    }
    Json params = new JsonObjectBuilder()
        .put("protocolVersion", newest.label())
        .put("capabilities", settings.capabilities(newest, false))
        .put("clientInfo", settings.self().json())
        .build();
    return link.peer()
        .request("initialize")
        .params(params)
        .timeout(deadline.left())
        .send(Json.class);
  }

  private Link handshake(Link link) throws IOException {
    try {
      Json result;
      try {
        result = await(link, initialize(link));
      } catch (HttpException e) {
        if (!mayBeOldest(link, e)) {
          throw e;
        }
        Link stream;
        try {
          stream = connector.eventStream(deadline.left());
        } catch (IOException none) {
          none.addSuppressed(e);
          throw none;
        }
        link.peer().close(Duration.ZERO);
        return handshake(stream);
      }
      return initialized(link, result);
    } catch (RuntimeException | IOException e) {
      link.peer().close(Duration.ZERO);
      throw e;
    }
  }

  /**
   * Returns whether the server may support only HTTP with SSE. False if this link already uses it.
   */
  private boolean mayBeOldest(Link link, HttpException refused) {
    return link.http() != null
        && isUnknownTransport(refused)
        && settings.revisions().contains(Revision.V2024_11_05);
  }

  /**
   * Returns whether the status may mean that the server does not know the revision or transport.
   */
  private static boolean isUnknownTransport(HttpException refused) {
    int status = refused.status();
    return status == 400 || status == 404 || status == 405;
  }

  private Link initialized(Link link, Json result) throws IOException {
    Link.Agreed agreed = Answers.read("initialize", link.server(), result, json -> {
      JsonObjectReader in = Answers.object(json);
      String label = in.string("protocolVersion");
      Revision revision = Revision.of(label);
      if (revision == null || revision.isStateless() || !settings.revisions().contains(revision)) {
        throw JsonObjectReader.invalid(
            "protocolVersion: '" + label + "' is not a revision that this client accepts");
      }
      Json capabilities = in.optionalObjectJson("capabilities");
      return new Link.Agreed(
          revision,
          Answers.implementation(in.object("serverInfo")),
          capabilities == null ? Json.EMPTY_OBJECT : capabilities,
          in.optionalString("instructions"));
    });
    link.agreed(agreed);
    StreamableHttpChannel http = link.http();
    if (http != null) {
      boolean named = agreed.revision().isAtLeast(Revision.V2025_06_18);
      http.revision(named ? agreed.revision().label() : null, false);
    }
    link.peer().request("notifications/initialized").sendNotification();
    awaitTaken(link);
    if (http != null) {
      http.listen();
    }
    connector.older();
    return link;
  }

  /**
   * Waits until the server has accepted {@code notifications/initialized}. Otherwise a request
   * could overtake it and reach the server before the server is ready, and the client could miss
   * changes.
   */
  private void awaitTaken(Link link) throws IOException {
    try {
      long time = Math.min(TAKEN.toNanos(), deadline.nanosLeft());
      link.awaitNotifications(time, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + link.server(), e);
    }
  }

  private <T> T await(Link link, CompletableFuture<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while connecting to " + link.server(), e);
    } catch (ExecutionException e) {
      throw connector.unreachable(Futures.cause(e));
    }
  }
}
