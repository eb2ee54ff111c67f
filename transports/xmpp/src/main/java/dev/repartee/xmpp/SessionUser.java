package dev.repartee.xmpp;

import dev.repartee.broker.Reconnection;
import java.io.IOException;

/** The user of a session that is opened again after each loss. */
interface SessionUser extends Session.Receiver, Reconnection.User<Session> {
  /**
   * The pause after another login has replaced this one at the resource. Without the pause the two
   * would replace each other endlessly.
   */
  int CONFLICT_MILLIS = 60_000;

  @Override
  default int pause(IOException cause, int usual) {
    return Faults.isConflict(cause) ? CONFLICT_MILLIS : usual;
  }
}
