/**
 * For tests of JSON-RPC clients, servers, framings and transports.
 *
 * <p>{@link dev.repartee.testkit.ScriptedPeer} plays the other end of a connection frame by frame.
 * {@link dev.repartee.testkit.FramingContract} and {@link dev.repartee.testkit.ChannelContract} are
 * what every framing and every channel has to pass: extend them and say what is under test. {@link
 * dev.repartee.testkit.FaultContract} is the same for a network that goes wrong, which a {@link
 * dev.repartee.testkit.FaultProxy} makes do so. {@link dev.repartee.testkit.WorkedExamples} are those
 * of the specification.
 */
@NullMarked
package dev.repartee.testkit;

import org.jspecify.annotations.NullMarked;
