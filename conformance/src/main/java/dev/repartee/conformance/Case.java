package dev.repartee.conformance;

/**
 * One thing to try, as it stands in the corpus.
 *
 * @param group the file it stands in, such as {@code ids}
 * @param name what is promised, in a sentence
 * @param value the one it is tried with, where there are several; else empty
 * @param clause the section of the document that says so: {@code 4.2}, or another one by its name
 * @param level how strictly
 * @param over where it applies: {@code any}, {@code http}, {@code connection} (all but that), or {@code
 *     framing:} and a framing's name
 */
public record Case(
    String group, String name, String value, String clause, Level level, String over) {
  /** What is promised, and with which value. */
  public String title() {
    return value.isEmpty() ? name : name + ": " + value;
  }

  /** The group and the title. */
  @Override
  public String toString() {
    return group + ": " + title();
  }
}
