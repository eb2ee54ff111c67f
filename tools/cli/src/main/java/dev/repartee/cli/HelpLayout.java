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
 * Formats the help of a command without line ends inside of {@code ://}, where Java allows line
 * breaks. During the layout, letters replace these three characters; {@link #writer} restores them.
 */
final class HelpLayout extends Help {
  private static final String URI = "://";
  private static final char COLON = '\uE000'; // private use; a letter in line breaks
  private static final char SLASH = '\uE001';
  private static final String WHOLE = "" + COLON + SLASH + SLASH;

  private final ColorScheme scheme;

  HelpLayout(CommandSpec spec, ColorScheme scheme) {
    super(whole(spec), scheme);
    this.scheme = scheme;
  }

  private static CommandSpec whole(CommandSpec spec) {
    spec.usageMessage()
        .description(Arrays.stream(spec.usageMessage().description())
            .flatMap(String::lines) // the first is in the list of commands
            .map(line -> line.replace("${", "$${").replace(URI, WHOLE)) // read without the escape
            .toArray(String[]::new));
    return spec;
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

  private Text[][] whole(Text[][] rows) {
    for (Text[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        String plain = row[i].plainString();
        if (plain.contains(URI)) {
          row[i] = scheme.text(plain.replace(URI, WHOLE));
        }
      }
    }
    return rows;
  }

  /** Returns a writer that restores the characters of URIs. */
  static PrintWriter writer(PrintWriter out) {
    return new PrintWriter(
        new FilterWriter(out) {
          @Override
          public void write(int c) throws IOException {
            out.write(c == COLON ? ':' : c == SLASH ? '/' : c);
          }

          @Override
          public void write(char[] text, int from, int length) throws IOException {
            write(new String(text, from, length), 0, length);
          }

          @Override
          public void write(String text, int from, int length) throws IOException {
            String part = text.substring(from, from + length);
            out.write(part.replace(COLON, ':').replace(SLASH, '/'));
          }
        },
        true);
  }
}
