/**
 * The corpus of JSON-RPC 2.0 cases and its runners: {@link dev.repartee.conformance.Check} for
 * servers, {@link dev.repartee.conformance.ClientCheck} for clients.
 */
@NullMarked
package dev.repartee.conformance;

import org.jspecify.annotations.NullMarked;
