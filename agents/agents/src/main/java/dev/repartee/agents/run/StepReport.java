package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.json.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step of a run at one moment.
 *
 * @param id the id, unique in the run: the names of the enclosing steps and of this step
 * @param name the name in the plan; for an element of a map, its index in brackets
 * @param kind {@code call}, {@code sequence}, {@code parallel}, {@code race}, {@code map} or {@code
 *     approval}
 * @param depth the number of enclosing steps
 * @param state the state
 * @param agent the name of the agent; null if the step is not a call, or no agent is chosen yet
 * @param skill the skill; null if the plan names none
 * @param attempts the number of attempts so far
 * @param started the time of the start; null if the step has not started
 * @param ended the time of the end; null if the step has not ended
 * @param output the output, or the fallback of a failed step; null if there is none
 * @param failure the failure; null if there is none
 * @param progress the last progress; null if there was none
 * @param restored whether the step was read from the journal instead of run
 */
public record StepReport(
    String id,
    String name,
    String kind,
    int depth,
    StepState state,
    @Nullable String agent,
    @Nullable String skill,
    int attempts,
    @Nullable Instant started,
    @Nullable Instant ended,
    @Nullable Json output,
    @Nullable Failure failure,
    @Nullable Progress progress,
    boolean restored) {}
