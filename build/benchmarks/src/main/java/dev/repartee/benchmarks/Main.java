package dev.repartee.benchmarks;

import dev.repartee.benchmarks.agents.PlanRuns;
import dev.repartee.benchmarks.attacks.Attacks;
import dev.repartee.benchmarks.brokers.Broker;
import dev.repartee.benchmarks.brokers.Brokers;
import dev.repartee.benchmarks.failover.Failover;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.mcp.McpClients;
import dev.repartee.benchmarks.micro.Micro;
import dev.repartee.benchmarks.peers.Contestants;
import dev.repartee.benchmarks.process.Checkout;
import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.report.Machine;
import dev.repartee.benchmarks.report.Page;
import dev.repartee.benchmarks.report.Section;
import dev.repartee.benchmarks.startup.StartUp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
    name = "build/benchmarks/run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures calls a second of Repartee, raw echoes and other libraries: servers and",
      "clients in separate processes, each on one CPU, in turns. Prints tables in",
      "Markdown on standard output and progress on standard error.%n"
    },
    footer = {
      "%nA cell is WORKLOAD/CONNECTIONSxIN-FLIGHT/CONTESTANT; a pattern is one or more of",
      "these three parts; * matches any text.%n",
      "Examples:",
      "  build/benchmarks/run --short",
      "  build/benchmarks/run 'subtract/32x16/repartee*'",
      "  build/benchmarks/run --against ../main subtract",
      "  build/benchmarks/run --list"
    })
public final class Main implements Callable<Integer> {
  /** The folder of this module. */
  private static final Path HERE = Path.of(System.getProperty("repartee.benchmarks", "."));

  @Option(
      names = "--short",
      description = "only the goals of subtract, with short slices: under 3 minutes")
  private boolean brief;

  @Option(
      names = "--against",
      paramLabel = "DIR",
      description = "compare Repartee's cells with the build in another checkout")
  private @Nullable Path against;

  @Option(names = "--rounds", paramLabel = "N", description = "the number of samples of each cell")
  private int rounds;

  @Option(names = "--slice", paramLabel = "MS", description = "the milliseconds of one sample")
  private int slice;

  @Option(
      names = "--java",
      paramLabel = "HOME",
      description = "the JDK of the processes; by default the JDK of this command")
  private Path java = Path.of(System.getProperty("java.home"));

  @Option(
      names = "--also",
      paramLabel = "HOME",
      description =
          "a second JDK, on which a full run measures the goals; by default JDK 17, if found")
  private @Nullable Path also = defaultAlso();

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "also write the page to this file, and its charts to a folder beside it;"
          + " build/benchmarks/target/report.md by default")
  private Path report = HERE.resolve("target/report.md");

  @Option(names = "--publish", description = "write the page to docs/benchmarks.md instead")
  private boolean publish;

  @Option(
      names = "--jmh",
      description = "only the parts without a transport: time and allocation, about 5 minutes")
  private boolean jmh;

  @Option(names = "--memory", description = "only idle connections and allocation, about 2 minutes")
  private boolean memory;

  @Option(
      names = "--start-up",
      description = "only the starts of processes, to the first answer, beside java -version")
  private boolean startUp;

  @Option(
      names = "--mcp-client",
      description = "only MCP clients, beside the MCP Java SDK: calls, start, memory")
  private boolean mcpClient;

  @Option(
      names = "--agents",
      description = "only 1,000 runs of a plan at the same time, beside futures: 20 seconds")
  private boolean agents;

  @Option(
      names = "--failover",
      description = "only calls to two servers, one of which is killed: 3 minutes")
  private boolean failover;

  @Option(
      names = "--brokers",
      description =
          "only calls through brokers, beside their client libraries: 9 minutes; patterns select "
              + "brokers")
  private boolean brokers;

  @Option(
      names = "--attacks",
      description =
          "only the effect of attacks on another client and on the memory of a server, about 10 "
              + "minutes; patterns select attacks, and --publish writes to docs/attacks.md")
  private boolean attacks;

  @Option(names = "--list", description = "only print the cells")
  private boolean list;

  @Parameters(paramLabel = "PATTERN", description = "the cells to measure; all by default")
  private List<String> patterns = new ArrayList<>();

  /** Runs the command; exits with 2 on a usage error. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  private static @Nullable Path defaultAlso() {
    String home = System.getProperty("repartee.benchmarks.also", "");
    return home.isEmpty() ? null : Path.of(home);
  }

  @Override
  public Integer call() throws IOException {
    if (publish && attacks) {
      report = HERE.resolve("../../docs/attacks.md").normalize();
    } else if (publish) {
      report = HERE.resolve("../../docs/benchmarks.md").normalize();
    }
    Jvm jvm = Jvm.of(java);
    Path logs = Files.createDirectories(HERE.resolve("target/logs"));
    if (attacks) {
      return attack(jvm, logs);
    }
    if (against != null) {
      return compare(jvm, new Checkout(against), logs);
    }
    Plan plan = plan(brief);
    Integer listed = listed(plan, all(jvm));
    return listed != null ? listed : publish(jvms(jvm), plan, logs);
  }

  /** Prints the cells and returns the exit code if nothing is to be measured; otherwise null. */
  private @Nullable Integer listed(Plan plan, List<Entrant> entrants) {
    List<Cell> cells = cells(plan, entrants);
    if (list) {
      cells.forEach(System.out::println);
      return 0;
    }
    if (cells.isEmpty() && !isPart()) {
      System.err.println("no cell matches; --list prints them");
      return 2;
    }
    return null;
  }

  private int compare(Jvm jvm, Checkout other, Path logs) throws IOException {
    List<Entrant> entrants = builds(jvm, other);
    KnownCells known = KnownCells.of(jvm.with(other), HERE, logs.resolve("other-cells.log"));
    List<String> missing = known.missing(cells(plan(brief), entrants));
    Plan plan = plan(brief).only(known::contains);
    if (!missing.isEmpty()) {
      System.err.println(Comparison.leftOut(missing));
    }
    Integer listed = listed(plan, entrants);
    if (listed != null) {
      return listed;
    }
    Figures figures = race(plan, entrants, logs);
    String machine = Machine.describe(List.of(jvm));
    String text = Comparison.text(
        figures,
        missing,
        other.hasBenchmarks() ? machine + "; each build runs its own benchmarks" : machine);
    Files.writeString(report, text);
    System.out.print(text);
    return figures.failures().isEmpty() ? 0 : 1;
  }

  private int attack(Jvm jvm, Path logs) throws IOException {
    Duration time = Duration.ofMillis(slice > 0 ? slice : 5_000);
    Section section = Attacks.run(jvm, logs, time, this::isWanted);
    StringBuilder text = new StringBuilder("# Under attack\n\n")
        .append(Machine.describe(List.of(jvm)))
        .append(".\n\n")
        .append(section.text());
    section.failures().forEach(failure -> text.append("\n- ").append(failure).append(".\n"));
    Files.writeString(report, text);
    System.out.print(text);
    return section.failures().isEmpty() ? 0 : 1;
  }

  /** Returns the JDKs: a full run measures the goals twice, for the noise, and on a second JDK. */
  private List<Jvm> jvms(Jvm jvm) throws IOException {
    List<Jvm> jvms = new ArrayList<>(isFull() ? List.of(jvm, jvm) : List.of(jvm));
    Path other = also;
    if ((isFull() || startUp)
        && other != null
        && !other.toRealPath().equals(jvm.home().toRealPath())) {
      jvms.add(Jvm.of(other));
    }
    return jvms;
  }

  private boolean isFull() {
    return !brief && !isPart() && patterns.isEmpty();
  }

  /** Returns whether only some measurements without cells are wanted. */
  private boolean isPart() {
    return jmh || memory || startUp || mcpClient || agents || failover || brokers;
  }

  private int publish(List<Jvm> jvms, Plan plan, Path logs) throws IOException {
    List<Page.Run> runs = new ArrayList<>();
    for (Jvm jvm : jvms) {
      Plan own = runs.isEmpty() ? plan : plan(true);
      runs.add(
          new Page.Run(Integer.toString(jvm.feature()), sections(jvm, own, logs, !runs.isEmpty())));
    }
    Page page = new Page(Machine.describe(jvms.stream().distinct().toList()), runs);
    page.write(report);
    System.out.print(Files.readString(report));
    return runs.stream().allMatch(run -> run.failures().isEmpty()) ? 0 : 1;
  }

  /** Runs all measurements on one JDK; {@code again} for the shorter runs after the first. */
  private List<Section> sections(Jvm jvm, Plan plan, Path logs, boolean again) throws IOException {
    List<Section> sections = new ArrayList<>();
    if (!isPart()) {
      List<Entrant> entrants = all(jvm);
      Figures figures = race(plan, entrants, logs);
      String machine = Machine.describe(List.of(jvm));
      sections.addAll(new RaceReport(figures, entrants, machine).sections());
    }
    if (jmh || isFull() && !again) {
      sections.add(Micro.run(jvm, logs.resolve("jmh.log")));
    }
    if (memory || isFull() && !again) {
      sections.add(Memory.run(jvm, logs));
    }
    int starts = isFull() ? 9 : rounds > 0 ? rounds : 21;
    Duration time = Duration.ofMillis(slice > 0 ? slice : 500);
    if (startUp || isFull()) {
      sections.add(StartUp.run(jvm, HERE, logs.resolve("start-up.log"), starts));
    }
    if (mcpClient || isFull()) {
      sections.add(McpClients.run(jvm, logs.resolve("mcp-clients.log"), starts, time));
    }
    if (agents || isFull()) {
      sections.add(PlanRuns.run(jvm, logs.resolve("plan-runs.log"), starts, time));
    }
    if (failover || isFull() && !again) {
      sections.add(Failover.run(jvm, logs.resolve("failover.log"), rounds > 0 ? rounds : 20));
    }
    if (brokers || isFull() && !again) {
      List<Broker> wanted = Arrays.stream(Broker.values())
          .filter(broker -> isWanted(broker.name().toLowerCase(Locale.ROOT)))
          .toList();
      sections.add(Brokers.run(jvm, logs.resolve("brokers.log"), wanted, starts, time));
    }
    return sections;
  }

  private static Figures race(Plan plan, List<Entrant> entrants, Path logs) throws IOException {
    return new Race(plan, entrants, logs).run();
  }

  private static List<Entrant> all(Jvm jvm) {
    return Contestants.all().stream().map(c -> new Entrant(c, "", jvm)).toList();
  }

  private static List<Entrant> builds(Jvm jvm, Checkout other) {
    List<Entrant> entrants = new ArrayList<>();
    for (Contestant contestant : Contestants.all()) {
      if (contestant.name().startsWith("repartee")) {
        // This build first: its load generator calls the servers of both, and knows all
        // contestants.
        entrants.add(new Entrant(contestant, Comparison.THIS, jvm));
        entrants.add(new Entrant(contestant, Comparison.OTHER, jvm.with(other)));
      }
    }
    return entrants;
  }

  private Plan plan(boolean brief) {
    int usualRounds = against != null ? 9 : 3;
    Duration time = Duration.ofMillis(slice > 0 ? slice : against != null ? 300 : 250);
    Plan plan = new Plan(
        this.brief ? List.of(Workload.SUBTRACT) : List.of(Workload.values()),
        this.brief ? pattern().and(cell -> !cell.shape().isCrowd()) : pattern(),
        time,
        time,
        this.brief ? 4 : 8, // --short has no time for a longer warm-up
        rounds > 0 ? rounds : usualRounds);
    // A goal is a ratio to a peer; a comparison of two builds has no goals.
    return brief && patterns.isEmpty() && against == null ? plan.ofGoals() : plan;
  }

  private Predicate<Cell> pattern() {
    return cell -> isWanted(cell.toString());
  }

  private boolean isWanted(String name) {
    return patterns.isEmpty()
        || patterns.stream()
            .map(text -> Pattern.quote(text).replace("*", "\\E.*\\Q"))
            .anyMatch(text ->
                Pattern.compile("(^|/)" + text + "($|/|@)").matcher(name).find());
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
