package dev.repartee.cli.options;

import dev.repartee.cli.terminal.Stdio;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** A command that only has subcommands. */
public abstract class CommandGroup extends Documented {
  private final Map<String, Supplier<Object>> commands = new LinkedHashMap<>();

  /** Adds a subcommand to the help: its class, or its group. */
  protected final void add(String name, Supplier<Object> command) {
    commands.put(name, command);
  }

  /**
   * Builds the parser. If the first word is the name of a subcommand, only the class of that
   * subcommand is loaded, which shortens the start.
   */
  public final CommandLine parser(Stdio stdio, List<String> words) {
    CommandLine parser = new CommandLine(this, new Streams(stdio));
    String first = words.isEmpty() ? "" : words.get(0);
    commands.forEach((name, command) -> {
      if (first.equals(name) || !commands.containsKey(first)) {
        Object made = command.get();
        parser.addSubcommand(
            name,
            made instanceof CommandGroup group
                ? group.parser(stdio, words.isEmpty() ? words : words.subList(1, words.size()))
                : made);
      }
    });
    return parser;
  }

  /** Gives each subcommand the standard streams. */
  private record Streams(Stdio stdio) implements IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      K made = CommandLine.defaultFactory().create(type);
      if (made instanceof Subcommand subcommand) {
        subcommand.use(stdio);
      }
      return made;
    }
  }
}
