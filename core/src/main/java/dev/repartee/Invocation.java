package dev.repartee;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call in the making: {@code peer.request("sleep").args(100).timeout(ofSeconds(1)).call(int.class)}.
 * For one thread; it may be sent more than once.
 */
public final class Invocation {
  final String method;

  @Nullable Params params;

  @Nullable Duration timeout;

  @Nullable Consumer<Json> progress;

  /** Whether a notification waits for room. */
  boolean waits = true;

  private final Peer peer;
  private @Nullable Map<String, @Nullable Object> named;

  Invocation(Peer peer, String method) {
    this.peer = peer;
    this.method = method;
  }

  /**
   * The arguments by position, each a value that {@link Json#of} can write; in place of what was given
   * before. They are written when the call is sent, so do not change them until then.
   */
  public Invocation args(@Nullable Object... args) {
    return params(out -> {
      out.put('[');
      for (int i = 0; i < args.length; i++) {
        if (i > 0) {
          out.put(',');
        }
        Types.write(out, args[i]);
      }
      out.put(']');
    });
  }

  /** One more argument by name, in place of any given by position. */
  public Invocation arg(String name, @Nullable Object value) {
    if (named == null) {
      Map<String, @Nullable Object> all = new LinkedHashMap<>();
      this.named = all;
      this.params = out -> Types.write(out, all);
    }
    named.put(name, value);
    return this;
  }

  /**
   * The params as they are, in place of what was given before.
   *
   * @throws IllegalArgumentException if they are neither an array nor an object
   */
  public Invocation params(Json params) {
    Request.requireStructured(params);
    return params(out -> out.json(params));
  }

  Invocation params(@Nullable Params params) {
    this.named = null;
    this.params = params;
    return this;
  }

  @Nullable Json paramsAsJson() {
    if (params == null) {
      return null;
    }
    Output out = new Output();
    params.write(out);
    return Json.wrap(out.toBytes());
  }

  /**
   * The time to wait for the answer; {@link Limits#callTimeout} where nothing is said, for ever where
   * it is zero. A call whose time has passed fails with {@link CallTimeoutException}, and the other
   * side is told that it is not wanted any more; it is not sent if it was not sent by then.
   *
   * @throws IllegalArgumentException if it is negative, or past 292 years
   */
  public Invocation timeout(Duration timeout) {
    this.timeout = Limits.requireTime("timeout", timeout);
    return this;
  }

  /**
   * Who hears of progress. Runs on the thread that reads the connection, before the answer: it must
   * not block.
   */
  public Invocation onProgress(Consumer<Json> progress) {
    this.progress = progress;
    return this;
  }

  /** Sends it and waits for the result; see {@link Peer#call}. */
  public <T> T call(Class<T> result) {
    return send(result).await();
  }

  /** Sends it without waiting for the answer; see {@link Peer#callAsync}. */
  public <T> CallFuture<T> send(Class<T> result) {
    return send(Types.of(result));
  }

  /** Sends it, for a result of a generic type such as {@code List<String>}. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T> CallFuture<T> send(Type result) {
    return send((JsonType<T>) Types.of(result));
  }

  <T extends @Nullable Object> CallFuture<T> send(JsonType<T> type) {
    return peer.send(this, type);
  }

  /** Sends it as a notification, which is never answered; see {@link Peer#notify}. */
  public void sendNotification() {
    peer.sendNotification(this);
  }

  /**
   * Sends it as {@link #sendNotification} does, but never waits for room.
   *
   * @return false, having sent nothing, where there is no room for it now
   */
  public boolean offerNotification() {
    waits = false;
    try {
      peer.sendNotification(this);
      return true;
    } catch (LimitException e) {
      if (e.limit().equals("outboundBytes")) {
        return false;
      }
      throw e;
    }
  }
}
