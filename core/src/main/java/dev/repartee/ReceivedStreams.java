package dev.repartee;

import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.transport.DisconnectedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions and partial results that this side receives over one connection, by the keys of
 * their notifications. The items of calls are found by the ids of the calls. Thread-safe.
 */
final class ReceivedStreams {
  private final Map<ReceivedStream.Key, ReceivedStream<?>> streams = new ConcurrentHashMap<>();

  /** Adds a stream; returns false if its key is in use. */
  boolean add(ReceivedStream.Key key, ReceivedStream<?> stream) {
    return streams.putIfAbsent(key, stream) == null;
  }

  /** Removes a stream; returns false if it was removed before. */
  boolean remove(ReceivedStream.Key key, ReceivedStream<?> stream) {
    return streams.remove(key, stream);
  }

  /** Passes a notification on to its stream; returns false if it belongs to none. */
  boolean push(String method, Json params) {
    Json id = params.get(method.equals(ReceivedStream.PROGRESS) ? "token" : "subscription");
    ReceivedStream<?> stream = id == null ? null : streams.get(new ReceivedStream.Key(method, id));
    if (stream != null) {
      stream.push(params);
    }
    return stream != null;
  }

  /** Fails all streams. */
  void close(String why, @Nullable Throwable cause) {
    UserCode.forEach(
        List.copyOf(streams.values()),
        (ReceivedStream<?> stream) -> stream.fail(new DisconnectedException(why, cause)));
    streams.clear();
  }
}
