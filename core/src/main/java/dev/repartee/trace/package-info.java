/**
 * Wire traces and recordings: {@link dev.repartee.trace.Trace} records the messages of connections,
 * {@link dev.repartee.trace.Recording} reads a recorded file.
 */
@NullMarked
package dev.repartee.trace;

import org.jspecify.annotations.NullMarked;
