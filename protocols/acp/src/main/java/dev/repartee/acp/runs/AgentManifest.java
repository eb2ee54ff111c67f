package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.Json;
import dev.repartee.json.UnknownMembers;
import java.util.List;
import java.util.Optional;

/**
 * The description of an agent.
 *
 * @param name a DNS label: lower case letters, digits and hyphens
 * @param inputContentTypes the media types of its input, such as {@code text/*}
 * @param outputContentTypes the media types of its output
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
public record AgentManifest(
    String name,
    String description,
    @Param("input_content_types") List<String> inputContentTypes,
    @Param("output_content_types") List<String> outputContentTypes,
    Optional<Json> metadata) {
  /** Returns the description of an agent for all media types. */
  public static AgentManifest of(String name, String description) {
    return new AgentManifest(
        name, description, List.of("*/*"), List.of("*/*"), Optional.of(Json.EMPTY_OBJECT));
  }
}
