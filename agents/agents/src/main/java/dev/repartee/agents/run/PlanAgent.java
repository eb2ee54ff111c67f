package dev.repartee.agents.run;

import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.plan.Plan;
import dev.repartee.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Runs a plan as an agent: each task is a run. */
final class PlanAgent implements Agent {
  private final Orchestrator orchestrator;
  private final Plan plan;

  PlanAgent(Orchestrator orchestrator, Plan plan) {
    this.orchestrator = orchestrator;
    this.plan = plan;
  }

  @Override
  public String name() {
    return plan.name();
  }

  @Override
  public String description() {
    return plan.description();
  }

  @Override
  public List<Skill> skills() {
    return List.of(new Skill(
        plan.name(),
        plan.description().isEmpty() ? null : plan.description(),
        plan.inputSchema(),
        null));
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    CompletableFuture<Json> output = new CompletableFuture<>();
    Run run;
    try {
      run = orchestrator
          .request(plan)
          .input(task.input())
          .human(question -> task.ask(question.agent(), question.message(), question.schema()))
          .onEvent(event -> report(event, task))
          .start();
    } catch (IllegalStateException e) {
      return CompletableFuture.failedFuture(
          new AgentException(Failure.Kind.ERROR, String.valueOf(e.getMessage())));
    }
    output.whenComplete((json, failure) -> {
      if (output.isCancelled()) {
        run.cancel();
      }
    });
    // After the last report: a caller drops the reports of a task that has ended.
    run.reported().thenAcceptBoth(run.result(), (nothing, result) -> {
      Failure failure = result.failure();
      Json json = result.output();
      if (failure != null || json == null) {
        output.completeExceptionally(new AgentException(
            failure == null ? new Failure(Failure.Kind.INTERNAL, "no output") : failure));
      } else {
        output.complete(json);
      }
    });
    return output;
  }

  private static void report(RunEvent event, Task task) {
    if (event instanceof RunEvent.Changed changed) {
      StepReport step = changed.step();
      task.progress(Progress.of(step.id() + ": " + step.state().name().toLowerCase(Locale.ROOT)));
    } else if (event instanceof RunEvent.Progressed progressed) {
      task.progress(
          Progress.of(progressed.step().id() + ": " + progressed.step().progress()));
    }
  }
}
