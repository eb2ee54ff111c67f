package dev.repartee.testkit;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A running {@link Attack}, in separate threads until it is closed. A connection that the server
 * closes is opened again. The reactions of the server are counted by kind: {@link #ANSWERED},
 * {@link #TAKEN}, {@link #CUT_OFF}, the code of an error such as {@code -32600}, {@code HTTP 413},
 * or {@code close 1009} of a WebSocket. Thread-safe.
 */
public final class Assault implements AutoCloseable {
  /** A result, or the empty reply to a message that has no response. */
  public static final String ANSWERED = "answered";

  /** A notification that was processed, as the response to a later request shows. */
  public static final String TAKEN = "taken";

  /** The server closed the connection. */
  public static final String CUT_OFF = "cut off";

  /** The reactions of a server whose memory budget for messages is exhausted. */
  static final String NO_ROOM = "-32000, HTTP 503, close 1013, " + CUT_OFF;

  private static final String SILENCE = "no answer for 20 s";
  private static final String NOT_CONNECTED = "not connected";
  private static final int PATIENCE_SECONDS = 60;

  private final Attack attack;
  private final String uri;
  private final Carrier carrier;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Attacker> standing = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> heard = new TreeMap<>();
  private volatile boolean over;

  Assault(Attack attack, String uri) {
    this.attack = attack;
    this.uri = uri;
    this.carrier = Carrier.of(uri);
  }

  Assault begin() {
    for (int i = 0; i < attack.attackers; i++) {
      Thread thread = new Thread(null, this::attack, attack + "-" + i, 256 << 10);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    return this;
  }

  boolean isOver() {
    return over;
  }

  private void attack() {
    while (!over) {
      @Nullable Attacker attacker = null;
      try {
        attacker = enter();
        attack.go(attacker);
      } catch (IOException e) {
        if (!over) {
          heard(kind(e), 1);
        }
      } finally {
        leave(attacker);
      }
    }
  }

  private static String kind(IOException e) {
    return e instanceof ConnectException
        ? NOT_CONNECTED
        : e instanceof SocketTimeoutException ? SILENCE : CUT_OFF;
  }

  /** Opens a connection, which is closed with this assault at the latest. */
  Attacker enter() throws IOException {
    RawConnection raw = new RawConnection(uri);
    try {
      if (carrier == Carrier.WEBSOCKET) {
        raw.upgrade();
      }
    } catch (IOException | AssertionError e) {
      raw.close();
      throw e instanceof IOException io ? io : new IOException(e);
    }
    Attacker attacker = new Attacker(this, raw, carrier);
    standing.add(attacker);
    return attacker;
  }

  private void leave(@Nullable Attacker attacker) {
    if (attacker != null && standing.remove(attacker)) {
      try {
        attacker.close();
      } catch (IOException e) {
        // The server closed the connection.
      }
    }
  }

  synchronized void heard(String kind, int times) {
    heard.merge(kind, (long) times, Long::sum);
    notifyAll();
  }

  /** Returns the number of reactions by kind. */
  public synchronized Map<String, Long> heard() {
    return Collections.unmodifiableMap(new TreeMap<>(heard));
  }

  /** Waits until the attackers have seen so many reactions; fails the test after a minute. */
  public synchronized void awaitHeard(int times) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (heard.values().stream().mapToLong(n -> n).sum() < times) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError(attack + " was told no more than " + heard);
      }
      wait(left);
    }
  }

  /** Ends the attack: closes its connections and ends its threads. */
  @Override
  public void close() {
    over = true;
    standing.forEach(this::leave);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    standing.forEach(this::leave); // connections opened in the meantime
  }
}
