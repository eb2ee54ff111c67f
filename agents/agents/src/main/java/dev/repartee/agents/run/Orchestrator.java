package dev.repartee.agents.run;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Human;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.internal.Workers;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.plan.Step;
import dev.repartee.internal.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs plans with a team of agents:
 *
 * <pre>{@code
 * try (Team team = Team.of(words); Orchestrator orchestrator = Orchestrator.of(team)) {
 *   RunResult result = orchestrator.request(plan).input(input).start().result().join();
 * }
 * }</pre>
 *
 * <p>Thread-safe. All runs share the agents of the team and the limit of concurrent calls. Close
 * the orchestrator before the team.
 */
public final class Orchestrator implements AutoCloseable {
  /** The maximum number of elements of a map. */
  static final int MOST_ELEMENTS = 10_000;

  /** The time that {@link #close} waits for the end of the runs. */
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final Team team;
  private final Human human;
  private final Journal journal;
  private final int mostRuns;
  private final Gate gate;
  private final Clock clock;
  private final Schemas schemas = new Schemas();
  private final Map<String, Run> runs = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private Orchestrator(Builder made) {
    this.team = made.team;
    this.human = made.human;
    this.journal = made.journal;
    this.mostRuns = made.runs;
    this.gate = new Gate(made.calls);
    this.clock = made.clock;
  }

  /** Returns an orchestrator with the defaults of the {@linkplain #builder builder}. */
  public static Orchestrator of(Team team) {
    return builder(team).build();
  }

  /** Returns a builder. */
  public static Builder builder(Team team) {
    return new Builder(team);
  }

  Clock clock() {
    return clock;
  }

  /** Starts a builder of a run. */
  public RunRequest request(Plan plan) {
    return new RunRequest(this, plan, human);
  }

  /**
   * Returns an agent with one skill, which runs the plan. Closing the agent does nothing.
   *
   * @throws IllegalArgumentException if the plan calls an agent that is not in the team
   */
  public Agent agent(Plan plan) {
    requireKnown(plan.steps());
    return new PlanAgent(this, plan);
  }

  /** Returns the runs that have not ended. */
  public List<Run> runs() {
    return List.copyOf(runs.values());
  }

  Run start(RunRequest request) {
    Run run = request.run();
    requireKnown(run.plan().steps());
    if (closed) {
      throw new IllegalStateException("the orchestrator is closed");
    } else if (runs.size() >= mostRuns) {
      throw new IllegalStateException(mostRuns + " runs are running; start this one later");
    } else if (runs.putIfAbsent(run.id(), run) != null) {
      throw new IllegalStateException("the run '" + run.id() + "' is running already");
    }
    try {
      Workers.ALL.execute(() -> run.execute(request));
    } catch (OutOfMemoryError e) { // the system has no thread left
      forget(run);
      throw e;
    }
    if (closed) {
      run.interrupt(); // close() may have read the runs before this one was added
    }
    return run;
  }

  void forget(Run run) {
    runs.remove(run.id(), run);
  }

  private void requireKnown(Step step) {
    if (step instanceof Step.Call call && call.agent() != null && !team.knows(call.agent())) {
      throw new IllegalArgumentException(
          "the plan calls the agent '" + call.agent() + "', which is not in the team: "
              + team.agents().stream().map(Agent::name).toList());
    }
    step.steps().forEach(this::requireKnown);
  }

  Team team() {
    return team;
  }

  Journal journal() {
    return journal;
  }

  Schemas schemas() {
    return schemas;
  }

  /**
   * Returns the gate for the calls of an agent. The call of a plan needs no permit: its inner calls
   * need permits, and if plans held all permits, their inner calls would wait for ever.
   */
  Gate gate(Agent agent) {
    return agent instanceof PlanAgent ? Gate.OPEN : gate;
  }

  /**
   * Interrupts all runs, and waits up to 10 seconds for their end. Another orchestrator with the
   * same journal can resume them.
   */
  @Override
  public void close() {
    closed = true;
    List<Run> running = runs();
    running.forEach(Run::interrupt);
    CompletableFuture.allOf(
            running.stream().map(Run::result).toArray(size -> new CompletableFuture<?>[size]))
        .completeOnTimeout(null, CLOSING.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /** Builds orchestrators. Not thread-safe. */
  public static final class Builder {
    private final Team team;
    private Human human = Human.NOBODY;
    private Journal journal = Journal.inMemory();
    private int calls = 256;
    private int runs = 10_000;
    private Clock clock = Clock.SYSTEM;

    private Builder(Team team) {
      this.team = Objects.requireNonNull(team);
    }

    /** Sets the human for the questions of runs; by default all questions are refused. */
    public Builder human(Human human) {
      this.human = Objects.requireNonNull(human);
      return this;
    }

    /** Sets the journal; {@link Journal#inMemory} by default. */
    public Builder journal(Journal journal) {
      this.journal = Objects.requireNonNull(journal);
      return this;
    }

    /** Sets the maximum number of concurrent calls of all runs together; 256 by default. */
    public Builder concurrentCalls(int calls) {
      this.calls = positive("concurrentCalls", calls);
      return this;
    }

    /** Sets the maximum number of concurrent runs; 10,000 by default. */
    public Builder concurrentRuns(int runs) {
      this.runs = positive("concurrentRuns", runs);
      return this;
    }

    private static int positive(String name, int value) {
      if (value < 1) {
        throw new IllegalArgumentException(name + " has to be at least 1, not " + value);
      }
      return value;
    }

    /** Sets the clock of the time limits and pauses, for tests. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /** Returns the orchestrator. */
    public Orchestrator build() {
      return new Orchestrator(this);
    }
  }
}
