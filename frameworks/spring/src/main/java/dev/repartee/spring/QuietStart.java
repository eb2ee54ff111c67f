package dev.repartee.spring;

import dev.repartee.reconnect.ReconnectListener;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.springframework.context.Lifecycle;

/**
 * Logs that a client is not connected: as a warning while the application runs, at the level {@code
 * DEBUG} while it starts or stops. Then the endpoint may be one of this application, which is
 * opened after the beans were made, or a service that starts at the same time.
 */
record QuietStart(Lifecycle application) implements ReconnectListener {
  private static final System.Logger LOGGER = System.getLogger("dev.repartee");

  @Override
  public void retrying(int attempt, Duration delay, Throwable cause) {
    if (application.isRunning()) {
      LOG.retrying(attempt, delay, cause);
    } else {
      LOGGER.log(Level.DEBUG, "not connected while the application starts or stops", cause);
    }
  }

  @Override
  public void gaveUp(Throwable cause) {
    LOG.gaveUp(cause);
  }
}
