package dev.repartee.telemetry;

import dev.repartee.internal.ThreadContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The context of OpenTelemetry, for threads of other modules that continue a call.
 *
 * @param context the context; not the root
 */
record TraceContext(Context context) implements ThreadContext {
  private static final TextMapPropagator FIELDS = W3CTraceContextPropagator.getInstance();

  /** Provides the context of OpenTelemetry. */
  public static final class Provider implements ThreadContext.Provider {
    private final Context root = Context.root(); // fails here without OpenTelemetry

    /** Creates the provider, for the service loader. */
    public Provider() {}

    @Override
    public ThreadContext current() {
      return of(Context.current());
    }

    @Override
    public ThreadContext of(Map<String, String> fields) {
      return of(FIELDS.extract(root, fields::get, Propagation.Getter.BOUNDED));
    }

    private ThreadContext of(Context context) {
      return context == root ? NONE : new TraceContext(context);
    }
  }

  @Override
  public Runnable wrap(Runnable task) {
    return context.wrap(task);
  }

  @Override
  public <T extends @Nullable Object> T call(Supplier<T> task) {
    Scope scope = context.makeCurrent();
    try {
      return task.get();
    } finally {
      scope.close();
    }
  }

  @Override
  public Map<String, String> fields() {
    return Propagation.fields(FIELDS, context);
  }
}
