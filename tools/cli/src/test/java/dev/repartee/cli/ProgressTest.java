package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.terminal.Progress;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final Captured captured = new Captured("");

  private Progress progress(boolean terminal) {
    return new Progress(captured.stdio(terminal));
  }

  @Test
  void aProgramGetsALineForEachUpdate() {
    Progress progress = progress(false);
    progress.show(Json.parse("{\"done\": 1}"));
    progress.show(Json.of(2));
    progress.end();
    assertThat(captured.err())
        .isEqualToNormalizingNewlines("progress: {\"done\":1}\nprogress: 2\n");
  }

  @Test
  void aTerminalGetsOneLineThatIsOverwritten() {
    Progress progress = progress(true);
    progress.show(Json.of(10));
    progress.show(Json.of(9));
    progress.end();
    progress.end();
    assertThat(captured.err()).isEqualToNormalizingNewlines("\rprogress: 10\rprogress: 9 \n");
  }

  @Test
  void aLineNeverFillsTheTerminal() {
    progress(true).show(Json.of("x".repeat(200)));
    assertThat(captured.err()).hasSize(80).endsWith("xxx...");
  }

  @Test
  void aLineIsShorterThanANarrowTerminal() {
    new Progress(captured.stdio(true), () -> 40).show(Json.of("x".repeat(200)));
    assertThat(captured.err()).hasSize(40).endsWith("xxx...");
  }

  @Test
  void aLogRepeatsTheStateUntilTheEnd() {
    Semaphore told = new Semaphore(0);
    Runnable end = progress(false)
        .tell(
            () -> {
              told.release();
              return "2 of 3";
            },
            Duration.ofMillis(1));
    told.acquireUninterruptibly(3); // two lines have been written
    end.run();
    assertThat(captured.err())
        .startsWith("progress: 2 of 3" + System.lineSeparator() + "progress: 2 of 3");
  }

  @Test
  void aTerminalShowsTheStateAtOnce() {
    Runnable end = progress(true).tell(() -> "waiting", Duration.ofHours(1));
    assertThat(captured.err()).isEqualTo("\rwaiting");
    end.run();
    assertThat(captured.err()).isEqualTo("\rwaiting\r       \r");
  }

  @Test
  void timesHaveOneDecimalDigit() {
    assertThat(Stopwatch.millis(1_249_999)).isEqualTo("1.2");
    assertThat(Stopwatch.millis(50_000)).isEqualTo("0.1");
    assertThat(Stopwatch.millis(1_000_000_000)).isEqualTo("1000.0");
  }
}
