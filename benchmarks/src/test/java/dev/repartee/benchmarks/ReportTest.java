package dev.repartee.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final Shape BUSY = new Shape(32, 16);

  @Test
  void aFigureIsTheMedianOfItsSamplesBesideTheRatioToItsLimit() {
    Figures figures = new Figures();
    add(figures, "raw-loop", 2_000_000, 1_000_000, 9_000_000);
    add(figures, "repartee", 1_600_000);
    String text = new Report(figures, entrants()).text("a machine");
    assertThat(text)
        .contains("| raw-loop |  |  |  | 2.00M |")
        .contains("| repartee |  |  |  | 1.60M (0.80) |")
        .contains("| subtract/32x16/repartee | raw-loop | 0.75 | 0.80 | yes |");
  }

  @Test
  void aGoalThatIsNotReachedSaysSo() {
    Figures figures = new Figures();
    add(figures, "raw-loop", 2_000_000);
    add(figures, "repartee", 1_000_000);
    assertThat(new Report(figures, entrants()).text("a machine"))
        .contains("| raw-loop | 0.75 | 0.50 | **no** |");
  }

  @Test
  void peersAreHeldAgainstReparteeOnBothSides() {
    Figures figures = new Figures();
    add(figures, "repartee-pair", 1_000_000);
    add(figures, "lsp4j", 50_000);
    assertThat(new Report(figures, entrants()).text("a machine"))
        .contains("| as lsp4j |  |  |  | 20.0 |");
  }

  @Test
  void everyGoalIsOfCellsThatAreMeasured() {
    for (Target target : Target.all()) {
      for (Cell cell : List.of(target.cell(), target.of())) {
        assertThat(Plan.shapes(cell.workload())).contains(cell.shape());
        assertThat(Contestants.named(cell.entrant()).plays(cell.workload(), cell.shape()))
            .as(cell.toString())
            .isTrue();
      }
    }
  }

  private static void add(Figures figures, String entrant, double... rates) {
    for (double rate : rates) {
      figures.add(new Cell(entrant, Workload.SUBTRACT, BUSY), new Sample(rate, 0, 0));
    }
  }

  private static List<Entrant> entrants() {
    Jvm jvm = new Jvm(Path.of("java"), 17, "");
    return Contestants.all().stream().map(c -> new Entrant(c, "", jvm)).toList();
  }
}
