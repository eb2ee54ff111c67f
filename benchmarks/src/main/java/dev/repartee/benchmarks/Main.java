package dev.repartee.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command: see its {@code --help}. */
@Command(
    name = "benchmarks/run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures calls a second of Repartee beside raw echoes and its peers: servers and",
      "clients in processes of their own, each on one CPU, in turns. Prints tables in",
      "Markdown on standard output and progress on standard error.%n"
    },
    footer = {
      "%nA cell is WORKLOAD/CONNECTIONSxIN-FLIGHT/CONTESTANT; a pattern is one or more of",
      "these three parts, where * stands for anything.%n",
      "Examples:",
      "  benchmarks/run --short",
      "  benchmarks/run 'subtract/32x16/repartee*'",
      "  benchmarks/run --against ../main subtract",
      "  benchmarks/run --list"
    })
public final class Main implements Callable<Integer> {
  @Option(names = "--short", description = "subtract alone, with short slices: under 3 minutes")
  private boolean brief;

  @Option(
      names = "--against",
      paramLabel = "DIR",
      description = "compare with the build in another checkout: Repartee's cells of both")
  private @Nullable Path against;

  @Option(names = "--rounds", paramLabel = "N", description = "samples of each cell")
  private int rounds;

  @Option(names = "--slice", paramLabel = "MS", description = "milliseconds of one sample")
  private int slice;

  @Option(
      names = "--java",
      paramLabel = "HOME",
      description = "the JDK that runs them; the one that runs this by default")
  private Path java = Path.of(System.getProperty("java.home"));

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "write the tables there too; benchmarks/target/report.md by default")
  private Path report = Path.of(System.getProperty("repartee.benchmarks", "."), "target/report.md");

  @Option(
      names = "--jmh",
      description = "measure the codec alone: time and allocation of a call, about a minute")
  private boolean jmh;

  @Option(names = "--list", description = "print the cells and measure nothing")
  private boolean list;

  @Parameters(paramLabel = "PATTERN", description = "the cells to measure; all by default")
  private List<String> patterns = new ArrayList<>();

  /** Runs the command, and exits with 2 if it is called wrongly. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    Jvm jvm = Jvm.of(java);
    Path logs = Files.createDirectories(report.toAbsolutePath().resolveSibling("logs"));
    if (jmh) {
      System.out.printf(
          "%s.%n%n%s", Machine.describe(jvm), Micro.run(jvm, logs.resolve("jmh.log")));
      return 0;
    }
    List<Entrant> entrants = against == null ? all(jvm) : builds(jvm, new Checkout(against));
    Plan plan = plan();
    if (list) {
      cells(plan, entrants).forEach(System.out::println);
      return 0;
    }
    if (cells(plan, entrants).isEmpty()) {
      System.err.println("no cell matches; --list prints them");
      return 2;
    }
    Figures figures = new Race(plan, entrants, logs).run();
    String machine = Machine.describe(jvm);
    String text = against == null
        ? new Report(figures, entrants).text(machine)
        : Comparison.text(figures, machine);
    Files.writeString(report, text);
    System.out.print(text);
    return figures.failures().isEmpty() ? 0 : 1;
  }

  private static List<Entrant> all(Jvm jvm) {
    return Contestants.all().stream().map(c -> new Entrant(c, "", jvm)).toList();
  }

  private static List<Entrant> builds(Jvm jvm, Checkout other) {
    List<Entrant> entrants = new ArrayList<>();
    for (Contestant contestant : Contestants.all()) {
      if (contestant.name().startsWith("repartee")) {
        entrants.add(new Entrant(contestant, Comparison.OTHER, jvm.with(other)));
        entrants.add(new Entrant(contestant, Comparison.THIS, jvm));
      }
    }
    return entrants;
  }

  private Plan plan() {
    List<Workload> workloads = brief ? List.of(Workload.SUBTRACT) : List.of(Workload.values());
    int usualRounds = against != null ? 9 : brief ? 3 : 7;
    int usualSlice = brief || against != null ? 300 : 500;
    int millis = slice > 0 ? slice : usualSlice;
    return new Plan(
        workloads,
        pattern(),
        Duration.ofMillis(millis),
        Duration.ofMillis(Math.max(brief ? 800 : 1_500, millis)),
        rounds > 0 ? rounds : usualRounds);
  }

  private Predicate<Cell> pattern() {
    List<Pattern> wanted = patterns.stream()
        .map(text -> Pattern.quote(text).replace("*", "\\E.*\\Q"))
        .map(text -> Pattern.compile("(^|/)" + text + "($|/|@)"))
        .toList();
    return cell -> wanted.isEmpty()
        || wanted.stream().anyMatch(p -> p.matcher(cell.toString()).find());
  }

  private static List<Cell> cells(Plan plan, List<Entrant> entrants) {
    List<Cell> cells = new ArrayList<>();
    for (Workload workload : plan.workloads()) {
      for (Shape shape : Plan.shapes(workload)) {
        for (Entrant entrant : entrants) {
          if (plan.includes(entrant, workload, shape)) {
            cells.add(new Cell(entrant.name(), workload, shape));
          }
        }
      }
    }
    return cells;
  }
}
