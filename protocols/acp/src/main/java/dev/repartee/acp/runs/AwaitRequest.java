package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.UnknownMembers;

/**
 * The question of an awaiting run, or the answer that resumes the run.
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
