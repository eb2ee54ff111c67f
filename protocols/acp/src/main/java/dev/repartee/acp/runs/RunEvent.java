package dev.repartee.acp.runs;

import dev.repartee.json.Json;
import dev.repartee.json.UnknownMembers;
import java.util.Optional;

/**
 * An event of a run. The type determines which other member is present.
 *
 * @param type {@code run.} with a status, {@code message.created}, {@code message.part}, {@code
 *     message.completed}, {@code generic} or {@code error}
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
public record RunEvent(
    String type,
    Optional<Run> run,
    Optional<RunMessage> message,
    Optional<MessagePart> part,
    Optional<Json> generic,
    Optional<RunError> error) {
  private static final RunEvent EMPTY = new RunEvent(
      "", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  static RunEvent of(Run run) {
    String type = "run." + run.status();
    return new RunEvent(
        type, Optional.of(run), EMPTY.message, EMPTY.part, EMPTY.generic, EMPTY.error);
  }

  static RunEvent of(String type, RunMessage message) {
    return new RunEvent(
        type, EMPTY.run, Optional.of(message), EMPTY.part, EMPTY.generic, EMPTY.error);
  }

  static RunEvent of(MessagePart part) {
    return new RunEvent(
        "message.part", EMPTY.run, EMPTY.message, Optional.of(part), EMPTY.generic, EMPTY.error);
  }

  static RunEvent of(Json generic) {
    return new RunEvent(
        "generic", EMPTY.run, EMPTY.message, EMPTY.part, Optional.of(generic), EMPTY.error);
  }
}
