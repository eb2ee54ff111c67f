package dev.repartee.cli.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.InputFile;
import dev.repartee.cli.terminal.Stdio;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The HTTP header fields that a command adds to its requests. Values are often secrets. Therefore
 * error messages contain neither a value nor a text without a colon, which may be a value.
 */
public final class HeaderOptions {
  private static final int MAX_FILE = 64 << 10;

  @Option(names = "--header", paramLabel = "HEADER", description = """
          'NAME: VALUE' for HTTP requests and for the opening of a WebSocket; may be repeated. @FILE \
          reads a header from each line of a file; use it for secrets, because other users of the \
          machine can see the command line.""")
  List<String> headers = new ArrayList<>();

  @Option(names = "--cookie", paramLabel = "NAME=VALUE", description = """
          A cookie for HTTP requests and for the opening of a WebSocket; may be repeated.""")
  List<String> cookies = new ArrayList<>();

  @Mixin
  final CredentialOptions credentials;

  /** Creates the options of a command that only calls. */
  public HeaderOptions() {
    this(new CredentialOptions.Own());
  }

  /** Creates the options with another option for the credentials. */
  public HeaderOptions(CredentialOptions credentials) {
    this.credentials = credentials;
  }

  /** Returns the options with these headers and credentials added, for the server at a URI. */
  public Options addTo(Options options, String uri, Stdio stdio) {
    return addTo(credentials.addTo(options, uri, stdio));
  }

  private Options addTo(Options options) {
    Options result = options;
    for (Given header : given(headers)) {
      result = add(result, header.text(), header.place() + " is not 'NAME: VALUE'");
    }
    return cookies.isEmpty()
        ? result
        : add(result, "Cookie: " + joined(), "--cookie is not NAME=VALUE");
  }

  /**
   * A value of {@code --header}.
   *
   * @param place its place, for errors: the option or the line of a file
   */
  public record Given(String text, String place) {}

  /** Returns the values of {@code --header}, including values in files. */
  public static List<Given> given(List<String> headers) {
    List<Given> all = new ArrayList<>();
    for (String header : headers) {
      if (!header.startsWith("@")) {
        all.add(new Given(header, "--header"));
        continue;
      }
      String file = header.substring(1);
      int number = 0;
      for (String line : read(file, "--header").lines().toList()) {
        number++;
        if (!line.isBlank()) {
          all.add(new Given(line, "line " + number + " of '" + file + "'"));
        }
      }
    }
    return all;
  }

  /**
   * Returns the options with one header added.
   *
   * @param header its name, a colon and its value
   * @param otherwise the start of the error message, without the value
   */
  public static Options add(Options options, String header, String otherwise) {
    int colon = header.indexOf(':');
    if (colon < 0) {
      throw malformed(otherwise);
    }
    String name = header.substring(0, colon);
    if (options.headers().fields().keySet().stream().anyMatch(name::equalsIgnoreCase)) {
      throw Failure.usage(
          "the header '" + name + "' is given twice; give it once, with all its values");
    }
    try {
      return options.toBuilder().header(name, header.substring(colon + 1)).build();
    } catch (IllegalArgumentException e) {
      throw malformed(otherwise);
    }
  }

  private static Failure malformed(String what) {
    return Failure.usage(
        what + " in printable ASCII; examples: --header 'Authorization: Bearer TOKEN',"
            + " --cookie session=TOKEN");
  }

  private String joined() {
    for (String cookie : cookies) {
      if (cookie.indexOf('=') < 1) {
        throw malformed("--cookie is not NAME=VALUE");
      }
    }
    return String.join("; ", cookies);
  }

  /**
   * Reads the file of an option such as {@code --header @FILE}.
   *
   * @throws Failure if that is not possible; the message does not contain text of the file
   */
  static String read(String file, String option) {
    byte[] text = InputFile.bytes(
        file,
        MAX_FILE,
        "holds " + MAX_FILE + " bytes or more; " + option + " @FILE reads one entry from each line",
        " to read for " + option);
    return new String(text, UTF_8);
  }
}
