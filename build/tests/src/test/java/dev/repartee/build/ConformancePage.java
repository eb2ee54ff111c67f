package dev.repartee.build;

import dev.repartee.conformance.Case;
import dev.repartee.conformance.Outcome;
import dev.repartee.conformance.Report;
import dev.repartee.conformance.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * The generated part of docs/conformance.md: the results of the corpus at each endpoint, and each case.
 */
final class ConformancePage {
  private ConformancePage() {}

  static String text(Map<String, Report> servers, Map<String, Report> clients) {
    StringBuilder text = new StringBuilder("\n## Results of the corpus\n\n");
    text.append(
        "Our server at each endpoint, and our client against a scripted server there, "
            + "which\nalso sends wrong answers.\n\n| server | passed | failed | not run |\n|---|---|---|---|\n");
    rows(text, servers);
    text.append("\n| client | passed | failed | not run |\n|---|---|---|---|\n");
    rows(text, clients);
    text.append(
        "\nCases were not run for these reasons, none of which is a fault of the server:\n\n");
    reasons(servers).forEach(why -> text.append("- ").append(why).append('\n'));
    cases(text, servers);
    cases(text, clients);
    return text.toString();
  }

  private static void rows(StringBuilder text, Map<String, Report> reports) {
    reports.forEach((name, report) -> text.append(String.format(
        Locale.ROOT,
        "| %s | %d | %d | %d |%n",
        name,
        report.count(Outcome.PASSED),
        report.count(Outcome.FAILED),
        report.count(Outcome.NOT_RUN))));
  }

  private static TreeSet<String> reasons(Map<String, Report> reports) {
    TreeSet<String> reasons = new TreeSet<>();
    reports.values().stream()
        .flatMap(report -> report.verdicts().stream())
        .filter(verdict -> verdict.outcome() == Outcome.NOT_RUN)
        .forEach(verdict -> reasons.add(verdict.got()));
    return reasons;
  }

  /** Writes the cases of all reports, each case once, by group. */
  private static void cases(StringBuilder text, Map<String, Report> reports) {
    Map<String, Map<String, List<Verdict>>> groups = new LinkedHashMap<>();
    for (Report report : reports.values()) {
      for (Verdict verdict : report.verdicts()) {
        groups
            .computeIfAbsent(verdict.tested().group(), group -> new LinkedHashMap<>())
            .computeIfAbsent(verdict.tested().name(), name -> new ArrayList<>())
            .add(verdict);
      }
    }
    groups.forEach((group, cases) -> {
      text.append(String.format(
          Locale.ROOT,
          "%n### %s%n%n| clause | level | case | with | passed |%n|---|---|---|---|---|%n",
          group));
      cases.forEach((name, verdicts) -> row(text, verdicts));
    });
  }

  private static void row(StringBuilder text, List<Verdict> verdicts) {
    Case first = verdicts.get(0).tested();
    long values = verdicts.stream().map(v -> v.tested().value()).distinct().count();
    long ran = verdicts.stream().filter(v -> v.outcome() != Outcome.NOT_RUN).count();
    long passed = verdicts.stream().filter(v -> v.outcome() == Outcome.PASSED).count();
    text.append(String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | %s |%n",
        first.clause(),
        first.level(),
        first.name(),
        values == 1 ? "" : values + " values",
        passed == ran ? "yes" : passed + " of " + ran));
  }
}
