/**
 * The corpus of JSON-RPC 2.0 cases, and what runs it: {@link dev.repartee.conformance.Check} against a
 * server, {@link dev.repartee.conformance.ClientCheck} against a client.
 */
@NullMarked
package dev.repartee.conformance;

import org.jspecify.annotations.NullMarked;
