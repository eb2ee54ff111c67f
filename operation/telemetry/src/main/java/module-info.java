/** OpenTelemetry, Micrometer and access logs for calls. */
// The API of OpenTelemetry has no descriptor. A program without it, or without Micrometer, uses the
// other classes.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.repartee.telemetry {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires static transitive io.opentelemetry.api;
  requires static transitive io.opentelemetry.context;
  requires static transitive micrometer.core;

  exports dev.repartee.telemetry;

  provides dev.repartee.internal.ThreadContext.Provider with
      dev.repartee.telemetry.TraceContext.Provider;
}
