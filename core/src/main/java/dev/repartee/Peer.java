package dev.repartee;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** stub. */
public final class Peer implements AutoCloseable {
  Peer() {}

  /** Starts. */
  public static Peer open(Channel channel, Service service, Options options) {
    throw new UnsupportedOperationException();
  }

  /** Call. */
  public <T> T call(String method, Class<T> result, @Nullable Object... args) {
    return request(method).args(args).call(result);
  }

  /** Call. */
  public <T> CallFuture<T> callAsync(String method, Class<T> result, @Nullable Object... args) {
    return request(method).args(args).send(result);
  }

  /** Notify. */
  public void notify(String method, @Nullable Object... args) {
    request(method).args(args).sendNotification();
  }

  /** Starts a call. */
  public Invocation request(String method) {
    return new Invocation(this, method);
  }

  /** A proxy. */
  public <T> T proxy(Class<T> type) {
    return Proxies.create(this, type);
  }

  <T extends @Nullable Object> CallFuture<T> send(Invocation call, JsonType<T> type) {
    throw new UnsupportedOperationException();
  }

  void sendNotification(Invocation call) {
    throw new UnsupportedOperationException();
  }

  /** Info. */
  public ChannelInfo channel() {
    throw new UnsupportedOperationException();
  }

  /** Close. */
  @Override
  public void close() {}

  /** Close. */
  public void close(Duration limit) {}
}
