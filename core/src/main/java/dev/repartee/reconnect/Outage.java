package dev.repartee.reconnect;

import dev.repartee.Peer;
import dev.repartee.internal.Text;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports the loss of a connection and its return to an operator: one line each, and one for each
 * new reason of the attempts between, up to ten. Attempts follow every few seconds, possibly for
 * days. An outage is the {@linkplain Reconnecting#listener listener} of one peer; otherwise, code
 * that manages a connection calls its methods. Thread-safe.
 */
public final class Outage implements ReconnectListener {
  /** The maximum number of reasons that are reported for one outage, if each one is different. */
  private static final int MOST = 10;

  private final String other;
  private final Consumer<String> operator;

  // Guarded by this.
  private final Set<String> told = new HashSet<>();
  private boolean isLost;

  /**
   * @param other the name of the other side, such as "the broker"
   * @param operator receives the lines; must not block
   */
  public Outage(String other, Consumer<String> operator) {
    this.other = other;
    this.operator = operator;
  }

  /** Reports that the connection was lost, and is tried again. */
  public void lost(Throwable cause) {
    String reason = Text.of(cause);
    synchronized (this) {
      isLost = true;
      told.clear();
      told.add(reason);
    }
    operator.accept("the connection to " + other + " was lost: " + reason + "; trying again");
  }

  /** Reports the reason why an attempt to connect has failed, unless it was reported before. */
  public void failed(Throwable cause) {
    String reason = Text.of(cause);
    boolean isNew;
    synchronized (this) {
      isLost = true;
      isNew = told.size() <= MOST && told.add(reason);
    }
    if (isNew) {
      operator.accept(reason);
    }
  }

  /** Reports that there is a connection again; does nothing for the first one. */
  public void connected() {
    boolean wasLost;
    synchronized (this) {
      wasLost = isLost;
      isLost = false;
    }
    if (wasLost) {
      operator.accept("connected to " + other + " again");
    }
  }

  @Override
  public void connected(Peer peer, int attempt) {
    connected();
  }

  @Override
  public void disconnected(@Nullable Throwable cause) {
    lost(cause == null ? new IOException(Reconnector.END) : cause);
  }

  @Override
  public void retrying(int attempt, Duration delay, Throwable cause) {
    failed(cause);
  }

  @Override
  public void gaveUp(Throwable cause) {
    operator.accept(Text.of(cause));
  }
}
