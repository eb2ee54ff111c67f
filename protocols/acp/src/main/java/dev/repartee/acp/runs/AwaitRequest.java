package dev.repartee.acp.runs;

import dev.repartee.json.Param;
import dev.repartee.json.UnknownMembers;

/**
 * A message for which a run waits, or which resumes it.
 *
 * @param type {@code message}
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
public record AwaitRequest(
    @Param(defaultsTo = "\"message\"") String type, RunMessage message) {
  static AwaitRequest of(RunMessage message) {
    return new AwaitRequest("message", message);
  }
}
