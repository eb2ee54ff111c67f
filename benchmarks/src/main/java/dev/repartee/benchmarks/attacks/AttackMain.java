package dev.repartee.benchmarks.attacks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.testkit.attack.Attack;
import dev.repartee.testkit.attack.AttackRun;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.stream.Collectors;

/**
 * The process of the attackers. A line {@code ATTACK URI} starts an attack; the next line ends it,
 * and the process prints the answers that the attackers received.
 */
final class AttackMain {
  private AttackMain() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      try (AttackRun run = Attack.valueOf(words[0]).on(words[1])) {
        in.readLine();
        System.out.println(run.reactions().entrySet().stream()
            .map(told -> String.format("%,d %s", told.getValue(), told.getKey()))
            .collect(Collectors.joining("; ")));
      }
    }
    System.exit(0);
  }
}
