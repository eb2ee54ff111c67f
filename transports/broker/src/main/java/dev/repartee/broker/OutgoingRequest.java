package dev.repartee.broker;

import dev.repartee.transport.Headers;

/**
 * A message from a client to the workers of a service.
 *
 * @param key identifies the message; no message of any client has the same
 * @param body the frame
 * @param expectsReply whether the service may answer; false for notifications
 * @param millis the time in milliseconds after which the broker may drop the message, because the
 *     caller no longer waits for the answer; 0 if there is no such time
 * @param idempotent whether the caller declares that the message may be handled twice
 * @param window the number of bytes that a worker may send before its reply, until some of them are
 *     {@linkplain RequestLink#grant granted} again
 * @param headers the headers of the caller, for a broker whose messages have headers
 */
public record OutgoingRequest(
    String key,
    byte[] body,
    boolean expectsReply,
    long millis,
    boolean idempotent,
    int window,
    Headers headers) {}
