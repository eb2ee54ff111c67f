package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RefusedCall;
import dev.repartee.RpcException;
import dev.repartee.message.Dialect;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes a span and records a duration for each call of one side. Thread-safe. */
final class CallObserver implements Layer {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final AttributeKey<String> VERSION =
      AttributeKey.stringKey("jsonrpc.protocol.version");

  private final Tracer tracer;
  private final DoubleHistogram durations;
  private final Convention convention;
  private final Propagation propagation;
  private final @Nullable ClientInstruments clients;
  private final @Nullable McpSessions sessions;
  private final boolean served;
  private final boolean ownContext;
  private final boolean statesVersion;

  /**
   * @param clients counts the calls if this side makes them; null if it serves them
   * @param sessions the sessions of MCP; null with other conventions
   * @param ownContext whether a message can contain a context beside the context of its HTTP
   *     request. The context of the message is then the parent, and the other context is a link
   * @param statesVersion whether spans state the version of JSON-RPC
   */
  CallObserver(
      Tracer tracer,
      DoubleHistogram durations,
      Convention convention,
      Propagation propagation,
      @Nullable ClientInstruments clients,
      @Nullable McpSessions sessions,
      boolean ownContext,
      boolean statesVersion) {
    this.tracer = tracer;
    this.durations = durations;
    this.convention = convention;
    this.propagation = propagation;
    this.clients = clients;
    this.sessions = sessions;
    this.served = clients == null;
    this.ownContext = ownContext;
    this.statesVersion = statesVersion;
  }

  @Override
  public @Nullable Object handle(Call call, Handler next) throws Exception {
    return clients == null ? serve(call, next) : send(call, next, clients);
  }

  private @Nullable Object serve(Call call, Handler next) throws Exception {
    Context thread = Context.current();
    SpanBuilder builder = tracer.spanBuilder(convention.spanName(call, true));
    Context parent = parent(thread, propagation.extract(Context.root(), call), builder);
    convention.describe(call, true, builder);
    Running running = new Running(call, parent, builder);
    boolean answered = call.id() != null;
    if (answered && sessions != null && call.hasPeer()) {
      sessions.served(call.peer(), call.method());
    }
    if (answered) {
      call.whenAnswered(error -> running.end(Outcome.of(error)));
    }
    Call passed = ownContext ? call : propagation.strip(call);
    return Layer.whenDone(passed, in(running.context, next), (result, failure) -> {
      if (failure == null) {
        running.failure = convention.failure(call, result);
      } else {
        running.failed(failure);
      }
      if (!answered) {
        running.end(Outcome.of(failure));
      }
    });
  }

  private @Nullable Object send(Call call, Handler next, ClientInstruments clients)
      throws Exception {
    Context parent = Context.current();
    SpanBuilder builder = tracer.spanBuilder(convention.spanName(call, false));
    builder.setParent(parent);
    convention.describe(call, false, builder);
    Running running = new Running(call, parent, builder);
    Call passed = propagation.inject(running.context, call);
    passed.onId(id -> CallFacts.id(id, running.span));
    clients.begun();
    return Layer.whenDone(passed, in(running.context, next), (result, failure) -> {
      clients.ended();
      running.failure = failure == null ? convention.failure(call, result) : null;
      running.end(Outcome.of(failure));
    });
  }

  /** Reports a call that no layer sees. */
  void refused(RefusedCall call) {
    SpanBuilder builder = tracer.spanBuilder(convention.spanName(call));
    Context parent = parent(Context.current(), propagation.extract(Context.root(), call), builder);
    convention.describe(call, builder);
    Span span = start(call.dialect(), builder);
    Outcome outcome = Outcome.of(call.error());
    CallFacts.end(span.setStatus(StatusCode.ERROR, call.reason()), outcome);
    span.end();
    durations.record(0, convention.measured(call, outcome), parent.with(span));
  }

  /**
   * Sets the parent of a span, and returns it. If the thread has a context, that context is the
   * parent: it belongs to the HTTP request of the call, and the HTTP server has read the header
   * fields. Otherwise the parent is the context in the message.
   */
  private Context parent(Context thread, Context message, SpanBuilder span) {
    SpanContext outer = Span.fromContext(thread).getSpanContext();
    boolean hasOuter = outer.isValid();
    boolean hasOwn = Span.fromContext(message).getSpanContext().isValid();
    if (hasOuter && ownContext && hasOwn) {
      span.addLink(outer);
    }
    Context parent = hasOuter && !(ownContext && hasOwn) ? thread : message;
    span.setParent(parent);
    return parent;
  }

  private Span start(Dialect dialect, SpanBuilder builder) {
    if (statesVersion && dialect.isJsonRpc2()) { // other envelopes state no version
      builder.setAttribute(VERSION, "2.0");
    }
    return builder.setSpanKind(served ? SpanKind.SERVER : SpanKind.CLIENT).startSpan();
  }

  private static Handler in(Context context, Handler next) {
    return call -> {
      Scope scope = context.makeCurrent();
      try {
        return next.handle(call);
      } finally {
        scope.close();
      }
    };
  }

  /** A call that runs. */
  private final class Running {
    final Call call;
    final Span span;
    final Context context;
    private final long start = System.nanoTime();

    /** The failure in a result. */
    volatile @Nullable String failure;

    Running(Call call, Context parent, SpanBuilder builder) {
      this.call = call;
      this.span = start(call.dialect(), builder);
      this.context = parent.with(span);
    }

    /** Records the exception of a handler that fails unexpectedly. The caller does not get it. */
    void failed(Throwable exception) {
      if (!(exception instanceof RpcException) && !(exception instanceof CancellationException)) {
        span.recordException(exception);
      }
    }

    void end(Outcome answer) {
      String inside = failure;
      Outcome outcome =
          answer.type() == null && inside != null ? new Outcome(null, inside) : answer;
      double seconds = (System.nanoTime() - start) / NANOS;
      if (outcome.type() != null) {
        span.setStatus(StatusCode.ERROR);
        CallFacts.end(span, outcome);
      }
      span.end();
      durations.record(seconds, convention.measured(call, served, outcome), context);
    }
  }
}
