package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.UnknownMembers;
import java.util.Optional;

/** The body of {@code POST /runs/ID}, and the params of {@code runs/resume}. */
@UnknownMembers.Policy(UnknownMembers.IGNORE)
record ResumeRequest(
    @Param("run_id") Optional<String> runId,
    @Param("await_resume") AwaitRequest awaitResume,
    Optional<String> mode) {}
