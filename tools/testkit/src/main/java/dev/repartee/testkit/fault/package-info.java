/**
 * Network faults: {@link dev.repartee.testkit.fault.FaultProxy} applies them to the bytes between
 * clients and a server, {@link dev.repartee.testkit.fault.FaultChannel} to the frames of a channel.
 */
@NullMarked
package dev.repartee.testkit.fault;

import org.jspecify.annotations.NullMarked;
