/**
 * Observation of calls: spans and metrics for OpenTelemetry by {@link
 * dev.repartee.telemetry.Telemetry}, metrics for Micrometer by {@link
 * dev.repartee.telemetry.CallMeters}, and access logs by {@link dev.repartee.telemetry.AccessLog}.
 */
@NullMarked
package dev.repartee.telemetry;

import org.jspecify.annotations.NullMarked;
