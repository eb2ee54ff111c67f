package dev.repartee.mcp.http;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import dev.repartee.mcp.auth.Protection;
import dev.repartee.mcp.state.ClientChannel;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.mcp.state.SessionState;
import dev.repartee.message.Request;
import dev.repartee.transport.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The server behind the HTTP handler. Serves the requests that the handler has routed, and provides
 * the facts that the routes depend on. Thread-safe.
 */
public interface Backend {
  /** Returns the options of the server. */
  Options options();

  /** Returns the time limit for a client to answer a request of the server. */
  Duration inputTimeout();

  /** Returns the protection of the server, or null if the server is not protected. */
  @Nullable Protection protection();

  // ---------------------------------------------------------------- serving

  /**
   * Returns the service of all requests. Each call has its session in the attribute {@link
   * dev.repartee.mcp.state.CallAttributes#SESSION}.
   */
  Service service();

  /**
   * Opens the peer of a bidirectional connection.
   *
   * @param owner the owner of its session, see {@link SessionMemory#owner}
   */
  Peer open(Channel channel, String owner);

  /** Creates a session. It sends its messages to the client on the channel. */
  SessionState newSession(ClientChannel channel, SessionMemory.Share share);

  /** Ends a session: releases its memory and its subscriptions. */
  void end(SessionState session);

  /** Ends the listen streams of a connection or of an HTTP handler. */
  void endListening(Object owner);

  // ---------------------------------------------------------------- facts

  /** Returns the transport of the revision of that name; null if it is not supported. */
  @Nullable HttpTransport transport(String version);

  /**
   * Returns whether requests without a session are served. If not, the endpoint behaves as if it
   * did not know the stateless revisions, so that clients begin a session.
   */
  boolean offersStateless();

  /** Throws -32022 unless that is the name of a stateless revision. */
  void requireStateless(String version);

  /**
   * Returns the scopes that the principal needs for the tool that the request calls, or for the
   * tool of the task that the request names. Empty for other requests.
   */
  Set<String> scopes(Request request, Principal principal);

  /**
   * Returns the arguments of a tool that HTTP headers mirror, or null if the tool does not exist.
   */
  @Nullable List<MirroredHeaders.Mirrored> mirrored(String tool);
}
