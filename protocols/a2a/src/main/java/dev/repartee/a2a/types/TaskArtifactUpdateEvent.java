package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A new artifact of a task, or a part of one (section 4.2.2).
 *
 * @param taskId the task
 * @param contextId its conversation; null if the peer has none
 * @param artifact the artifact, or more of its parts
 * @param append whether the parts are appended to the known parts of the artifact
 * @param lastChunk whether the artifact is complete
 * @param metadata a JSON object; null for none
 */
public record TaskArtifactUpdateEvent(
    String taskId,
    @Nullable String contextId,
    Artifact artifact,
    boolean append,
    boolean lastChunk,
    @Nullable Json metadata)
    implements StreamResponse {}
