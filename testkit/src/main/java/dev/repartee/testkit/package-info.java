/**
 * Test support for JSON-RPC clients, servers, framings and transports.
 *
 * <p>{@link dev.repartee.testkit.ScriptedPeer} plays the other end of a connection frame by frame.
 * {@link dev.repartee.testkit.FramingContract} and {@link dev.repartee.testkit.ChannelContract} are
 * abstract test classes that every framing and every channel must pass: extend them and name the
 * object under test. {@link dev.repartee.testkit.FaultContract} is the contract for network faults,
 * which a {@link dev.repartee.testkit.FaultProxy} simulates. {@link
 * dev.repartee.testkit.WorkedExamples} are the examples of the specification.
 */
@NullMarked
package dev.repartee.testkit;

import org.jspecify.annotations.NullMarked;
