/**
 * Clients of A2A: {@link dev.repartee.a2a.client.A2aClient} sends messages to an agent of version
 * 1.0 or 0.3.
 */
@NullMarked
package dev.repartee.a2a.client;

import org.jspecify.annotations.NullMarked;
