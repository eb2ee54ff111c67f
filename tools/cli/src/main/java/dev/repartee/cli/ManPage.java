package dev.repartee.cli;

import static java.util.stream.Collectors.joining;

import dev.repartee.Repartee;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * A manual page of a command in the language of man(7), generated from the help. The generator of
 * picocli writes AsciiDoc, which only a converter in Ruby turns into manual pages.
 */
final class ManPage {
  /** Columns for the synopsis, which the reader of the page breaks into lines. */
  private static final int UNBROKEN = 10_000;

  private final StringBuilder page = new StringBuilder();
  private final CommandText command;
  private final UsageMessageSpec usage;
  private final Help help;

  private ManPage(CommandText command) {
    this.command = command;
    usage = command.spec().usageMessage().width(UNBROKEN);
    help = new Help(command.spec(), Help.defaultColorScheme(Ansi.OFF));
  }

  /** Returns the page of a command. */
  static String of(CommandText command) {
    return new ManPage(command).text();
  }

  /** Returns the title, such as {@code repartee-mcp-serve}. */
  static String title(CommandText command) {
    return command.spec().qualifiedName("-");
  }

  private String text() {
    // Without hyphens and justified lines, so that URIs and options are not changed.
    page.append(".TH %s 1 \"\" \"repartee %s\" \"User Commands\"\n.nh\n.ad l\n"
        .formatted(escaped(title(command).toUpperCase(Locale.ROOT)), Repartee.version()));
    section("NAME");
    line(escaped(title(command)) + " \\- " + escaped(command.summary()));
    section("SYNOPSIS");
    String name = command.spec().qualifiedName();
    line("\\fB" + escaped(name) + "\\fR"
        + escaped(help.synopsis(0).strip().substring(name.length())));
    section("DESCRIPTION");
    paragraphs(usage.description());
    if (!command.parameters().isEmpty()) {
      section("ARGUMENTS");
      command.parameters().forEach(one -> argument("", one));
    }
    if (command.isGroup()) {
      section("COMMANDS");
      command
          .subcommands()
          .forEach(sub -> entry("\\fB" + escaped(title(sub)) + "\\fR(1)", sub.summary() + "."));
    }
    section("OPTIONS");
    command
        .options()
        .forEach(option -> argument(
            Arrays.stream(option.names())
                .map(one -> "\\fB" + escaped(one) + "\\fR")
                .collect(joining(", ")),
            option));
    section("EXAMPLES");
    paragraphs(usage.footer());
    return page.toString();
  }

  private void section(String heading) {
    page.append(".SH ").append(heading).append('\n');
  }

  private void argument(String names, ArgSpec argument) {
    String label = help.parameterLabelRenderer()
        .renderParameterLabel(argument, Ansi.OFF, List.of())
        .toString();
    entry(names + escaped(label), argument.description());
  }

  private void entry(String heading, String... description) {
    page.append(".TP\n");
    line(heading);
    String next = "";
    for (String paragraph : CommandText.paragraphs(description)) {
      page.append(next);
      lines(paragraph);
      next = ".IP\n";
    }
  }

  /** Writes paragraphs; indented lines are examples, and their line ends remain. */
  private void paragraphs(String... text) {
    for (String paragraph : CommandText.paragraphs(text)) {
      boolean examples = paragraph.startsWith(" ");
      page.append(examples ? ".PP\n.nf\n.RS\n" : ".PP\n");
      lines(paragraph.stripIndent());
      page.append(examples ? ".RE\n.fi\n" : "");
    }
  }

  private void lines(String text) {
    text.lines().forEach(line -> line(escaped(line)));
  }

  /** Writes a line of text, which must not look like a request of the language. */
  private void line(String text) {
    page.append(text.startsWith(".") || text.startsWith("'") ? "\\&" : "")
        .append(text)
        .append('\n');
  }

  /** Escapes characters that have a meaning, or another form in some output. */
  private static String escaped(String text) {
    return text.replace("\\", "\\e")
        .replace("-", "\\-")
        .replace("'", "\\(aq")
        .replace("`", "\\(ga")
        .replace("^", "\\(ha")
        .replace("~", "\\(ti");
  }
}
