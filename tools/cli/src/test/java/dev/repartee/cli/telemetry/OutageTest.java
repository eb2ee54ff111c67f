package dev.repartee.cli.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The reports about a collector. */
class OutageTest {
  private final List<String> reports = new ArrayList<>();
  private final Outage outage = new Outage("spans to http://127.0.0.1:4318", reports::add);

  @Test
  void anOutageHasOneReportAndItsEndAnother() {
    IOException refused = new IOException("refused");
    for (int i = 0; i < 100; i++) {
      outage.watch(() -> CompletableResultCode.ofExceptionalFailure(refused));
    }
    outage.watch(CompletableResultCode::ofSuccess);
    outage.watch(CompletableResultCode::ofSuccess);
    outage.watch(CompletableResultCode::ofFailure);
    assertThat(reports)
        .containsExactly(
            "cannot export spans to http://127.0.0.1:4318, and loses them until the next report:"
                + " refused",
            "exports spans to http://127.0.0.1:4318 again",
            "cannot export spans to http://127.0.0.1:4318, and loses them until the next report:"
                + " no answer");
  }

  @Test
  void aCollectorThatDoesNotAnswerGetsNoSecondExport() {
    CompletableResultCode first = new CompletableResultCode();
    List<CompletableResultCode> started = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      CompletableResultCode result = outage.watch(() -> {
        started.add(first);
        return first;
      });
      assertThat(result.isDone()).isEqualTo(i > 0);
    }
    assertThat(started).hasSize(1);
    assertThat(reports).hasSize(1);

    first.succeed();
    assertThat(reports).hasSize(2);
    assertThat(outage.watch(CompletableResultCode::ofSuccess).isSuccess()).isTrue();
  }

  @Test
  void anExporterThatThrowsHasFailed() {
    CompletableResultCode result = outage.watch(() -> {
      throw new IllegalStateException("no thread");
    });
    assertThat(result.isDone()).isTrue();
    assertThat(result.isSuccess()).isFalse();
    assertThat(reports).hasSize(1).first().asString().endsWith("no thread");
  }

  /** The client puts all that a server sends instead of a status line into the message. */
  @Test
  void aReasonWithTheTextOfTheCollectorIsCut() {
    IOException failure = new IOException("no HTTP: " + "x".repeat(100_000));
    outage.watch(() -> CompletableResultCode.ofExceptionalFailure(failure));
    assertThat(reports).hasSize(1);
    assertThat(reports.get(0)).contains("no HTTP: xxx").endsWith("...").hasSizeLessThan(400);
  }
}
