package dev.repartee.build;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks the dependencies between modules that docs/architecture.md states. The package of a class
 * determines its module: {@code dev.repartee} and {@link #CORE_PACKAGES} are core; any other {@code
 * dev.repartee.X} and its subpackages are the module X, even before X exists, except {@link #NESTED}.
 */
@Tag("any-jdk")
class ArchitectureTest {
  private static final String ROOT = "dev.repartee";
  private static final String CORE = "core";
  private static final String SOURCES = "/src/main/java/";

  /**
   * The modules that a module may use besides itself and core. A module that is not listed may use
   * only core.
   */
  private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
      entry("testkit", Set.of("conformance")),
      entry("amqp", Set.of("broker")),
      entry("nats", Set.of("broker")),
      entry("zeromq", Set.of("broker")),
      entry("xmpp", Set.of("broker")),
      entry("dap", Set.of("envelopes")),
      entry("lsp", Set.of("envelopes")),
      entry("mcp", Set.of("openrpc")),
      entry("mcp.lsp", Set.of("mcp", "lsp")),
      entry("mcp.dap", Set.of("mcp", "dap")),
      entry("mcp.oauth", Set.of("mcp", "security")),
      entry("a2a.jdbc", Set.of("a2a")),
      entry("agents", Set.of("mcp", "openrpc", "a2a", "acp")),
      entry("agents.postgres", Set.of("agents")),
      entry("spring", Set.of("servlet", "mcp")),
      entry("spring.test", Set.of("spring")),
      entry("console", Set.of("netty", "openrpc")));

  /**
   * The modules that no other module uses. They may use every module, except those of {@link
   * #ONLY_USER}.
   */
  private static final Set<String> LEAVES = Set.of("cli", "examples", "benchmarks");

  /**
   * Modules with a single user: only the command opens the console, and besides tests only
   * benchmarks use the attacks of the testkit.
   */
  private static final Map<String, String> ONLY_USER =
      Map.of("console", "cli", "testkit", "benchmarks");

  /** The modules that have a package below the package of another module. */
  private static final Set<String> NESTED =
      Set.of("mcp.lsp", "mcp.dap", "mcp.oauth", "a2a.jdbc", "agents.postgres", "spring.test");

  /** Core, the envelopes and the protocols use only the JDK and {@link #LIBRARY}: no Jackson. */
  private static final Set<String> JDK_ONLY = Set.of(
      CORE,
      "envelopes",
      "bridge",
      "broker",
      "openrpc",
      "mcp",
      "mcp.lsp",
      "mcp.dap",
      "mcp.oauth",
      "lsp",
      "dap",
      "a2a",
      "a2a.jdbc",
      "acp");

  private static final Set<String> JDK = Set.of("java.", "javax.", "jdk.", "org.jspecify.");

  /**
   * The packages of a library that a protocol may use besides the JDK: it is neither a transport
   * nor a binder.
   */
  private static final Map<String, String> LIBRARY =
      Map.of("openrpc", "dev.harrel.jsonschema.", "mcp.oauth", "com.nimbusds.");

  /** The greatest number of files of a package. */
  private static final int FILES = 40;

  /**
   * The package with more files: the API and the engine in the root of core share hidden members,
   * which a further package would have to make public.
   */
  private static final String LARGE = ROOT;

  /**
   * The packages of core from top to bottom: each may use those after it. They have the names of no
   * module.
   */
  private static final List<String> CORE_PACKAGES = List.of(
      "balance",
      "reconnect",
      "carrier",
      "",
      "access",
      "message",
      "trace",
      "transport.http.server",
      "transport.http.client",
      "transport.http",
      "transport",
      "framing",
      "stream.flow",
      "stream",
      "json",
      "limits",
      "internal.log",
      "internal.reflect",
      "internal");

  /**
   * The types of the root that all packages of core may use, since they use only each other. Users
   * need them together with the other types of the root.
   */
  private static final DescribedPredicate<JavaClass> SHARED = DescribedPredicate.describe(
      "are shared",
      type -> Set.of(
              "dev.repartee.HttpException",
              "dev.repartee.Param",
              "dev.repartee.ProtocolException",
              "dev.repartee.ReparteeException")
          .contains(type.getBaseComponentType().getName()));

  private static final JavaClasses CLASSES = new ClassFileImporter()
      .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
      .importPackages(ROOT);

  @Test
  void modulesUseOnlyTheModulesThatTheArrowsAllow() {
    assertThat(dependencies(d -> {
          String to = module(d.getTargetClass());
          return to != null && !mayUse(module(d.getOriginClass()), to);
        }))
        .isEmpty();
  }

  @Test
  void coreAndTheProtocolsUseOnlyTheJdk() {
    assertThat(dependencies(d -> {
          JavaClass to = d.getTargetClass().getBaseComponentType();
          return JDK_ONLY.contains(module(d.getOriginClass()))
              && module(to) == null
              && !to.isPrimitive()
              && JDK.stream().noneMatch(to.getName()::startsWith)
              && !to.getName().startsWith(LIBRARY.getOrDefault(module(d.getOriginClass()), "-"));
        }))
        .isEmpty();
  }

  @Test
  void thePackagesOfCoreUseOnlyThoseBelow() {
    assertThat(dependencies(d -> {
          int from = level(d.getOriginClass());
          int to = level(d.getTargetClass());
          return from >= 0 && to >= 0 && to < from && !SHARED.test(d.getTargetClass());
        }))
        .isEmpty();
    assertThat(CLASSES.stream()
            .map(ArchitectureTest::level)
            .filter(level -> level >= 0)
            .distinct())
        .hasSameSizeAs(CORE_PACKAGES);
  }

  @Test
  void theSharedTypesUseOnlyEachOther() {
    assertThat(CLASSES.stream().filter(SHARED)).isNotEmpty();
    assertThat(dependencies(d -> SHARED.test(d.getOriginClass())
            && module(d.getTargetClass()) != null
            && !SHARED.test(d.getTargetClass())))
        .isEmpty();
  }

  /**
   * Returns the position of the package of a class among the packages of core, or -1 for other
   * modules.
   */
  private static int level(JavaClass type) {
    String name = type.getBaseComponentType().getPackageName();
    return name.equals(ROOT)
        ? CORE_PACKAGES.indexOf("")
        : name.startsWith(ROOT + ".")
            ? CORE_PACKAGES.indexOf(name.substring(ROOT.length() + 1))
            : -1;
  }

  /** Every package of every module is a slice. */
  @Test
  void packagesFormNoCycle() {
    slices()
        .matching("dev.(**)")
        .should()
        .beFreeOfCycles()
        .ignoreDependency(DescribedPredicate.alwaysTrue(), SHARED)
        .check(CLASSES);
  }

  /** Both use the values of {@code dev.repartee.mcp.types}. */
  @Test
  void theClientOfMcpUsesNothingOfTheServer() {
    String server = ROOT + ".mcp";
    assertThat(dependencies(d -> d.getOriginClass().getPackageName().startsWith(server + ".client")
            && d.getTargetClass().getBaseComponentType().getPackageName().equals(server)))
        .isEmpty();
  }

  /**
   * The common pool has one thread on a machine with two processors. A task of the application that
   * blocks there would stop ours.
   */
  @Test
  void noClassRunsItsTasksInTheCommonPool() {
    assertThat(CLASSES.stream()
            .flatMap(type -> type.getMethodCallsFromSelf().stream())
            .filter(call -> (call.getTargetOwner().isAssignableTo(CompletableFuture.class)
                    || call.getTargetOwner().isAssignableTo(CompletionStage.class))
                && call.getName().endsWith("Async")
                && call.getTarget().getRawParameterTypes().stream()
                    .noneMatch(type -> type.isEquivalentTo(Executor.class)))
            .map(JavaMethodCall::getDescription))
        .isEmpty();
  }

  @Test
  void everyPackageIsNullMarked() {
    assertThat(CLASSES.stream()
            .map(JavaClass::getPackage)
            .filter(p -> !p.getName().endsWith(".jmh_generated"))
            .distinct())
        .isNotEmpty()
        .allMatch(p -> p.isAnnotatedWith(NullMarked.class), "is @NullMarked");
  }

  /**
   * A module that is missing among the dependencies of build/tests would escape every test of this
   * class.
   */
  @Test
  void everyModuleIsChecked() throws IOException {
    Set<String> seen =
        CLASSES.stream().map(JavaClass::getPackageName).collect(toCollection(TreeSet::new));
    assertThat(filesByPackage().keySet())
        .isNotEmpty()
        .allMatch(seen::contains, "is checked by this test");
  }

  @Test
  void noPackageHasMoreThanFortyFiles() throws IOException {
    Map<String, Long> large = filesByPackage();
    large.remove(LARGE);
    large.values().removeIf(files -> files <= FILES);
    assertThat(large).isEmpty();
  }

  /** Returns the packages of all modules with the numbers of their files, without their description. */
  private static Map<String, Long> filesByPackage() throws IOException {
    Path root = Path.of(System.getProperty("repartee.root"));
    return SourceFiles.below(root, 16, ".java").stream()
        .map(root::relativize)
        .filter(ArchitectureTest::isMainSource)
        .collect(groupingBy(ArchitectureTest::packageOf, TreeMap::new, counting()));
  }

  private static boolean isMainSource(Path file) {
    return !file.endsWith("package-info.java") && packageOf(file).startsWith(ROOT);
  }

  /** Returns the package of a file in {@code src/main/java}; otherwise an empty text. */
  private static String packageOf(Path file) {
    String folder = "/" + file.getParent();
    int sources = folder.indexOf(SOURCES);
    return sources < 0 ? "" : folder.substring(sources + SOURCES.length()).replace('/', '.');
  }

  /** Returns the module of a class, or null if the class is not part of this project. */
  private static @Nullable String module(JavaClass type) {
    String name = type.getBaseComponentType().getPackageName();
    if (level(type) >= 0) {
      return CORE;
    }
    if (!name.startsWith(ROOT + ".")) {
      return null;
    }
    String below = name.substring(ROOT.length() + 1);
    return NESTED.stream()
        .filter(nested -> (below + ".").startsWith(nested + "."))
        .findAny()
        .orElse(below.split("\\.")[0]);
  }

  private static boolean mayUse(@Nullable String from, String to) {
    if (to.equals(from) || to.equals(CORE)) {
      return true;
    }
    if (from.equals(ONLY_USER.get(to))) {
      return true;
    }
    if (LEAVES.contains(to) || ONLY_USER.containsKey(to)) {
      return false;
    }
    return LEAVES.contains(from) || ARROWS.getOrDefault(from, Set.of()).contains(to);
  }

  private static List<String> dependencies(Predicate<Dependency> wrong) {
    return CLASSES.stream()
        .flatMap(c -> c.getDirectDependenciesFromSelf().stream())
        .filter(wrong)
        .map(Dependency::getDescription)
        .sorted()
        .toList();
  }
}
