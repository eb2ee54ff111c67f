package dev.repartee.mcp;

import org.jspecify.annotations.Nullable;

/**
 * One row of the protocol's table: a request that clients make.
 *
 * @param name its name on the wire
 * @param since the first revision that has it
 * @param until the last one
 * @param cached whether its result says for how long it may be kept (2026-07-28, caching)
 * @param asks whether it may be answered {@code input_required} (2026-07-28, multi round-trip requests)
 * @param body what answers it
 */
record Method(
    String name, Revision since, Revision until, boolean cached, boolean asks, Body body) {
  /** What answers a request: with {@link Members}, or a stage of them. */
  @FunctionalInterface
  interface Body {
    @Nullable Object answer(McpCall call, Fields params) throws Exception;
  }

  /** One that all revisions have. */
  static Method of(String name, Body body) {
    return new Method(name, Revision.V2024_11_05, Revision.V2026_07_28, false, false, body);
  }

  /** The same, with a result that may be kept. */
  static Method cached(String name, Body body) {
    return new Method(name, Revision.V2024_11_05, Revision.V2026_07_28, true, false, body);
  }

  /** One that went with the handshake. */
  static Method withHandshake(String name, Body body) {
    return new Method(name, Revision.V2024_11_05, Revision.LAST_WITH_HANDSHAKE, false, false, body);
  }

  /** One that came with the stateless revision. */
  static Method stateless(String name, boolean cached, Body body) {
    return new Method(name, Revision.V2026_07_28, Revision.V2026_07_28, cached, false, body);
  }

  /** The same, whose handler may ask the client for more. */
  Method asking() {
    return new Method(name, since, until, cached, true, body);
  }

  boolean isIn(Revision revision) {
    return revision.isAtLeast(since) && until.isAtLeast(revision);
  }
}
