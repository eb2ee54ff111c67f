package dev.repartee.mcp.client;

import org.jspecify.annotations.Nullable;

/**
 * A change at the server.
 *
 * @param kind the kind
 * @param uri the URI of a changed resource, or the id of a changed task; null for lists
 */
public record Change(Kind kind, @Nullable String uri) {
  /** The kinds of changes. */
  public enum Kind {
    /** The list of tools. */
    TOOLS,
    /** The list of prompts. */
    PROMPTS,
    /** The list of resources or of resource templates. */
    RESOURCES,
    /** The contents of a resource. */
    RESOURCE,
    /** The state of a task. */
    TASK,
    /**
     * The subscription was opened again after its connection was lost. Changes in between may be
     * missing.
     */
    RENEWED
  }
}
