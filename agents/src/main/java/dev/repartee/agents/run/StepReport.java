package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.json.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step of a run at one moment.
 *
 * @param id the id, unique in the run: the names of the steps around it and its own
 * @param name the name in the plan; for an element of a map, its index in brackets
 * @param kind {@code call}, {@code sequence}, {@code parallel}, {@code race}, {@code map} or {@code
 *     approval}
 * @param depth the number of steps around it
 * @param state the state
 * @param agent the name of the agent that has the task; null if there is none
 * @param skill the skill; null if the plan names none
 * @param attempts the number of attempts so far
 * @param started the begin; null if the step has not begun
 * @param ended the end; null if it has not ended
 * @param output the output, or the fallback of a failed step; null if there is none
 * @param failure the failure; null if there is none
 * @param progress the last progress; null if there was none
 * @param restored whether the step was taken from the journal and not run
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
