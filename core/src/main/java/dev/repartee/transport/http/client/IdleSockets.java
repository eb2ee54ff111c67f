package dev.repartee.transport.http.client;

import dev.repartee.internal.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connections that wait for their next request, for half a minute at most. There are at most
 * {@value #ALL}; others are closed after their answer. Thread-safe.
 */
final class IdleSockets {
  private static final int ALL = 32;
  private static final Duration KEPT = Duration.ofSeconds(30);

  /**
   * An idle connection.
   *
   * @param expiry closes the connection; cancelled when it is used again, since a timer would keep
   *     it in memory
   */
  private record Idle(Target target, ClientSocket socket, Clock.Timer expiry) {}

  private final Clock clock;

  // Guarded by this; the one that became idle last is the last.
  private final List<Idle> all = new ArrayList<>();

  IdleSockets(Clock clock) {
    this.clock = clock;
  }

  /** Removes and returns a connection to a target; null if none is left that is open. */
  @Nullable ClientSocket take(Target target) {
    for (Idle idle = remove(target); idle != null; idle = remove(target)) {
      idle.expiry.cancel();
      if (idle.socket.isQuiet()) {
        return idle.socket;
      }
      close(idle.socket);
    }
    return null;
  }

  private synchronized @Nullable Idle remove(Target target) {
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).target.equals(target)) {
        return all.remove(i);
      }
    }
    return null;
  }

  /** Adds or closes a connection. */
  void add(Target target, ClientSocket socket) {
    synchronized (this) {
      if (all.size() < ALL) {
        all.add(
            new Idle(target, socket, clock.schedule(KEPT, Runnable::run, () -> expire(socket))));
        return;
      }
    }
    close(socket);
  }

  private void expire(ClientSocket socket) {
    boolean isIdle;
    synchronized (this) {
      isIdle = all.removeIf(idle -> idle.socket == socket);
    }
    if (isIdle) {
      close(socket);
    }
  }

  private static void close(ClientSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed in any case.
    }
  }
}
