package dev.repartee.spring;

import dev.repartee.transport.Attributes;

/**
 * A context of the thread that receives an HTTP request or a WebSocket handshake, which the handlers
 * of its calls need on their own threads. The starter has one for the {@code SecurityContext} and
 * one for the {@code MDC}; an application may add beans of this type, for example for a tenant.
 */
@FunctionalInterface
public interface CallerContext {
  /** A captured context. Immutable: calls of one connection use it on several threads. */
  @FunctionalInterface
  interface Captured {
    /** Sets the context on the current thread. */
    Scope open();
  }

  /** Ends the use of a context. */
  @FunctionalInterface
  interface Scope extends AutoCloseable {
    /** Restores the earlier context of this thread. */
    @Override
    void close();
  }

  /** Captures the context of the current thread. */
  Captured capture();

  /**
   * Returns the attributes of the calls of a request, with those that the context of the current
   * thread adds; it adds none by default.
   */
  default Attributes attributes(Attributes of) {
    return of;
  }
}
