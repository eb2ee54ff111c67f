package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.RefusedCall;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanBuilder;
import org.jspecify.annotations.Nullable;

/** The names and attributes of one of the {@link Conventions}. */
interface Convention {
  /** Returns the name of the metric of the durations of calls. */
  String durations(boolean served);

  /** Returns the name of the span of a call. */
  String spanName(Call call, boolean served);

  /** Sets the attributes of a span that are known before the call. */
  void describe(Call call, boolean served, SpanBuilder span);

  /** Returns the name of the span of a call that was refused. */
  String spanName(RefusedCall call);

  /** Sets the attributes of the span of a call that was refused. */
  void describe(RefusedCall call, SpanBuilder span);

  /** Returns the attributes of the duration of a call; their number is bounded. */
  Attributes measured(Call call, boolean served, Outcome outcome);

  /** Returns the attributes of the duration of a call that was refused; their number is bounded. */
  Attributes measured(RefusedCall call, Outcome outcome);

  /** Returns the error type of a result that contains a failure; null for a success. */
  @Nullable String failure(Call call, @Nullable Object result);
}
