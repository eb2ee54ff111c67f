package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.UnknownMembers;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The state of a run of an agent at one moment.
 *
 * @param status {@code created}, {@code in-progress}, {@code awaiting}, {@code cancelling}, {@code
 *     cancelled}, {@code completed} or {@code failed}
 * @param awaitRequest the question of an awaiting run
 * @param output the messages of the agent
 * @param createdAt the time of creation (ISO 8601)
 * @param finishedAt the time of the end (ISO 8601)
 */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
public record Run(
    @Param("run_id") String runId,
    @Param("agent_name") String agentName,
    @Param("session_id") Optional<String> sessionId,
    String status,
    @Param("await_request") Optional<AwaitRequest> awaitRequest,
    List<RunMessage> output,
    Optional<RunError> error,
    @Param("created_at") String createdAt,
    @Param("finished_at") Optional<String> finishedAt) {
  static final String CREATED = "created";
  static final String IN_PROGRESS = "in-progress";
  static final String AWAITING = "awaiting";
  static final String CANCELLING = "cancelling";
  static final String CANCELLED = "cancelled";
  static final String COMPLETED = "completed";
  static final String FAILED = "failed";

  private static final Set<String> ENDS = Set.of(CANCELLED, COMPLETED, FAILED);

  /** Returns whether the run is completed, failed or cancelled. */
  public boolean hasEnded() {
    return ENDS.contains(status);
  }
}
