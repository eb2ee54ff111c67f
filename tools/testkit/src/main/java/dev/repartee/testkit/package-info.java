/**
 * Test support for JSON-RPC clients and servers.
 *
 * <p>{@link dev.repartee.testkit.ReparteeExtension} serves a service to tests of JUnit, {@link
 * dev.repartee.testkit.ScriptedPeer} plays the other end of a connection frame by frame,
 * {@link dev.repartee.testkit.RawConnection} byte by byte, and {@link
 * dev.repartee.testkit.ConformanceTests} runs the conformance corpus against a server.
 *
 * <p>The packages below this one are for authors of transports, framings and binders: {@link
 * dev.repartee.testkit.contract} has the tests to extend, {@link dev.repartee.testkit.fault} and
 * {@link dev.repartee.testkit.attack} simulate bad networks and hostile clients, {@link
 * dev.repartee.testkit.examples} lists messages with their answers, and {@link
 * dev.repartee.testkit.memory} measures memory.
 */
@NullMarked
package dev.repartee.testkit;

import org.jspecify.annotations.NullMarked;
