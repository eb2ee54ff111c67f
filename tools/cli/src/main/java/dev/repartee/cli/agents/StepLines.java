package dev.repartee.cli.agents;

import dev.repartee.agents.run.Run;
import dev.repartee.agents.run.RunEvent;
import dev.repartee.agents.run.StepReport;
import dev.repartee.cli.terminal.LiveLines;
import dev.repartee.cli.terminal.Stdio;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows the steps of a run on standard error: a live tree on a terminal, otherwise a line for each
 * start and end of a step. Receives one event at a time.
 */
final class StepLines implements Consumer<RunEvent> {
  /** The minimum time between two updates of the tree, in nanoseconds. */
  private static final long PERIOD = 50_000_000;

  private final Stdio stdio;
  private final LiveLines lines;
  private final boolean quiet;
  private volatile @Nullable Run run;
  private long next = System.nanoTime();

  StepLines(Stdio stdio, boolean quiet) {
    this.stdio = stdio;
    this.lines = new LiveLines(stdio);
    this.quiet = quiet;
  }

  /** Sets the run to show. */
  void show(Run run) {
    this.run = run;
  }

  LiveLines lines() {
    return lines;
  }

  @Override
  public void accept(RunEvent event) {
    if (quiet) {
      return;
    } else if (lines.isLive()) {
      tree(event);
    } else if (event instanceof RunEvent.Changed changed) {
      StepReport step = changed.step();
      String words = words(step);
      if (words != null) {
        stdio.note(words);
      }
    }
  }

  private void tree(RunEvent event) {
    Run shown = run;
    if (event instanceof RunEvent.Ended ended) {
      lines.show(ended.result().steps().stream().map(StepLines::row).toList());
    } else if (shown != null && System.nanoTime() - next >= 0) {
      next = System.nanoTime() + PERIOD;
      List<StepReport> steps = shown.steps();
      lines.show(steps.stream().map(StepLines::row).toList());
    }
  }

  private static String row(StepReport step) {
    String mark = switch (step.state()) {
      case PENDING -> ".";
      case RUNNING -> ">";
      case WAITING -> "?";
      case SUCCEEDED -> "+";
      case FAILED, UNKNOWN -> "x";
      case CANCELLED, SKIPPED -> "-";
    };
    String text = "  ".repeat(step.depth()) + mark + " " + step.name() + agent(step);
    Instant from = step.started();
    if (from != null) {
      Instant to = step.ended();
      text += " " + millis(Duration.between(from, to == null ? Instant.now() : to));
    }
    if (step.failure() != null) {
      return text + ": " + step.failure().message();
    }
    return step.progress() == null || step.state().isEnd() ? text : text + ": " + step.progress();
  }

  /** Returns the line for a change of a step, or null if the change is not shown. */
  private static @Nullable String words(StepReport step) {
    String name = step.id() + agent(step);
    return switch (step.state()) {
      case PENDING -> null;
      case RUNNING ->
        step.attempts() > 1
            ? "attempt " + step.attempts() + " of " + name
            : step.attempts() == 0 && step.kind().equals("call") ? null : "begin " + name;
      case WAITING -> "waiting for an answer: " + name;
      default -> {
        Instant from = step.started();
        Instant to = step.ended();
        yield step.state().name().toLowerCase(Locale.ROOT) + " " + name
            + (from == null || to == null ? "" : " after " + millis(Duration.between(from, to)))
            + (step.restored() ? ", from the journal" : "")
            + (step.failure() == null ? "" : ": " + step.failure().message());
      }
    };
  }

  private static String agent(StepReport step) {
    String agent = step.agent();
    String skill = step.skill();
    return agent == null && skill == null
        ? ""
        : " (" + (agent == null ? skill : skill == null ? agent : agent + " " + skill) + ")";
  }

  private static String millis(Duration time) {
    return time.toMillis() + " ms";
  }
}
