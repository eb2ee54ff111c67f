package dev.repartee.a2a.types;

import java.util.List;

/**
 * An ability of an agent (section 4.4.5).
 *
 * @param id the id, unique within the card
 * @param name the name for people
 * @param description the use of the skill, for people and models
 * @param tags keywords
 * @param examples examples of messages
 * @param inputModes the media types of its input; empty for the types of the card
 * @param outputModes the media types of its output; empty for the types of the card
 * @param securityRequirements the alternatives of credentials; empty for those in the card
 */
public record AgentSkill(
    String id,
    String name,
    String description,
    List<String> tags,
    List<String> examples,
    List<String> inputModes,
    List<String> outputModes,
    List<SecurityRequirement> securityRequirements) {
  /** Copies the lists. */
  public AgentSkill {
    tags = List.copyOf(tags);
    examples = List.copyOf(examples);
    inputModes = List.copyOf(inputModes);
    outputModes = List.copyOf(outputModes);
    securityRequirements = List.copyOf(securityRequirements);
  }

  /** Returns a skill with the media types and the security of its card. */
  public static AgentSkill of(String id, String name, String description, String... tags) {
    return new AgentSkill(
        id, name, description, List.of(tags), List.of(), List.of(), List.of(), List.of());
  }
}
