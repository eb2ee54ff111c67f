package dev.repartee.agents.run;

import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.plan.Step;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Counts the calls of the earlier executions of a run, which count towards its budget. */
final class JournaledCalls {
  /** The index of an element of a map in the id of a step. */
  private static final Pattern INDEX = Pattern.compile("\\[\\d+]");

  private JournaledCalls() {}

  /**
   * Returns the number of calls in the journal, including the calls of steps that do not run again,
   * in cancelled branches and failed maps. Therefore the entries are counted, not the restored
   * steps.
   */
  static long count(Plan plan, Map<String, Journal.Entry> journal) {
    if (journal.isEmpty()) {
      return 0;
    }
    Set<String> calls = new HashSet<>();
    addCalls(plan.steps(), "", calls);
    return journal.entrySet().stream()
        .filter(entry -> calls.contains(INDEX.matcher(entry.getKey()).replaceAll("")))
        .mapToLong(entry -> entry.getValue().attempts())
        .sum();
  }

  /** Adds the ids of the calls in a step, without the indexes of elements. */
  private static void addCalls(Step step, String id, Set<String> calls) {
    if (step instanceof Step.Call) {
      calls.add(id);
    } else if (step instanceof Step.ForEach map) {
      addCalls(map.body(), id, calls);
    } else {
      for (Step child : step.steps()) {
        addCalls(child, StepEntry.id(id, child), calls);
      }
    }
  }
}
