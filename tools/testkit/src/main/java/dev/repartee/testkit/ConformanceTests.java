package dev.repartee.testkit;

import dev.repartee.Server;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.Outcome;
import dev.repartee.conformance.Report;
import dev.repartee.conformance.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/**
 * The conformance corpus as tests of your own server, one for each case:
 *
 * <pre>{@code
 * @TestFactory
 * List<DynamicNode> conformance() throws Exception {
 *   return ConformanceTests.of(Repartee.listen("tcp://127.0.0.1:0", service));
 * }
 * }</pre>
 *
 * <p>The corpus runs before these methods return; the tests only report its verdicts. A server can
 * therefore be closed as soon as they have returned.
 *
 * <p>The test of a failed case fails if the case is a MUST. The tests of other failed cases, and of
 * cases that were not run, are aborted with the reason.
 */
public final class ConformanceTests {
  /** Longer than the default of a check: a machine that runs tests may be busy. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private ConformanceTests() {}

  /**
   * Runs the corpus against the server at a URI and returns a test for each case. An expected
   * response must arrive within 10 seconds.
   *
   * @throws IOException if the server cannot be reached
   */
  public static List<DynamicNode> of(String uri) throws IOException, InterruptedException {
    return of(Check.of(uri).timeout(PATIENCE));
  }

  /**
   * Runs the corpus against a server of this process, closes the server, and returns a test for
   * each case.
   *
   * @throws IOException if the server cannot be reached
   */
  public static List<DynamicNode> of(Server server) throws IOException, InterruptedException {
    try (server) {
      return of(server.endpoint().toString());
    }
  }

  /**
   * Runs a check, which may define the names of the server's methods, and returns a test for each
   * case.
   *
   * @throws IOException if the server cannot be reached
   */
  public static List<DynamicNode> of(Check check) throws IOException, InterruptedException {
    Report report = check.run(verdict -> {});
    Map<String, List<DynamicNode>> groups = new LinkedHashMap<>();
    for (Verdict verdict : report.verdicts()) {
      groups
          .computeIfAbsent(verdict.tested().group(), group -> new ArrayList<>())
          .add(DynamicTest.dynamicTest(name(verdict), () -> settle(verdict)));
    }
    List<DynamicNode> nodes = new ArrayList<>();
    groups.forEach((group, tests) -> nodes.add(DynamicContainer.dynamicContainer(group, tests)));
    return nodes;
  }

  private static String name(Verdict verdict) {
    return verdict.tested().level() + " " + verdict.tested().clause() + ": "
        + verdict.tested().title();
  }

  private static void settle(Verdict verdict) {
    String why = verdict.outcome() == Outcome.FAILED
        ? "expected " + verdict.expected() + " but got " + verdict.got()
        : verdict.got();
    if (verdict.isViolation()) {
      Assertions.fail(why);
    }
    Assumptions.assumeTrue(verdict.outcome() == Outcome.PASSED, why);
  }
}
