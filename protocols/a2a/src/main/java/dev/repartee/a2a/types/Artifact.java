package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A result of a task (section 4.1.7).
 *
 * @param artifactId the id, unique within the task
 * @param name the name for people, or null
 * @param description a sentence for people, or null
 * @param parts the content
 * @param metadata a JSON object, or null
 * @param extensions the URIs of the extensions that this artifact uses
 */
public record Artifact(
    String artifactId,
    @Nullable String name,
    @Nullable String description,
    List<Part> parts,
    @Nullable Json metadata,
    List<String> extensions) {
  /** Copies the lists. */
  public Artifact {
    Objects.requireNonNull(artifactId, "artifactId");
    parts = List.copyOf(parts);
    extensions = List.copyOf(extensions);
  }

  /** Returns an artifact with a new id. */
  public static Artifact of(String name, Part... parts) {
    return new Artifact(UUID.randomUUID().toString(), name, null, List.of(parts), null, List.of());
  }

  /** Returns this artifact with other parts. */
  public Artifact with(List<Part> parts) {
    return new Artifact(artifactId, name, description, parts, metadata, extensions);
  }

  /** Returns the texts of all text parts, joined with line feeds. */
  public String text() {
    return Message.text(parts);
  }
}
