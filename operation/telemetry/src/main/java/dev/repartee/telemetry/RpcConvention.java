package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.RefusedCall;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanBuilder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The conventions for RPC and JSON-RPC ({@code docs/rpc/json-rpc.md} and {@code rpc-metrics.md} of
 * the semantic conventions 1.45).
 */
final class RpcConvention implements Convention {
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("rpc.system.name");
  static final AttributeKey<String> METHOD = AttributeKey.stringKey("rpc.method");
  static final AttributeKey<String> ORIGINAL = AttributeKey.stringKey("rpc.method_original");

  /** The value of {@link #SYSTEM}, and the name of a span without a method. */
  static final String JSON_RPC = "jsonrpc";

  /** The attributes of successful calls by method; the methods are bounded. */
  private final Map<String, Attributes> successes = new ConcurrentHashMap<>();

  private final Names methods;
  private final CallFacts facts;

  /**
   * @param methods the names of the methods that this side calls
   */
  RpcConvention(Names methods, CallFacts facts) {
    this.methods = methods;
    this.facts = facts;
  }

  @Override
  public String durations(boolean served) {
    return Durations.name(served);
  }

  /** Returns the method of a refused call; null if its message has none. */
  private static @Nullable String method(RefusedCall call) {
    return call.method() == null ? null : Names.served(call);
  }

  @Override
  public String spanName(Call call, boolean served) {
    return named(Names.ofSpan(call, served));
  }

  @Override
  public String spanName(RefusedCall call) {
    return named(method(call));
  }

  private static String named(@Nullable String method) {
    return method == null || method.equals(Names.OTHER) ? JSON_RPC : method;
  }

  @Override
  public void describe(Call call, boolean served, SpanBuilder span) {
    describe(Names.ofSpan(call, served), call.method(), span);
    facts.describe(call, served, span);
  }

  @Override
  public void describe(RefusedCall call, SpanBuilder span) {
    describe(method(call), call.method(), span);
    facts.describe(call, span);
  }

  private static void describe(
      @Nullable String method, @Nullable String original, SpanBuilder span) {
    span.setAttribute(SYSTEM, JSON_RPC);
    if (method != null && original != null) {
      span.setAttribute(METHOD, method);
      if (!method.equals(original)) {
        span.setAttribute(ORIGINAL, Names.cut(original));
      }
    }
  }

  @Override
  public Attributes measured(Call call, boolean served, Outcome outcome) {
    return measured(served ? Names.served(call) : methods.called(call, outcome), outcome);
  }

  @Override
  public Attributes measured(RefusedCall call, Outcome outcome) {
    return measured(method(call), outcome);
  }

  private Attributes measured(@Nullable String method, Outcome outcome) {
    Attributes success = method == null
        ? Attributes.of(SYSTEM, JSON_RPC)
        : successes.computeIfAbsent(method, name -> Attributes.of(SYSTEM, JSON_RPC, METHOD, name));
    return facts.with(success, outcome);
  }

  @Override
  public @Nullable String failure(Call call, @Nullable Object result) {
    return null;
  }
}
