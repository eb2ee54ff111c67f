/**
 * Framings: the forms of a frame on a byte stream. {@link dev.repartee.framing.Framing} lists them;
 * {@link dev.repartee.framing.Frames} finds the frames of one connection.
 */
@NullMarked
package dev.repartee.framing;

import org.jspecify.annotations.NullMarked;
