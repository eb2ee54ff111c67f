package dev.repartee.conformance;

/**
 * A case of the corpus.
 *
 * @param group the name of its file, such as {@code ids}
 * @param name the rule, as a sentence
 * @param value the value that is tried, if the rule is tried with several; otherwise empty
 * @param clause the section of the JSON-RPC 2.0 specification with the rule, such as {@code 4.2},
 *     or the name of another document
 * @param level the strictness of the rule
 * @param over the transports to which it applies: {@code any}, {@code http}, {@code connection}
 *     (all except HTTP), or {@code framing:} and the name of a framing
 */
public record Case(
    String group, String name, String value, String clause, Level level, String over) {
  /** Returns the name and, if there is one, the value. */
  public String title() {
    return value.isEmpty() ? name : name + ": " + value;
  }

  /** Returns the group and the title. */
  @Override
  public String toString() {
    return group + ": " + title();
  }
}
