package dev.repartee.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.Contestants;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.report.Chart;
import dev.repartee.benchmarks.report.Page;
import dev.repartee.benchmarks.report.Section;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RaceReportTest {
  private static final Shape BUSY = new Shape(32, 16);

  @Test
  void aFigureIsTheMedianOfItsSamplesBesideTheRatioToItsLimit() {
    Figures figures = new Figures();
    add(figures, "raw-loop", 2_000_000, 1_000_000, 9_000_000);
    add(figures, "repartee", 1_600_000);
    String text = page(figures);
    assertThat(text)
        .contains("| raw-loop |  |  |  | 2.00M |")
        .contains("| repartee |  |  |  | 1.60M (0.80) |")
        .contains("| `subtract/32x16/repartee` to `raw-loop` | at least 0.75 | 0.80 | yes |");
  }

  @Test
  void aMissedGoalIsReported() {
    Figures figures = new Figures();
    add(figures, "raw-loop", 2_000_000);
    add(figures, "repartee", 1_000_000);
    assertThat(page(figures))
        .contains("| at least 0.75 | 0.50 | **no** |")
        .contains("- 32 connections, 16 in flight: 0.50, not at least 0.75.");
  }

  @Test
  void peersAreComparedWithReparteeOnBothSides() {
    Figures figures = new Figures();
    add(figures, "repartee-pair", 1_000_000);
    add(figures, "lsp4j", 50_000);
    assertThat(page(figures)).contains("| as lsp4j |  |  |  | 20.0 |");
  }

  @Test
  void thePageOpensWithTheOtherLibrariesAndEndsWithTheGoals() {
    Figures figures = new Figures();
    add(figures, "raw-loop", 2_000_000);
    add(figures, "repartee", 1_000_000);
    add(figures, "repartee-pair", 1_000_000);
    add(figures, "lsp4j", 50_000);
    add(figures, "grpc-bidi", 2_000_000);
    assertThat(page(figures))
        .containsSubsequence(
            "## Beside other libraries",
            "(images/benchmarks.svg)",
            "| | Repartee | gRPC, one stream | LSP4J |",
            "| TCP, 32 connections, 16 calls in flight | 1.00M | 2.00M (0.5) | 50.0K (20.0) |",
            "## All cells",
            "## Appendix: goals of the project");
  }

  @Test
  void theOverviewIsLeftOutIfNoOtherLibraryWasMeasured() {
    Figures figures = new Figures();
    add(figures, "repartee-pair", 1_000_000);
    assertThat(page(figures)).doesNotContain("Beside other libraries");
  }

  @Test
  void aPeerThatAnswersNothingIsComparedWithNothing() {
    Figures figures = new Figures();
    add(figures, "repartee-pair", 1_000_000);
    add(figures, "lsp4j", 0);
    assertThat(page(figures)).contains("| as lsp4j |  |  |  |  |").doesNotContain("Infinity");
  }

  @Test
  void theChartOfTheOverviewNamesTheMachineAndBothRuns() {
    Figures figures = new Figures();
    add(figures, "repartee-pair", 1_000_000);
    add(figures, "lsp4j", 50_000);
    Chart chart = new Overview(figures, "a machine; JDK 25; today")
        .sections()
        .get(0)
        .charts()
        .get(0);
    assertThat(chart.notes()).contains("a machine", "JDK 25; today");
    assertThat(chart.groups().stream().flatMap(group -> group.bars().stream()))
        .extracting(Chart.Bar::label)
        .contains("LSP4J", "jsonrpsee 0.26.1", "go-ethereum 1.17.10");
  }

  @Test
  void everyGoalUsesMeasuredCells() {
    for (Target target : Target.all()) {
      for (Cell cell : List.of(target.cell(), target.of())) {
        assertThat(Plan.shapes(cell.workload())).contains(cell.shape());
        assertThat(Contestants.named(cell.entrant()).plays(cell.workload(), cell.shape()))
            .as(cell.toString())
            .isTrue();
      }
    }
  }

  @Test
  void theLastColumnOfAGoalIsTheRatioToTheOtherRawEcho() {
    Figures figures = new Figures();
    add(figures, "raw-loop", 2_000_000);
    add(figures, "raw-netty", 1_250_000);
    add(figures, "repartee", 1_000_000);
    assertThat(page(figures)).contains("| 0.50 | **no** | 0.80 to raw-netty |");
  }

  @Test
  void theCostOfACallIsComparedByTheServersCpuTime() {
    Figures figures = new Figures();
    cost(figures, "raw-loop", 4, 5);
    cost(figures, "repartee", 4, 6);
    assertThat(page(figures))
        .contains("| at most 1.30 | 1.50 | **no** | 1.25 raw-loop |")
        .contains("| repartee |  |  | 4.00 |  |  |  | 6.00 |");
  }

  private static void cost(Figures figures, String entrant, double few, double many) {
    double rate = 100_000;
    figures.add(
        new Cell(entrant, Workload.SUBTRACT, new Shape(32, 1)), new Sample(rate, 0, 0, few));
    figures.add(
        new Cell(entrant, Workload.SUBTRACT, Shape.of("32x1of10000")),
        new Sample(rate, 0, 0, many));
  }

  private static void add(Figures figures, String entrant, double... rates) {
    for (double rate : rates) {
      figures.add(new Cell(entrant, Workload.SUBTRACT, BUSY), new Sample(rate, 0, 0));
    }
  }

  private static String page(Figures figures) {
    List<Section> sections = new RaceReport(figures, entrants(), "a machine; JDK 25").sections();
    return new Page("a machine", List.of(new Page.Run("25", sections))).text("charts");
  }

  private static List<Entrant> entrants() {
    Jvm jvm = new Jvm(Path.of("java"), 17, "");
    return Contestants.all().stream().map(c -> new Entrant(c, "", jvm)).toList();
  }
}
