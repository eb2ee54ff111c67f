package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.message.Dialect;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameSink;
import java.util.function.Supplier;

/** Sends the notifications that belong to a call that is served, such as its progress. */
final class CallNotices {
  private CallNotices() {}

  /** Sends a progress notification. */
  static void progress(OwnedExchange x, Json value) {
    Dialect dialect = x.connection().options().dialect();
    String method = dialect.progressMethod();
    if (method != null) {
      send(x, method, dialect.progressParams(x.id(), value));
    }
  }

  /**
   * Sends a notification that belongs to the call, unless the call was answered. Waits on a worker
   * until the write queue has room, and drops the notification if the queue stays full.
   */
  static void send(OwnedExchange x, String method, Json params) {
    try {
      FrameSink sink = x.connection().sink();
      if (sink.streams() && Room.within(sink, x.connection().options().limits())) {
        x.sendNow(method, params);
      }
    } catch (DisconnectedException e) {
      // The client has disconnected and receives no notification.
    }
  }

  /**
   * Sends a notification as {@link #send} does, but returns false if the write queue is full.
   *
   * @param params is called only if the queue has room
   */
  static boolean trySend(OwnedExchange x, String method, Supplier<Json> params) {
    try {
      FrameSink sink = x.connection().sink();
      if (sink.streams()) {
        if (!Room.within(sink, 0)) {
          return false;
        }
        x.sendNow(method, params.get());
      }
    } catch (DisconnectedException e) {
      // The client has disconnected and receives no notification.
    }
    return true;
  }
}
