package dev.repartee;

import dev.repartee.json.UnknownMembers;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * The declarations of a method that do not depend on the registry of types.
 *
 * @param docs the facts that {@code rpc.discover} reports about the method
 * @param lane the lane, or null for the default lane of requests and of notifications
 * @param attributes the attributes for layers
 * @param streaming the options of a streamed method; null if its result is not a stream, or unknown
 * @param idempotent see {@link Rpc#idempotent}
 * @param notification see {@link Rpc#notification}
 */
record Traits(
    MethodDocs docs,
    @Nullable Lane lane,
    Attributes attributes,
    @Nullable Streaming streaming,
    boolean idempotent,
    boolean notification) {
  /** Declares nothing but a lane. */
  Traits(@Nullable Lane lane) {
    this(MethodDocs.NONE, lane, Attributes.NONE, null, false, false);
  }

  /** Returns the treatment of unknown params that follows from the declarations, or null. */
  @Nullable UnknownMembers unknownParams() {
    // The params of LSP may have tokens, which are not params of the method.
    return streaming != null && streaming.form() == Streaming.Form.PARTIAL_RESULTS
        ? UnknownMembers.IGNORE
        : null;
  }
}
