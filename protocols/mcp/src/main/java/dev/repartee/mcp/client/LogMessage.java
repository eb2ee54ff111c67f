package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.LogLevel;
import org.jspecify.annotations.Nullable;

/**
 * A log message of a server.
 *
 * @param level the severity
 * @param logger the name of the logger, or null
 * @param data the message, any JSON value
 */
public record LogMessage(LogLevel level, @Nullable String logger, Json data) {}
