package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * An extension of the protocol (section 4.4.4).
 *
 * @param uri the name of the extension
 * @param description its use by the agent; null for none
 * @param required whether the agent refuses clients without it
 * @param params parameters, a JSON object; null for none
 */
public record AgentExtension(
    String uri,
    @Nullable String description,
    boolean required,
    @Nullable Json params) {}
