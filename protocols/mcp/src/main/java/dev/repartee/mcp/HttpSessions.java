package dev.repartee.mcp;

import dev.repartee.Options;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of an HTTP endpoint, by their ids. Each has an owner: its principal, or the address of
 * the client where the server is not protected. Where the number or the memory of the sessions reaches
 * its bound, a new session takes the place of the one that was idle for longest: of the same owner
 * where that owner has as much as it may have, else of the owner whose sessions hold most.
 *
 * <p>Thread-safe. A session is found without a lock. It is added and removed under the lock of this,
 * which guards the owners too; under it the lock of a {@link Session} is taken, and no other.
 */
final class HttpSessions {
  private static final int MAX = 10_000;
  private static final int MAX_OF_PRINCIPAL = 1_000;

  /** Larger than that of a principal, since a proxy is one address for all of its clients. */
  private static final int MAX_OF_ADDRESS = MAX / 2;

  /** A session in which nothing is asked for that long is given up. */
  private static final long IDLE_NANOS = Duration.ofMinutes(30).toNanos();

  /** The same for a session in which nothing followed the request that began it. */
  private static final long UNUSED_NANOS = Duration.ofMinutes(1).toNanos();

  /** How often the sessions whose time is over are looked for, when new ones begin. */
  private static final long SWEEP_NANOS = Duration.ofSeconds(10).toNanos();

  private final McpServer server;
  private final Options options;
  private final LongSupplier nanoTime;
  private final Map<String, HttpSession> sessions = new ConcurrentHashMap<>();
  private final Map<String, SessionOwner> owners = new HashMap<>(); // guarded by this
  private long swept; // guarded by this

  /** {@code nanoTime} is what tells for how long nothing was asked. */
  HttpSessions(McpServer server, Options options, LongSupplier nanoTime) {
    this.server = server;
    this.options = options;
    this.nanoTime = nanoTime;
    this.swept = nanoTime.getAsLong();
  }

  /**
   * Begins a session.
   *
   * @param remote the address and port of the client, as {@link dev.repartee.ChannelInfo#remote} has them
   * @param said the bytes of the request, which bound what the client says of itself
   * @return null where so many are in use that none can be given up
   */
  @Nullable HttpSession create(@Nullable Principal principal, String remote, long said) {
    sweep();
    String owner = principal == null ? address(remote) : principal.name();
    HttpSession session = new HttpSession(
        Unguessable.name(), owner, principal, server.inputTimeout(), options, nanoTime);
    int most = principal == null ? MAX_OF_ADDRESS : MAX_OF_PRINCIPAL;
    while (!add(session, most, said)) {
      HttpSession given = leastMissed(owner, most);
      if (given == null) {
        end(session);
        return null;
      }
      end(given);
    }
    return session;
  }

  private void sweep() {
    long now = nanoTime.getAsLong();
    synchronized (this) {
      if (now - swept < SWEEP_NANOS) {
        return;
      }
      swept = now;
    }
    sessions.values().stream()
        .filter(each -> each.idleNanos() > (each.isUsed() ? IDLE_NANOS : UNUSED_NANOS))
        .toList()
        .forEach(this::end);
  }

  /** Adds a session unless that would be too many or too much. */
  private synchronized boolean add(HttpSession session, int most, long said) {
    SessionOwner owner = owners.get(session.owner());
    if (sessions.size() >= MAX
        || owner != null && owner.hasAll(most)
        || !session.session().reserve(said)) {
      return false;
    }
    owners.computeIfAbsent(session.owner(), name -> new SessionOwner()).add(session);
    sessions.put(session.id(), session);
    return true;
  }

  /** Returns the session to give up for one of that owner; null where all run something. */
  private synchronized @Nullable HttpSession leastMissed(String owner, int most) {
    SessionOwner own = owners.get(owner);
    if (own != null && own.hasAll(most)) {
      return own.leastMissed(nanoTime.getAsLong());
    }
    List<SessionOwner> largestFirst = owners.values().stream()
        .sorted(Comparator.comparingLong(SessionOwner::held).reversed())
        .toList();
    for (SessionOwner each : largestFirst) {
      HttpSession found = each.leastMissed(nanoTime.getAsLong());
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The host of an address; of IPv6 the first 64 bits, since one client has all that begin so. */
  static String address(String remote) {
    int colon = remote.lastIndexOf(':');
    String host = colon < 0 ? remote : remote.substring(0, colon);
    if (!host.startsWith("[")) {
      return host;
    }
    try {
      byte[] bytes = InetAddress.getByName(host).getAddress(); // no name, so nothing is resolved
      return bytes.length == 16 ? Arrays.toString(Arrays.copyOf(bytes, 8)) : host;
    } catch (UnknownHostException e) {
      return host;
    }
  }

  /** The session of that id, if it is that principal's; null otherwise. */
  @Nullable HttpSession find(String id, @Nullable Principal principal) {
    HttpSession session = sessions.get(id);
    return session != null && session.isOf(principal) ? session : null;
  }

  /** Ends the session of that id; answers whether that principal had one. */
  boolean end(String id, @Nullable Principal principal) {
    HttpSession session = find(id, principal);
    return session != null && end(session);
  }

  /** Ends a session; answers whether it was there. */
  boolean end(HttpSession session) {
    boolean known;
    synchronized (this) {
      known = sessions.remove(session.id(), session);
      SessionOwner owner = owners.get(session.owner());
      if (known && owner != null && owner.remove(session)) {
        owners.remove(session.owner());
      }
    }
    server.audience().remove(session.session());
    session.close();
    return known;
  }

  /** Those there are. */
  Collection<HttpSession> values() {
    return sessions.values();
  }

  /** What listens ends. */
  void closing() {
    sessions.values().forEach(HttpSession::closing);
  }

  void close() {
    List.copyOf(sessions.values()).forEach(this::end);
  }
}
