/**
 * Connections: the interface {@link dev.repartee.transport.Transport}, which opens and accepts
 * them, and the transports that need only the JDK.
 *
 * <p>A {@link dev.repartee.transport.Channel} carries frames to and from one peer. A transport for
 * single requests, such as HTTP, passes each frame to a {@link
 * dev.repartee.transport.FrameService}. Applications need this package only if they define channels
 * or endpoints themselves.
 */
@NullMarked
package dev.repartee.transport;

import org.jspecify.annotations.NullMarked;
