package dev.repartee.ssh;

import dev.repartee.limits.ClientShares;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.sshd.common.session.Session;

/**
 * The connections that are not logged in, shared between the addresses of clients as
 * {@link ClientShares} describes: at the limit, a new connection replaces the oldest one of the
 * address with the most connections. Idle connections therefore cannot prevent a client from
 * logging in. Thread-safe.
 */
final class LoginPlaces {
  // Guarded by this.
  private final ClientShares shares;
  private final Map<String, Session> sessions = new HashMap<>();

  LoginPlaces(int most) {
    this.shares = new ClientShares(most, most);
  }

  /**
   * Adds a connection. Returns the connections to end: the replaced ones, or the new connection
   * itself.
   */
  synchronized List<Session> add(Session session) {
    List<Session> replaced = new ArrayList<>();
    String client = client(session);
    boolean isFull = shares.makeRoom(
            id(session),
            client,
            1,
            ClientShares.Use.WAITING,
            id -> replaced.add(Objects.requireNonNull(sessions.remove(id))))
        != null;
    if (isFull) {
      replaced.add(session);
    } else {
      shares.put(id(session), client, 1, ClientShares.Use.WAITING);
      sessions.put(id(session), session);
    }
    return replaced;
  }

  /** Removes a connection that is logged in or closed. */
  synchronized void remove(Session session) {
    if (sessions.remove(id(session)) != null) {
      shares.remove(id(session));
    }
  }

  private static String id(Session session) {
    return Long.toString(session.getIoSession().getId());
  }

  private static String client(Session session) {
    return session.getIoSession().getRemoteAddress() instanceof InetSocketAddress remote
        ? ClientShares.client(remote.getAddress())
        : ClientShares.client(null, "");
  }
}
