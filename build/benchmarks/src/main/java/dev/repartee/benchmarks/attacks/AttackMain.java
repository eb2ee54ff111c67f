package dev.repartee.benchmarks.attacks;

import dev.repartee.benchmarks.process.Replies;
import dev.repartee.testkit.attack.Attack;
import dev.repartee.testkit.attack.AttackRun;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The process of the attackers. A line {@code ATTACK URI} starts an attack; the next line ends it,
 * and the process prints the answers that the attackers received.
 */
final class AttackMain {
  private static @Nullable AttackRun run;

  private AttackMain() {}

  public static void main(String[] args) {
    Replies.serve(words -> {
      AttackRun running = run;
      if (running == null) {
        run = Attack.valueOf(words[0]).on(words[1]);
        return "started";
      }
      run = null;
      try (running) {
        return running.reactions().entrySet().stream()
            .map(told -> String.format("%,d %s", told.getValue(), told.getKey()))
            .collect(Collectors.joining("; "));
      }
    });
  }
}
