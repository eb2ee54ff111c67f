package dev.repartee.broker;

import org.jspecify.annotations.Nullable;

/**
 * A message from a worker to the client that has sent a request.
 *
 * @param key the key of the request; null if the worker does not repeat it; then only the ids in
 *     the body identify the call
 * @param body the frame; empty if there is no frame, as at the end of a request without an answer
 * @param hasMore whether further messages follow for the same request; such a message is not the
 *     answer
 * @param worker the address of the worker for {@link RequestLink#grant}; null if there is none
 */
public record Reply(
    @Nullable String key,
    byte[] body,
    boolean hasMore,
    @Nullable String worker) {}
