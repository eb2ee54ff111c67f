package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.UnknownMembers;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /runs}, and the params of {@code runs/create}. */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
record RunRequest(
    @Param("agent_name") String agentName,
    List<RunMessage> input,
    @Param("session_id") Optional<String> sessionId,
    @Param("session") Optional<SessionReference> reference,
    Optional<String> mode) {
  /** The session of a request. Its other members, such as a history, are ignored. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record SessionReference(Optional<String> id) {}

  /** Returns the id of the session, or null for a new session. */
  @Nullable String session() {
    return sessionId.or(() -> reference.flatMap(SessionReference::id)).orElse(null);
  }
}
