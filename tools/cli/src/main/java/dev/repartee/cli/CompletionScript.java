package dev.repartee.cli;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The completion script of a shell, generated from the help. It completes commands after a group,
 * options after {@code -}, known values of options and arguments, and otherwise files. The script
 * that picocli generates for bash is not used: it completes no files, shows no descriptions in zsh,
 * and does not work in fish.
 */
enum CompletionScript {
  BASH {
    @Override
    String of(List<CommandText> commands) {
      return """
          # Completion of repartee in bash.
          _repartee() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
            local words='' options='' values=''
            case "${COMP_WORDS[*]:1:COMP_CWORD-1} " in
          %s  esac
            case $word in
              -*) words=$options ;;
            esac
            mapfile -t COMPREPLY < <(compgen -W "${values:-$words}" -- "$word")
          }
          complete -o default -F _repartee repartee
          """.formatted(joined(commands, this::branch));
    }

    private String branch(CommandText command) {
      StringBuilder branch = new StringBuilder("    " + pattern(command) + ")\n")
          .append("      words='" + String.join(" ", words(command)) + "'\n")
          .append("      options='" + String.join(" ", names(command)) + "'\n");
      for (OptionSpec option : command.options()) {
        if (!CommandText.values(option).isEmpty()) {
          branch.append("      [ \"$before\" != %s ] || values='%s'\n"
              .formatted(option.longestName(), String.join(" ", CommandText.values(option))));
        }
      }
      return branch + "      ;;\n";
    }

    private List<String> names(CommandText command) {
      return command.options().stream()
          .flatMap(option -> Arrays.stream(option.names()))
          .toList();
    }

    private List<String> words(CommandText command) {
      return Stream.concat(
              command.subcommands().stream().map(CommandText::name),
              command.parameters().stream().flatMap(one -> CommandText.values(one).stream()))
          .toList();
    }
  },

  ZSH {
    @Override
    String of(List<CommandText> commands) {
      return """
          #compdef repartee
          # Completion of repartee in zsh.
          case "${(j: :)words[2,CURRENT-1]} " in
          %sesac
          """.formatted(joined(commands, this::branch));
    }

    /** Returns the branch of a command. The words of a group are removed before its completion. */
    private String branch(CommandText command) {
      int depth = command.words().size();
      List<String> arguments = new ArrayList<>();
      command.options().forEach(option -> arguments.addAll(options(option)));
      if (command.isGroup()) {
        arguments.add(":command:((" + joined(command.subcommands(), this::described) + "))");
      } else {
        arguments.add("*:argument:" + action(command.parameters()));
      }
      return "  " + pattern(command) + ")\n"
          + (command.isGroup() && depth > 0
              ? "    shift %d words; ((CURRENT -= %d))\n".formatted(depth, depth)
              : "")
          + "    _arguments -S"
          + joined(arguments, argument -> " \\\n      " + quoted(argument))
          + " ;;\n";
    }

    private String described(CommandText command) {
      return " " + command.name() + "\\:"
          + command.summary().replaceAll("([^A-Za-z0-9])", "\\\\$1");
    }

    private List<String> options(OptionSpec option) {
      String text = summary(option).replaceAll("([\\[\\]:\\\\])", "\\\\$1");
      boolean hasValue = CommandText.hasValue(option);
      return Arrays.stream(option.names())
          .map(name -> "*" + name + (hasValue && name.startsWith("--") ? "=" : "") + "[" + text
              + "]" + (hasValue ? ":value:" + action(List.of(option)) : ""))
          .toList();
    }

    private String action(List<? extends ArgSpec> arguments) {
      List<String> values = arguments.stream()
          .flatMap(argument -> CommandText.values(argument).stream())
          .toList();
      return values.isEmpty() ? "_files" : "(" + String.join(" ", values) + ")";
    }

    private String quoted(String text) {
      return "'" + text.replace("'", "'\\''") + "'";
    }
  },

  FISH {
    @Override
    String of(List<CommandText> commands) {
      return """
          # Completion of repartee in fish.
          function __repartee_at
              set -l words (commandline -opc)
              set -e words[1]
              test "$words" = "$argv"
          end
          function __repartee_after
              set -l words (commandline -opc)
              set -e words[1]
              string match -q -- "$argv *" "$words "
          end
          """ + joined(commands, this::lines);
    }

    private String lines(CommandText command) {
      List<String> lines = new ArrayList<>();
      command
          .subcommands()
          .forEach(sub -> lines.add("-f -a " + sub.name() + " -d " + quoted(sub.summary())));
      for (ArgSpec parameter : command.parameters()) {
        CommandText.values(parameter).forEach(value -> lines.add("-f -a " + value));
      }
      command.options().forEach(option -> lines.add(option(option)));
      String condition = (command.isGroup() ? "__repartee_at " : "__repartee_after ")
          + String.join(" ", command.words());
      return joined(
          lines, line -> "complete -c repartee -n '" + condition.strip() + "' " + line + "\n");
    }

    private String option(OptionSpec option) {
      List<String> values = CommandText.values(option);
      return joined(
              List.of(option.names()),
              name -> name.startsWith("--")
                  ? "-l " + name.substring(2) + " "
                  : "-s " + name.charAt(1) + " ")
          + (CommandText.hasValue(option) ? values.isEmpty() ? "-r " : "-x " : "")
          + (values.isEmpty() ? "" : "-a '" + String.join(" ", values) + "' ")
          + "-d " + quoted(summary(option));
    }

    private String quoted(String text) {
      return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
  };

  /** Returns the script for commands, the result of {@link CommandText#all}. */
  abstract String of(List<CommandText> commands);

  /** Returns the pattern for the words before the completed word, each followed by a blank. */
  private static String pattern(CommandText command) {
    String words = String.join(" ", command.words()) + " ";
    return "'" + words + "'" + (command.isGroup() ? "" : "*");
  }

  private static String summary(OptionSpec option) {
    return CommandText.summary(option.description());
  }

  private static <T> String joined(List<T> parts, Function<T, String> text) {
    return parts.stream().map(text).collect(joining());
  }
}
