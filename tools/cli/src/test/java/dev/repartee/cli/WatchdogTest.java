package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.options.Watchdog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WatchdogTest {
  /** Allocates all memory, and continues when that fails. */
  static final class Hoarder {
    public static void main(String[] args) {
      Watchdog.watch();
      List<byte[]> hoard = new ArrayList<>();
      while (true) {
        try {
          hoard.add(new byte[16 << 10]);
        } catch (OutOfMemoryError e) {
          // Ignored, as by a library that continues with its work.
        }
      }
    }
  }

  /** Blocks forever. */
  static final class Waiting {
    public static void main(String[] args) throws InterruptedException {
      Watchdog.watch();
      Watchdog.endWithin(1);
      Thread.currentThread().join();
    }
  }

  private static Outcome run(Class<?> program, String... options) throws Exception {
    List<String> command = Child.command();
    command.set(command.indexOf(Main.class.getName()), program.getName());
    command.addAll(1, List.of(options));
    command.remove("-Xmx128m");
    try (Child child = Child.start(command, Map.of())) {
      return child.outcome();
    }
  }

  @Test
  void aCommandThatIsOutOfMemoryExitsWithSix() throws Exception {
    Outcome outcome = run(Hoarder.class, "-Xmx24m");
    assertThat(outcome.exit()).isEqualTo(6);
    assertThat(outcome.err()).startsWith("repartee: out of memory").hasLineCount(1);
  }

  @Test
  void aCommandThatIsBlockedForeverExitsWithFour() throws Exception {
    Outcome outcome = run(Waiting.class);
    assertThat(outcome.exit()).isEqualTo(4);
    assertThat(outcome.err()).startsWith("repartee: the command did not end").hasLineCount(1);
  }
}
