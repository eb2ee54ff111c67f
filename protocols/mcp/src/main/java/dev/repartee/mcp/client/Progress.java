package dev.repartee.mcp.client;

import org.jspecify.annotations.Nullable;

/**
 * The progress of a call.
 *
 * @param progress the amount of work done; it grows with each report
 * @param total the amount of all work, or null if it is not known
 * @param message a description of the current step, or null
 */
public record Progress(
    double progress, @Nullable Double total, @Nullable String message) {}
