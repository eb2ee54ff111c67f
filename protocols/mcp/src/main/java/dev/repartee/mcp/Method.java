package dev.repartee.mcp;

import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.wire.JsonObjectReader;
import org.jspecify.annotations.Nullable;

/**
 * A row of the protocol's table: a request of clients.
 *
 * @param name the name of the method
 * @param since the first revision that has it
 * @param until the last revision that has it
 * @param cached true if its result contains the time for which clients may cache it (2026-07-28,
 *     caching)
 * @param asks true if its result may be {@code input_required} (2026-07-28, multi round-trip
 *     requests)
 * @param body the implementation
 */
record Method(
    String name, Revision since, Revision until, boolean cached, boolean asks, Body body) {
  /** Serves a request: returns a {@code JsonObjectBuilder}, or a stage of them. */
  @FunctionalInterface
  interface Body {
    @Nullable Object answer(McpCall call, JsonObjectReader params) throws Exception;
  }

  /** Returns a row for all revisions. */
  static Method of(String name, Body body) {
    return new Method(name, Revision.V2024_11_05, Revision.V2026_07_28, false, false, body);
  }

  /** Returns a row for all revisions, with a result that clients may cache. */
  static Method cached(String name, Body body) {
    return new Method(name, Revision.V2024_11_05, Revision.V2026_07_28, true, false, body);
  }

  /** Returns a row for the revisions with a handshake. */
  static Method withHandshake(String name, Body body) {
    return new Method(name, Revision.V2024_11_05, Revision.LAST_WITH_HANDSHAKE, false, false, body);
  }

  /** Returns a row for the stateless revision. */
  static Method stateless(String name, boolean cached, Body body) {
    return new Method(name, Revision.V2026_07_28, Revision.V2026_07_28, cached, false, body);
  }

  /** Returns this row for a handler that may ask the client for input. */
  Method asking() {
    return new Method(name, since, until, cached, true, body);
  }

  boolean isIn(Revision revision) {
    return revision.isAtLeast(since) && until.isAtLeast(revision);
  }
}
