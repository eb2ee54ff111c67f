package dev.repartee.testkit.attack;

import dev.repartee.testkit.RawConnection;
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
public final class AttackRun implements AutoCloseable {
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
  private final AttackProtocol protocol;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<AttackClient> clients = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> reactions = new TreeMap<>();
  private volatile boolean stopped;

  AttackRun(Attack attack, String uri) {
    this.attack = attack;
    this.uri = uri;
    this.protocol = AttackProtocol.of(uri);
  }

  AttackRun start() {
    for (int i = 0; i < attack.connections(); i++) {
      Thread thread = new Thread(null, this::attack, attack + "-" + i, 256 << 10);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    return this;
  }

  boolean isStopped() {
    return stopped;
  }

  private void attack() {
    while (!stopped) {
      @Nullable AttackClient client = null;
      try {
        client = connect();
        attack.run(client);
      } catch (IOException e) {
        if (!stopped) {
          count(kind(e), 1);
        }
      } finally {
        disconnect(client);
      }
    }
  }

  private static String kind(IOException e) {
    return e instanceof ConnectException
        ? NOT_CONNECTED
        : e instanceof SocketTimeoutException ? SILENCE : CUT_OFF;
  }

  /** Opens a connection, which is closed with this run at the latest. */
  AttackClient connect() throws IOException {
    RawConnection raw = new RawConnection(uri);
    try {
      if (protocol == AttackProtocol.WEBSOCKET) {
        raw.upgrade();
      }
    } catch (IOException | AssertionError e) {
      raw.close();
      throw e instanceof IOException io ? io : new IOException(e);
    }
    AttackClient client = new AttackClient(this, raw, protocol);
    clients.add(client);
    return client;
  }

  private void disconnect(@Nullable AttackClient client) {
    if (client != null && clients.remove(client)) {
      try {
        client.close();
      } catch (IOException e) {
        // The server closed the connection.
      }
    }
  }

  synchronized void count(String kind, int times) {
    reactions.merge(kind, (long) times, Long::sum);
    notifyAll();
  }

  /** Returns the number of reactions by kind. */
  public synchronized Map<String, Long> reactions() {
    return Collections.unmodifiableMap(new TreeMap<>(reactions));
  }

  /**
   * Waits until the attackers have seen this number of reactions; fails the test after a minute.
   */
  public synchronized void awaitReactions(int times) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (reactions.values().stream().mapToLong(n -> n).sum() < times) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError(attack + " got no more reactions than " + reactions);
      }
      wait(left);
    }
  }

  /** Ends the attack: closes its connections and ends its threads. */
  @Override
  public void close() {
    stopped = true;
    clients.forEach(this::disconnect);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    clients.forEach(this::disconnect); // connections opened in the meantime
  }
}
