/**
 * JSON-RPC 2.0: peers, servers and typed services.
 *
 * <p>Start with {@link dev.repartee.Repartee}: {@code connect} returns a {@link dev.repartee.Peer}
 * to call methods on, {@code listen} serves a {@link dev.repartee.Service}. Both sides of a
 * connection are peers: each may call, notify and serve.
 *
 * <p>Values without a Java type are passed as {@link dev.repartee.json.Json}: validated text that
 * is parsed only on demand. A {@link dev.repartee.framing.Framing} defines the form of a frame on a
 * byte stream, a {@link dev.repartee.message.Codec} the form of a message in a frame, and a {@link
 * dev.repartee.message.Dialect} the differences between the protocols on top. The messages are in
 * {@link dev.repartee.message}, the transports in {@link dev.repartee.transport}, the limits of an
 * endpoint in {@link dev.repartee.limits.Limits}.
 */
@NullMarked
package dev.repartee;

import org.jspecify.annotations.NullMarked;
