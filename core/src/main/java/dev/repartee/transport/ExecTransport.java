package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.internal.ShellWords;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The transport {@code exec:COMMAND}: starts a child process and exchanges messages over its
 * standard input and output.
 *
 * <p>Options, with percent-encoding ({@code %20} for a space, {@code %26} for an ampersand):
 *
 * <ul>
 *   <li>{@code cwd=FOLDER}: the working directory of the child; by default the working directory of
 *       the JVM.
 *   <li>{@code env=NAME=VALUE,NAME=VALUE}: variables that are added to the environment of the JVM.
 *       A comma in a value is written {@code %2C}.
 *   <li>{@code stderr}: the destination of the child's standard error. {@code inherit}, the
 *       default, passes its lines to {@link System#err}; {@code discard} drops them; a path with a
 *       slash names a file to append to; {@code log} writes them to the {@link System.Logger} with
 *       the name {@link #LOGGER}, at the level {@code INFO}. Only with {@code log} does the
 *       exception for the end of the child contain the last 4 KiB of these lines: they may hold
 *       secrets, and exceptions get into logs.
 * </ul>
 */
final class ExecTransport implements Transport {
  static final String LOGGER = "dev.repartee.exec";

  private static final String FOLDER = "cwd";
  private static final String ENVIRONMENT = "env";
  private static final String ERRORS = "stderr";

  /**
   * Text that begins like options and is not part of a quoted word or of a JSON array. A string, so
   * that commands without it compile no pattern.
   */
  private static final String UNENCODED = "(cwd|env|stderr|framing|lenient)=[^'\"]*";

  /** The destination of standard error if the option {@link #ERRORS} does not name another one. */
  private final Consumer<String> errors;

  ExecTransport() {
    this(line -> System.err.println(line));
  }

  /** Creates a transport that passes each line of standard error to {@code errors}. */
  ExecTransport(Consumer<String> errors) {
    this.errors = errors;
  }

  /** Returns a channel over a process of the user; see {@link Channel#over}. */
  static Channel over(Process process, Framing framing, Limits limits) throws IOException {
    String program = program(process.info().command().orElse("process " + process.pid()));
    ChildProcess child = ChildProcess.adopt(program, process, System.err::println);
    return channel(program, child, framing, limits);
  }

  /** Starts a process of the user and returns a channel over it; see {@link Channel#over}. */
  static Channel over(ProcessBuilder builder, Framing framing, Limits limits) throws IOException {
    if (builder.redirectInput() != Redirect.PIPE || builder.redirectOutput() != Redirect.PIPE) {
      throw new IllegalArgumentException("the standard input and output of '"
          + builder.command().get(0) + "' carry the messages, so do not redirect them");
    }
    return start(builder, framing, limits, System.err::println);
  }

  private static Channel start(
      ProcessBuilder builder, Framing framing, Limits limits, Consumer<String> errors)
      throws IOException {
    ChildProcess child = ChildProcess.start(builder, errors);
    return channel(program(builder.command().get(0)), child, framing, limits);
  }

  private static Channel channel(
      String program, ChildProcess child, Framing framing, Limits limits) {
    return new StreamChannel(new ChannelInfo("exec", program, ""), framing, limits, child);
  }

  @Override
  public Set<String> schemes() {
    return Set.of("exec");
  }

  @Override
  public Set<String> options() {
    return Set.of(FOLDER, ENVIRONMENT, ERRORS);
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words(endpoint));
    Framing framing = endpoint.framing(Framing.LINES);
    String folder = decoded(endpoint, FOLDER);
    if (!folder.isEmpty()) {
      builder.directory(folder(new File(folder), FOLDER));
    }
    putVariables(endpoint, builder.environment());
    return start(builder, framing, limits, errors(endpoint, builder));
  }

  /** Returns the value of an option without its percent-encoding; empty if it is missing. */
  private static String decoded(Endpoint endpoint, String option) {
    return decoded(option, endpoint.option(option, ""));
  }

  private static String decoded(String option, String value) {
    try {
      return Endpoint.decoded(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the option " + option
              + " of exec: has a '%' that no two hexadecimal digits follow; write %25 for the character");
    }
  }

  private static File folder(File folder, String option) throws IOException {
    if (!folder.isDirectory()) {
      throw new IOException(
          "the option " + option + " of exec: needs a folder, and '" + folder + "' is none");
    }
    return folder;
  }

  /** Sets the variables of the option {@link #ENVIRONMENT}. No message shows a value. */
  private static void putVariables(Endpoint endpoint, Map<String, String> environment) {
    String variables = endpoint.option(ENVIRONMENT, "");
    if (variables.isEmpty()) {
      return;
    }
    for (String variable : variables.split(",", -1)) {
      int equals = variable.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("the option env of exec: is NAME=VALUE,NAME=VALUE, and"
            + " a part of it has no name or no '='; write a comma in a value as %2C");
      }
      put(
          environment,
          decoded(ENVIRONMENT, variable.substring(0, equals)),
          decoded(ENVIRONMENT, variable.substring(equals + 1)));
    }
  }

  private static void put(Map<String, String> environment, String name, String value) {
    try {
      environment.put(name, value);
    } catch (IllegalArgumentException e) { // not attached as the cause: its message shows the value
      throw new IllegalArgumentException("the option env of exec: has a variable with %00 in it, or"
          + " with %3D in its name, which no variable can have");
    }
  }

  /**
   * Redirects the standard error of a process as the option {@link #ERRORS} demands.
   *
   * @return the receiver of its lines, if it is not redirected
   */
  private Consumer<String> errors(Endpoint endpoint, ProcessBuilder builder) throws IOException {
    String target = decoded(endpoint, ERRORS);
    switch (target) {
      case "", "inherit" -> {
        return errors;
      }
      case "log" -> {
        return new ChildProcess.Log(program(builder.command().get(0)));
      }
      case "discard" -> builder.redirectError(Redirect.DISCARD);
      default -> {
        if (!target.contains("/") && !target.contains(File.separator)) {
          throw new IllegalArgumentException("the option stderr of exec: has the unknown value '"
              + target + "'; known are inherit, discard, log and the path of a file with a slash"
              + " in it, such as ./" + target);
        }
        File file = new File(target).getAbsoluteFile();
        folder(file.getParentFile(), ERRORS);
        builder.redirectError(Redirect.appendTo(file));
      }
    }
    return errors;
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    throw new IOException("cannot listen on " + endpoint.bare()
        + ": a child process can only be connected to; listen on " + "stdio: in the child");
  }

  /** Returns the name of the program, without its folder and its arguments, which may be secret. */
  private static String program(String path) {
    return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  }

  /**
   * Returns the words of the command: the JSON array of strings in the address, or its split text.
   */
  static List<String> words(Endpoint endpoint) {
    String address = endpoint.address();
    requireNoOptions(address);
    List<String> words = address.startsWith("[") ? exact(endpoint) : ShellWords.split(address);
    if (words.isEmpty() || words.get(0).isEmpty()) {
      throw new IllegalArgumentException("'" + endpoint.bare() + "' names no command to run");
    }
    return words;
  }

  /**
   * Refuses options with a character that options cannot have. They belong to the address then, and
   * the child would get them as an argument, which all users of the machine can read.
   */
  private static void requireNoOptions(String address) {
    String end = address.substring(address.lastIndexOf('#') + 1);
    if (end.length() < address.length()
        && end.matches(UNENCODED)
        && !end.matches(Endpoint.OPTIONS)) {
      throw new IllegalArgumentException("the options of exec: after '#' have a character that has"
          + " to be percent-encoded, such as %20 for a space and %24 for '$'; if this text is an"
          + " argument of the command, write the command as a JSON array");
    }
  }

  private static List<String> exact(Endpoint endpoint) {
    List<String> words = new ArrayList<>();
    try {
      for (Json word : Json.parse(endpoint.address()).elements()) {
        if (word.kind() != Json.Kind.STRING) {
          throw new IllegalArgumentException(
              "'" + endpoint.bare() + "' must be a JSON array of strings, but contains " + word);
        }
        words.add(Text.string(UnsafeJson.array(word), 0, word.length()));
      }
    } catch (JsonException e) {
      throw new IllegalArgumentException(
          "'" + endpoint.bare() + "' is not a JSON array of strings: " + e.getMessage(), e);
    }
    return words;
  }
}
