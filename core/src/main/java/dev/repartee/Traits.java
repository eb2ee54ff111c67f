package dev.repartee;

import dev.repartee.json.JsonTypes;
import dev.repartee.json.UnknownMembers;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.Attributes;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The properties that a copy of a method may change.
 *
 * @param unknownParams the treatment of unknown params that the service states, or null for that
 *     of the endpoint
 * @param remake makes the method with the types of a registry; null if the method has types of
 *     its own, or belongs to this library
 * @param streaming the options of a streamed method; null if its result is no stream, or unknown
 * @param idempotent see {@link Rpc#idempotent}
 * @param notification see {@link Rpc#notification}
 */
record Traits(
    @Nullable UnknownMembers unknownParams,
    Attributes attributes,
    @Nullable Function<JsonTypes, RpcMethod> remake,
    @Nullable Streaming streaming,
    boolean idempotent,
    boolean notification) {
  static final Traits NONE = new Traits(null, Attributes.NONE, null, null, false, false);

  Traits with(UnknownMembers unknownParams) {
    return new Traits(unknownParams, attributes, remake, streaming, idempotent, notification);
  }

  Traits with(Attributes attributes) {
    return new Traits(unknownParams, attributes, remake, streaming, idempotent, notification);
  }

  Traits with(Function<JsonTypes, RpcMethod> remake) {
    return new Traits(unknownParams, attributes, remake, streaming, idempotent, notification);
  }

  Traits with(Streaming streaming) {
    // The params of LSP may have tokens, which are no params of the method.
    boolean tokens = streaming.form() == Streaming.Form.PARTIAL_RESULTS;
    return new Traits(
        tokens ? UnknownMembers.IGNORE : unknownParams,
        attributes,
        remake,
        streaming,
        idempotent,
        notification);
  }

  Traits repeatable() {
    return new Traits(unknownParams, attributes, remake, streaming, true, notification);
  }

  Traits onlyNotification() {
    return new Traits(unknownParams, attributes, remake, streaming, idempotent, true);
  }
}
