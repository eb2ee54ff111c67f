package dev.repartee.xmpp;

import dev.repartee.broker.Reconnection;
import java.io.IOException;
import java.time.Duration;

/** The user of a session that is opened again after each loss. */
interface SessionUser extends Session.Receiver, Reconnection.User<Session> {
  /**
   * The pause after another login has replaced this one at the resource. Without the pause the two
   * would replace each other endlessly.
   */
  Duration CONFLICT = Duration.ofMinutes(1);

  @Override
  default Duration pause(IOException cause, Duration usual) {
    return Faults.isConflict(cause) ? CONFLICT : usual;
  }
}
