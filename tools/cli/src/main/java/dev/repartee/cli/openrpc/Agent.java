package dev.repartee.cli.openrpc;

import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import java.util.Map;

/**
 * Describes the skills on the card of an A2A agent as methods. An agent has one method for all of
 * them, to which a message is sent; the member {@code x-a2a} marks them.
 */
final class Agent {
  private static final Json TEXT = Json.parse("{\"type\":\"string\"}");

  private Agent() {}

  static Json document(AgentCard card) {
    Described document = new Described(card.name(), card.version());
    for (AgentSkill skill : card.skills()) {
      List<Json> tags = skill.tags().stream()
          .distinct()
          .map(tag -> Json.of(Map.of("name", tag)))
          .toList();
      document.add(
          skill.id(),
          new JsonObjectBuilder()
              .put("summary", skill.name())
              .put("description", skill.description())
              .putUnlessEmpty("tags", tags)
              .put("params", List.of(Described.param("message", true, TEXT)))
              .put("result", Described.result(Json.TRUE))
              .flag("x-a2a", true));
    }
    return document.json();
  }
}
