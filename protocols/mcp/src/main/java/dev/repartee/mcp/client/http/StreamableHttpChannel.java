package dev.repartee.mcp.client.http;

import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.http.MirroredHeaders;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.http.HttpSender;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client of Streamable HTTP in all revisions. Each message is a separate POST ({@link
 * MessagePost}). The answer is a message or an event stream.
 *
 * <p>In the stateless revision each POST has headers that mirror its message ({@link
 * MirroredHeaders}). Cancelling a call ends its POST, and the server then cancels the call, too.
 *
 * <p>In the handshake revisions each request has the session id of the server. A broken stream with
 * event ids is continued with GET and {@code Last-Event-ID}, after the time that the server
 * requests. {@link #listen} opens the stream of the messages that belong to no request.
 * Thread-safe.
 */
public final class StreamableHttpChannel extends HttpChannel {
  private static final String BOTH = "application/json, text/event-stream";

  private volatile @Nullable String version;
  private volatile boolean stateless = true;
  private volatile @Nullable String session;
  private volatile @Nullable SessionStream general;
  private volatile Map<String, List<MirroredHeaders.Mirrored>> mirrored = Map.of();

  /**
   * Creates a channel. The first request opens the connection.
   *
   * @param headers the headers of each request
   * @param sender sends the requests; closed with this channel
   */
  public StreamableHttpChannel(
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender) {
    super(uri, headers, authorization, limits, sender);
  }

  /** Sets the revision of all later messages. */
  public void revision(@Nullable String label, boolean stateless) {
    this.version = label;
    this.stateless = stateless;
    if (stateless) {
      session = null;
    }
  }

  /** Sets the arguments that are mirrored in headers, by tool. */
  public void mirrored(Map<String, List<MirroredHeaders.Mirrored>> mirrored) {
    this.mirrored = Map.copyOf(mirrored);
  }

  /**
   * Opens the stream of the messages that belong to no request, in a handshake revision. Does not
   * block. A server may refuse it.
   */
  public void listen() {
    if (!stateless && general == null && !isClosed()) {
      SessionStream stream = new SessionStream(this);
      general = stream;
      stream.open();
    }
  }

  /**
   * Returns a future that completes when the stream of {@link #listen} is open, the server has
   * refused it, or the first attempt has failed. Completed if {@link #listen} was not called.
   */
  public CompletableFuture<@Nullable Void> listening() {
    SessionStream stream = general;
    return stream == null || isClosed()
        ? CompletableFuture.completedFuture(null)
        : stream.answered();
  }

  // ---------------------------------------------------------------- the channel

  @Override
  Post post(OutgoingMessage message) {
    return new MessagePost(this, message);
  }

  /** In the handshake revisions the end of a request does not cancel the call; the message does. */
  @Override
  public boolean cancels() {
    return stateless;
  }

  @Override
  void resumeStreams() {
    SessionStream stream = general;
    if (stream != null) {
      stream.resume();
    }
  }

  @Override
  void cancelStreams() {
    SessionStream stream = general;
    if (stream != null) {
      stream.cancel();
    }
  }

  /** Ends the session at the server, then the channel. */
  @Override
  public void close() {
    String id = session;
    if (id == null || isClosed()) {
      abort(null);
      return;
    }
    refuse();
    session = null;
    // The time-out of the request does not include the time in which the authorization waits for a
    // user.
    Clock.Timer late = HttpThreads.after(limits.closeTimeout(), () -> abort(null));
    Runnable end = () -> {
      late.cancel();
      abort(null);
    };
    Map<String, String> headers = new LinkedHashMap<>();
    addSession(headers, id);
    requests.send("DELETE", headers, limits.closeTimeout(), new HttpSink() {
      @Override
      public boolean body(HttpHead head, byte[] body) {
        end.run();
        return true;
      }

      @Override
      public void ended(@Nullable Throwable cause) {
        end.run();
      }

      @Override
      public void failed(RuntimeException cause) {
        end.run();
      }
    });
  }

  // ---------------------------------------------------------------- for posts and streams

  boolean isStateless() {
    return stateless;
  }

  @Nullable String session() {
    return session;
  }

  void session(@Nullable String id) {
    session = id;
  }

  /** Reports that the server no longer knows a session. */
  void lost(String id) {
    if (id.equals(session)) {
      session = null;
    }
  }

  /** Reports that the server does not know the stream of the session. */
  void streamUnknown() {
    if (session != null && isQuiet()) {
      // Otherwise the calls under way detect the lost session and are sent again in a new one.
      abort(new DisconnectedException(requests.uri() + " no longer knows the session", null));
    }
  }

  /**
   * Returns the headers of a POST.
   *
   * @param own the headers of the message
   * @param method the method of the message; null for an answer or a batch
   * @param id the session of the message; null for none
   */
  Map<String, String> headers(
      Headers own, @Nullable String method, Json message, @Nullable String id) {
    Map<String, String> headers = new LinkedHashMap<>(own.fields());
    headers.put("Content-Type", "application/json");
    headers.put("Accept", BOTH);
    if (!"initialize".equals(method)) {
      addSession(headers, id);
    }
    if (stateless && method != null) {
      MirroredHeaders.add(headers, method, message.get("params"), mirrored);
    }
    return headers;
  }

  void addSession(Map<String, String> headers, @Nullable String id) {
    if (id != null) {
      headers.put("Mcp-Session-Id", id);
    }
    String revision = version;
    if (revision != null) {
      headers.put("MCP-Protocol-Version", revision);
    }
  }
}
