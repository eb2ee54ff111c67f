package dev.repartee.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The help of one command as data, from which {@link CompletionScript} and {@link ManPage} are
 * generated.
 *
 * @param words the words that select the command, without {@code repartee}
 * @param spec the model of its help
 */
record CommandText(List<String> words, CommandSpec spec) {
  /** Returns {@code repartee} and all commands below it; a group precedes its commands. */
  static List<CommandText> all(CommandLine repartee) {
    List<CommandText> all = new ArrayList<>();
    collect(new CommandText(List.of(), repartee.getCommandSpec()), all);
    return all;
  }

  private static void collect(CommandText text, List<CommandText> all) {
    all.add(text);
    text.subcommands().forEach(sub -> collect(sub, all));
  }

  List<CommandText> subcommands() {
    List<CommandText> subcommands = new ArrayList<>();
    spec.subcommands().forEach((name, sub) -> {
      List<String> path = new ArrayList<>(words);
      path.add(name);
      subcommands.add(new CommandText(path, sub.getCommandSpec()));
    });
    return subcommands;
  }

  String name() {
    return spec.name();
  }

  /** Returns whether the command only has subcommands. */
  boolean isGroup() {
    return !spec.subcommands().isEmpty();
  }

  /** Returns the options that the help shows, in the order of their long names. */
  List<OptionSpec> options() {
    return spec.options().stream()
        .filter(option -> !option.hidden())
        .sorted(Comparator.comparing(option -> option.longestName().replace("-", "")))
        .toList();
  }

  List<PositionalParamSpec> parameters() {
    return spec.positionalParameters();
  }

  /** Returns whether an option has a value on the command line. */
  static boolean hasValue(OptionSpec option) {
    return option.arity().max() > 0 && !option.typeInfo().isBoolean();
  }

  /** Returns the possible values of an option or a parameter; empty if any value is possible. */
  static List<String> values(ArgSpec argument) {
    Iterable<String> candidates = argument.completionCandidates();
    return candidates == null
        ? List.of()
        : StreamSupport.stream(candidates.spliterator(), false)
            .map(value -> value.toLowerCase(Locale.ROOT))
            .toList();
  }

  /** Returns the paragraphs of a text of the help. */
  static List<String> paragraphs(String... text) {
    return List.of(String.format(String.join("\n", text)).split("\n{2,}"));
  }

  /** Returns the first sentence of the description, without a full stop. */
  String summary() {
    return summary(spec.usageMessage().description());
  }

  /** Returns the first sentence of a description, without a full stop. */
  static String summary(String... description) {
    return paragraphs(description).get(0).split("[.;](\\s|$)")[0];
  }
}
