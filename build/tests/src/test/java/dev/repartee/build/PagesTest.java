package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.agents.plan.Plan;
import dev.repartee.build.Page.Block;
import dev.repartee.json.Json;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xml.sax.InputSource;

/**
 * Parses the blocks of all pages, and runs those in {@code sh} and {@code console}, in the order of
 * a page, in one shell ({@link PageShell}). Each command has to end with code 0. In the info string
 * of a block
 *
 * <ul>
 *   <li>{@code server} marks commands that run until the end of the page,
 *   <li>{@code fails} marks commands that have to end with another code,
 *   <li>{@code example} marks commands that no test can run; they are only parsed,
 *   <li>{@code needs=NAME,...} names programs, or the properties with the folders of packages that
 *       {@code .ci/run} installs; without them the block is skipped,
 *   <li>{@code file=NAME} writes a block of any language to a file, before any command.
 * </ul>
 *
 * <p>In {@code console} a line that starts with "$ " is a command, and its output follows. The
 * output of an {@code sh} block is a block of text or JSON directly after it, or the rest of a line
 * after {@code # prints}. Outputs are equal if they differ only in white space, times and dates;
 * {@code ...} in the page is any text.
 *
 * <p>A script in {@code src/test/pages} with the path of a page, joined by hyphens, runs first. It
 * makes what the page takes for granted.
 */
@EnabledOnOs(OS.LINUX)
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 2, unit = TimeUnit.HOURS) // a page waits for the other pages before it begins
class PagesTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Path SCRIPTS = ROOT.resolve("build/tests/src/test/pages");
  private static final Path READY = ROOT.resolve("tools/cli/target/ready");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern PRINTS = Pattern.compile("# prints (.*)$");
  private static final Pattern TIME = Pattern.compile(
      "\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d|\\d+(\\.\\d+)? (ms|s|minutes)\\b");

  /** What a bash without a terminal prints when it finds that a job was killed. */
  private static final Pattern KILLED = Pattern.compile("(?m)^\\S+: line \\d+: +\\d+ Killed .*$");

  private static final Set<String> UNCHECKED =
      Set.of("text", "java", "kotlin", "ts", "elisp", "nginx", "properties");

  /** A page starts up to ten JVMs. Fair: the longest page begins first. */
  private static final Semaphore RUNNING = new Semaphore(3, true);

  /**
   * Makes the archive of classes that all uses of the command but the first load. An archive that
   * a page begins would end with the processes of the page, before it is complete.
   */
  @BeforeAll
  static void makeTheArchive(@TempDir Path bin) throws Exception {
    if (!Files.exists(READY) || !PageShell.isPossible()) {
      return;
    }
    Path archive = LauncherArchive.below(READY.resolveSibling("archives"));
    Files.deleteIfExists(Path.of(archive + ".begun")); // by another test, at the lowest priority
    LauncherArchive.ignorePriorities(bin);
    ProcessBuilder builder = new ProcessBuilder(ROOT.resolve("repartee").toString(), "--version")
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().merge("PATH", "", (path, none) -> bin + ":" + path);
    assertThat(builder.start().waitFor()).isZero();
    LauncherArchive.await(archive, READY);
  }

  static Stream<Page> pages() throws IOException {
    List<Page> pages = new ArrayList<>();
    for (Path file : SourceFiles.below(ROOT, 16, ".md")) {
      pages.add(Page.read(ROOT, file));
    }
    return pages.stream();
  }

  static Stream<Page> otherPages() throws IOException {
    return pages()
        .filter(page -> !page.name().equals("README.md"))
        .filter(page -> page.commands() > 0)
        .sorted(Comparator.comparing(Page::commands).reversed());
  }

  @ParameterizedTest
  @MethodSource("pages")
  @Tag("any-jdk")
  void everyBlockParses(Page page, @TempDir Path folder) throws Exception {
    for (Block block : page.blocks()) {
      Path file = Files.writeString(folder.resolve("block." + block.language()), block.text());
      String complaint = "";
      switch (block.language()) {
        case "sh" -> complaint = complaint("bash", "-n", file);
        case "js" -> complaint = complaint("node", "--check", file);
        case "lua" -> complaint = complaint("luac", "-p", file);
        case "python" -> complaint = complaint("python3", "-m", "py_compile", file);
        case "json" -> Json.parse(block.text());
        case "jsonl" -> block.text().lines().forEach(Json::parse);
        case "yaml" -> Plan.parse(block.text());
        case "xml" ->
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader("<page>" + block.text() + "</page>")));
        case "console" -> assertThat(block.text()).startsWith("$ ");
        default -> assertThat(UNCHECKED).contains(block.language());
      }
      assertThat(complaint).as(page + ":" + block.line()).isEmpty();
    }
  }

  /** Returns what a parser prints if it fails; else nothing, also if it is missing. */
  private static String complaint(String program, Object... arguments) throws Exception {
    if (program(program).isEmpty()) {
      return "";
    }
    List<String> command = new ArrayList<>(List.of(program));
    Stream.of(arguments).map(Object::toString).forEach(command::add);
    Process parser = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(parser.getInputStream().readAllBytes(), UTF_8);
    return parser.waitFor() == 0 ? "" : "failed: " + printed;
  }

  @Test
  @Tag("any-jdk")
  void frontPageDoesAsItSays(@TempDir Path folder) throws Exception {
    run(Page.read(ROOT, ROOT.resolve("README.md")), folder);
  }

  @ParameterizedTest
  @MethodSource("otherPages")
  @Tag("ci")
  void everyPageDoesAsItSays(Page page, @TempDir Path folder) throws Exception {
    run(page, folder);
  }

  private static void run(Page page, Path folder) throws Exception {
    assumeTrue(Files.exists(READY), "the command is not built");
    assumeTrue(PageShell.isPossible(), "there are no namespaces here");
    List<String> missing =
        page.needs().stream().filter(each -> program(each).isEmpty()).toList();
    List<Path> packages = page.needs().stream()
        .filter(PagesTest::isPackage)
        .flatMap(each -> program(each).stream())
        .toList();
    RUNNING.acquire();
    try (PageShell shell = new PageShell(ROOT, folder, packages)) {
      Path script = SCRIPTS.resolve(page.name().replace(".md", ".sh").replace('/', '-'));
      for (Path each : List.of(SCRIPTS.resolve("prelude.sh"), script)) {
        if (Files.exists(each)) {
          assertThat(shell.run(". " + each)).as(shell.printed()).isZero();
        }
      }
      for (Block block : page.blocks()) {
        for (String file : block.values("file")) {
          Files.writeString(folder.resolve(file), block.text());
        }
      }
      for (Block block : page.blocks()) {
        if (block.isRun() && missing.stream().noneMatch(block.values("needs")::contains)) {
          run(page, block, shell);
        }
      }
    } finally {
      RUNNING.release();
    }
    assumeTrue(missing.isEmpty(), () -> "some blocks were skipped: there is no " + missing);
  }

  /** Runs the commands of a block. One that the parser finds incomplete continues in a new line. */
  private static void run(Page page, Block block, PageShell shell) throws Exception {
    boolean isConsole = block.is("console");
    int begin = shell.printed().length();
    List<String> lines = block.text().lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String place = page + ":" + (block.line() + i);
      String command = lines.get(i).substring(isConsole ? 2 : 0);
      while (i + 1 < lines.size() && !isComplete(command)) {
        command += "\n" + lines.get(++i);
      }
      List<String> output = new ArrayList<>();
      while (isConsole && i + 1 < lines.size() && !lines.get(i + 1).startsWith("$ ")) {
        output.add(lines.get(++i));
      }
      Matcher prints = PRINTS.matcher(command);
      if (prints.find()) {
        output.add(prints.group(1));
      }

      int at = shell.printed().length();
      int code = shell.run(block.is("server") ? "server " + PageShell.quoted(command) : command);
      assertThat(code != 0)
          .as("%s: %s%nexit code %d%n%s", place, command, code, shell.printed().substring(at))
          .isEqualTo(block.is("fails"));
      if (isConsole || !output.isEmpty()) {
        awaitOutput(place, String.join("\n", output), shell, at);
      }
    }
    if (block.output().isPresent()) {
      awaitOutput(page + ":" + block.line(), block.output().get(), shell, begin);
    }
  }

  private static boolean isComplete(String command) throws Exception {
    return !command.endsWith("\\") && complaint("bash", "-n", "-c", command).isEmpty();
  }

  /** Waits for output: a process in the background may print it after the command has ended. */
  private static void awaitOutput(String place, String shown, PageShell shell, int at)
      throws Exception {
    Pattern expected = Pattern.compile(
        Stream.of(normal(shown).split("\\.\\.\\.", -1)).map(Pattern::quote).collect(joining(".*")));
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    String printed = shell.printed().substring(at);
    while (!expected.matcher(normal(printed)).matches()) {
      assertThat(System.nanoTime() - deadline)
          .as("%s%nshown:%n%s%nprinted:%n%s", place, shown, printed)
          .isNegative();
      Thread.sleep(50); // there is no event for more output
      printed = shell.printed().substring(at);
    }
  }

  private static String normal(String output) {
    String lines = KILLED.matcher(output).replaceAll("");
    return TIME.matcher(lines).replaceAll("TIME").replaceAll("\\s", "");
  }

  private static boolean isPackage(String need) {
    return need.startsWith("repartee.");
  }

  /** Returns the folder of a program on the path, or of the programs of a package. */
  private static Optional<Path> program(String need) {
    if (isPackage(need)) {
      return Stream.of("node_modules/.bin", "bin")
          .map(name -> Path.of(System.getProperty(need, ""), name))
          .filter(folder -> folder.isAbsolute() && Files.isDirectory(folder))
          .findFirst();
    }
    return Stream.of((System.getenv("PATH") + ":/usr/sbin").split(":"))
        .map(Path::of)
        .filter(folder -> Files.isExecutable(folder.resolve(need)))
        .findFirst();
  }
}
