package dev.repartee.broker;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Tells an operator about the loss of a connection and its return: one line each, and one for each
 * new reason of the attempts between. Attempts follow every few seconds, possibly for days.
 * Thread-safe.
 */
public final class Outage {
  /** The most reasons that are told for one outage, in case that each one is different. */
  private static final int MOST = 10;

  private final String other;
  private final Consumer<String> operator;

  // Guarded by this.
  private final Set<String> told = new HashSet<>();
  private boolean isLost;

  /**
   * @param other the name of the other side, such as "the broker"
   * @param operator takes the lines; does not block
   */
  public Outage(String other, Consumer<String> operator) {
    this.other = other;
    this.operator = operator;
  }

  /** Tells that the connection was lost, and is tried again. */
  public void lost(IOException cause) {
    String reason = String.valueOf(cause.getMessage());
    synchronized (this) {
      isLost = true;
      told.clear();
      told.add(reason);
    }
    operator.accept("the connection to " + other + " was lost: " + reason + "; trying again");
  }

  /** Tells the reason for which an attempt to connect has failed, unless it was told before. */
  public void failed(IOException cause) {
    String reason = String.valueOf(cause.getMessage());
    boolean isNew;
    synchronized (this) {
      isLost = true;
      isNew = told.size() <= MOST && told.add(reason);
    }
    if (isNew) {
      operator.accept(reason);
    }
  }

  /** Tells that there is a connection again; does nothing for the first one. */
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
}
