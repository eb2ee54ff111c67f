/**
 * JSON-RPC 2.0: messages, the codec, framings, the peer, typed services and the channels that need
 * only the JDK.
 *
 * <p>Start with {@link dev.repartee.Repartee}: {@code connect} gives a {@link dev.repartee.Peer} to
 * call methods on, {@code listen} serves a {@link dev.repartee.Service}. Both sides of a connection
 * are peers: either may call, notify and serve.
 *
 * <p>Values that no Java type describes travel as {@link dev.repartee.Json}, validated text that is
 * not parsed until somebody asks. What a frame looks like on a byte stream is a {@link
 * dev.repartee.Framing}, what a message looks like inside it a {@link dev.repartee.Codec}, and what
 * differs between the protocols on top a {@link dev.repartee.Dialect}.
 */
@NullMarked
package dev.repartee;

import org.jspecify.annotations.NullMarked;
