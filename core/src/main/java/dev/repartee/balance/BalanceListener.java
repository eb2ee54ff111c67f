package dev.repartee.balance;

import dev.repartee.internal.Text;
import dev.repartee.internal.log.FailureLog;

/**
 * Receives the changes of the endpoints of a {@link Balanced} peer. The methods must not block:
 * threads that read and open connections call them. Changes of one endpoint are reported in order,
 * changes of different endpoints concurrently. Exceptions of the methods are ignored. When this side
 * closes the peer, no method is called.
 */
public interface BalanceListener {
  /** A listener that ignores all changes. */
  BalanceListener NONE = new BalanceListener() {};

  /**
   * The default listener. Writes each endpoint that becomes unavailable to the {@link System.Logger}
   * with the name {@code dev.repartee}, at the level {@code WARNING}: at most 20 in ten seconds.
   */
  BalanceListener LOG = new BalanceListener() {
    private final FailureLog log = new FailureLog();

    @Override
    public void unavailable(String endpoint, Throwable cause) {
      log.write(endpoint + " is not available: " + Text.of(cause), null);
    }
  };

  /**
   * Reports that an endpoint takes calls, for the first time or again.
   *
   * @param endpoint the URI without secrets
   */
  default void available(String endpoint) {}

  /**
   * Reports that an endpoint takes no calls: its connection could not be opened or was lost, or its
   * pings failed. Not called again until {@link #available}.
   *
   * @param endpoint the URI without secrets
   * @param cause the reason
   */
  default void unavailable(String endpoint, Throwable cause) {}
}
