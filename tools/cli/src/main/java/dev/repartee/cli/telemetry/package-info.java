/** The telemetry of serving commands: metrics, traces and the access log. */
@NullMarked
package dev.repartee.cli.telemetry;

import org.jspecify.annotations.NullMarked;
