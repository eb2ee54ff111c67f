package dev.repartee.agents.postgres;

import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.run.Orchestrator;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A process that executes durable runs until its standard input ends. */
final class OrchestratorProcess implements AutoCloseable {
  private final Process process;

  private OrchestratorProcess(Process process) {
    this.process = process;
  }

  /** Starts a process that executes this number of runs at a time. */
  static OrchestratorProcess start(String database, int steps, int concurrency) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("-cp", classPath(), OrchestratorProcess.class.getName()));
    command.addAll(List.of(database, "" + steps, "" + concurrency));
    return new OrchestratorProcess(new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start());
  }

  /** Returns the class path of the tests, including the module path if there is one. */
  private static String classPath() {
    String modules = System.getProperty("jdk.module.path", "");
    String classes = System.getProperty("java.class.path");
    return modules.isEmpty() ? classes : modules + File.pathSeparator + classes;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills the process immediately, as {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  @SuppressWarnings("try") // the worker runs until the end of the block
  public static void main(String[] args) throws Exception {
    int steps = Integer.parseInt(args[1]);
    try (Team team = team(steps);
        DurableRuns runs = DurableRuns.worker(
            args[0], Integer.parseInt(args[2]), (run, journal) -> start(team, run, journal))) {
      while (System.in.read() >= 0) {
        // The test closes the stream.
      }
    }
  }

  /** Returns a team of one agent, whose tasks report to a {@link StepServer}. */
  static Team team(int steps) {
    return Team.of(LocalAgent.named("worker")
        .skill("report", task -> {
          StepServer.report(steps, task.id());
          return Map.of("by", ProcessHandle.current().pid());
        })
        .build());
  }

  private static void start(Team team, DurableRun run, Journal journal) {
    Orchestrator orchestrator = Orchestrator.builder(team).journal(journal).build();
    orchestrator
        .request(Plan.parse(run.plan().toString()))
        .id(run.id())
        .input(run.input())
        .start();
  }
}
