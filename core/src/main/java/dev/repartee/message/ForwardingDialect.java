package dev.repartee.message;

import dev.repartee.json.Json;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A dialect that forwards every method to another dialect. Extend it for a protocol that differs
 * from a known one in a few methods only.
 */
public abstract class ForwardingDialect implements Dialect {
  private final Dialect dialect;

  /** Forwards to that dialect. */
  protected ForwardingDialect(Dialect dialect) {
    this.dialect = Objects.requireNonNull(dialect);
  }

  @Override
  public final Dialect origin() {
    return dialect.origin();
  }

  @Override
  public Codec codec() {
    return dialect.codec();
  }

  @Override
  public @Nullable String cancelMethod() {
    return dialect.cancelMethod();
  }

  @Override
  public boolean isCancelAnswered() {
    return dialect.isCancelAnswered();
  }

  @Override
  public Json cancelParams(Id id) {
    return dialect.cancelParams(id);
  }

  @Override
  public boolean isCancelledByDisconnect() {
    return dialect.isCancelledByDisconnect();
  }

  @Override
  public @Nullable Id cancelled(@Nullable Json params) {
    return dialect.cancelled(params);
  }

  @Override
  public @Nullable RpcError cancelledError() {
    return dialect.cancelledError();
  }

  @Override
  public @Nullable String progressMethod() {
    return dialect.progressMethod();
  }

  @Override
  public Json progressParams(Id id, Json value) {
    return dialect.progressParams(id, value);
  }

  @Override
  public @Nullable Id progressed(@Nullable Json params) {
    return dialect.progressed(params);
  }

  @Override
  public @Nullable Json progress(Json params) {
    return dialect.progress(params);
  }

  @Override
  public RpcError busy(String limit, long max) {
    return dialect.busy(limit, max);
  }

  @Override
  public RpcError deadlinePassed(long millis) {
    return dialect.deadlinePassed(millis);
  }

  @Override
  public boolean isJsonRpc2() {
    return dialect.isJsonRpc2();
  }

  @Override
  public boolean hasMeta() {
    return dialect.hasMeta();
  }

  @Override
  public boolean answersWithoutId() {
    return dialect.answersWithoutId();
  }

  @Override
  public boolean endsAfterInvalid() {
    return dialect.endsAfterInvalid();
  }

  @Override
  public boolean answersInOrder() {
    return dialect.answersInOrder();
  }

  @Override
  public int httpStatus(OptionalInt errorCode) {
    return dialect.httpStatus(errorCode);
  }

  @Override
  public int httpNotificationStatus() {
    return dialect.httpNotificationStatus();
  }
}
