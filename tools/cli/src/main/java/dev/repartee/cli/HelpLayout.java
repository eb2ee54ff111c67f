package dev.repartee.cli;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.IOptionRenderer;
import picocli.CommandLine.Help.IParameterRenderer;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Formats the help of a command with line breaks at spaces only. Java also allows them inside of
 * URIs and options, as after {@code -} and {@code /}. During the layout, letters replace these
 * characters; {@link #writer} restores them.
 */
final class HelpLayout extends Help {
  /** The width that fits every terminal. */
  static final int WIDTH = 80;

  /** Characters at which Java breaks lines. Without those of the syntax of picocli: % $ @ and |. */
  private static final String BREAKING = "-/:;,.#=?!&+~*'\"()[]{}<>";

  /** The first of the replacements: in the area for private use, whose characters are letters. */
  private static final char PRIVATE = '\uE000';

  private final ColorScheme scheme;

  HelpLayout(CommandSpec spec, ColorScheme scheme) {
    super(whole(spec), scheme);
    this.scheme = scheme;
  }

  private static CommandSpec whole(CommandSpec spec) {
    spec.usageMessage()
        .description(whole(spec.usageMessage().description()))
        .footer(filled(whole(spec.usageMessage().footer())));
    return spec;
  }

  private static String[] whole(String... texts) {
    return Arrays.stream(texts)
        .flatMap(String::lines) // the first of a description is in the list of commands
        .map(HelpLayout::whole)
        .map(line -> line.replace("$", "$$")) // read without the escape
        .toArray(String[]::new);
  }

  /** Joins the lines of prose, which are not indented; examples keep their lines. */
  private static String[] filled(String... lines) {
    return String.join("\n", lines).replaceAll("(?m)(^\\S.*)\n(?=\\S)", "$1 ").split("\n");
  }

  private static String whole(String text) {
    StringBuilder whole = new StringBuilder(text);
    for (int i = 0; i < whole.length(); i++) {
      char c = whole.charAt(i);
      if (BREAKING.indexOf(c) >= 0) {
        whole.setCharAt(i, (char) (PRIVATE + c));
      }
    }
    return whole.toString();
  }

  @Override
  public IOptionRenderer createDefaultOptionRenderer() {
    IOptionRenderer renderer = super.createDefaultOptionRenderer();
    return (option, labels, colors) -> whole(renderer.render(option, labels, colors));
  }

  @Override
  public IParameterRenderer createDefaultParameterRenderer() {
    IParameterRenderer renderer = super.createDefaultParameterRenderer();
    return (parameter, labels, colors) -> whole(renderer.render(parameter, labels, colors));
  }

  /** Replaces the characters in the descriptions, which are the last cells. */
  private Text[][] whole(Text[][] rows) {
    for (Text[] row : rows) {
      row[row.length - 1] = scheme.text(whole(row[row.length - 1].plainString()));
    }
    return rows;
  }

  /** Returns a writer that restores the replaced characters. */
  static PrintWriter writer(PrintWriter out) {
    return new PrintWriter(
        new FilterWriter(out) {
          @Override
          public void write(int c) throws IOException {
            out.write(c >= PRIVATE && c < PRIVATE + 128 ? c - PRIVATE : c);
          }

          @Override
          public void write(char[] text, int from, int length) throws IOException {
            for (int i = from; i < from + length; i++) {
              write(text[i]);
            }
          }

          @Override
          public void write(String text, int from, int length) throws IOException {
            write(text.toCharArray(), from, length);
          }
        },
        true);
  }
}
