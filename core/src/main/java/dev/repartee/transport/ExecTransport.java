package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.internal.ShellWords;
import dev.repartee.internal.Text;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.Limits;
import java.io.BufferedReader;
import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The transport {@code exec:COMMAND}: starts a child process and exchanges messages over its
 * standard input and output.
 *
 * <p>Options, in which {@code %20} stands for a space, {@code %26} for an ampersand and so on:
 *
 * <ul>
 *   <li>{@code cwd=FOLDER}: the working directory of the child; by default that of the JVM.
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
   * Text that begins like options and is no part of a quoted word or of a JSON array. A string, so
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
    Child child = Children.ofProcess().adopt(program, process, System.err::println);
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
    Child child = Children.ofProcess().start(builder, errors);
    return channel(program(builder.command().get(0)), child, framing, limits);
  }

  private static Channel channel(String program, Child child, Framing framing, Limits limits) {
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
    } catch (IllegalArgumentException e) { // its message shows the value, so it is no cause
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
        return new Log(program(builder.command().get(0)));
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
      throw new IllegalArgumentException("the options of exec: behind '#' have a character that has"
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

  private static Process start(ProcessBuilder builder) throws IOException {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new IOException(
          "cannot run '" + builder.command().get(0) + "': " + e.getMessage()
              + "; give the path of a program, or the name of one that is on the PATH",
          e);
    }
  }

  /**
   * The child processes that were not released yet. When the JVM shuts down in order, also after a
   * signal, a shutdown hook ends them with the steps of {@link Child#close}. Otherwise a child that
   * does not read its input would live on, as it does when the JVM is killed. A child that has
   * ended stays in the set until its release: processes that it started may hold its output open,
   * and the daemon thread that ends these processes does not outlive the JVM.
   */
  private static final class Children {
    /** The time in which other shutdown hooks may still use or close their connections. */
    private static final long GRACE_MILLIS = 500;

    private final Set<Child> all = ConcurrentHashMap.newKeySet();

    /**
     * Held for reading from the start of a process until it is in the set. The hook takes it for
     * writing first, so it finds every process: a signal between the two steps left one running.
     */
    private final ReadWriteLock starting = new ReentrantReadWriteLock();

    /** Whether the hook runs, so that no further process may start. Guarded by {@code starting}. */
    private boolean over;

    private static final class Process {
      static final Children CHILDREN = new Children();

      static {
        try {
          Runtime.getRuntime()
              .addShutdownHook(new Thread(CHILDREN::ending, "repartee-exec-ending"));
        } catch (IllegalStateException late) {
          // The JVM is already shutting down.
        }
      }
    }

    static Children ofProcess() {
      return Process.CHILDREN;
    }

    Child start(ProcessBuilder builder, Consumer<String> errors) throws IOException {
      String command = builder.command().get(0);
      starting.readLock().lock();
      try {
        if (over) {
          throw new IOException("cannot run '" + command + "': the JVM is shutting down");
        }
        return add(new Child(command, ExecTransport.start(builder), errors));
      } finally {
        starting.readLock().unlock();
      }
    }

    /** Adds a process that was started elsewhere. */
    Child adopt(String program, java.lang.Process process, Consumer<String> errors)
        throws IOException {
      starting.readLock().lock();
      try {
        if (over) {
          process.destroyForcibly();
          throw new IOException("'" + program + "' was killed: the JVM is shutting down");
        }
        return add(new Child(program, process, errors));
      } finally {
        starting.readLock().unlock();
      }
    }

    private Child add(Child child) {
      all.add(child);
      return child;
    }

    void remove(Child child) {
      all.remove(child);
    }

    /** Takes all children through the steps of {@link Child#close} in parallel, to save time. */
    private void ending() {
      starting.writeLock().lock();
      over = true;
      starting.writeLock().unlock();
      await(GRACE_MILLIS, child -> !child.closing);
      running().forEach(Children::closeInput);
      await(Child.PATIENCE_MILLIS, child -> true);
      running().forEach(Child::terminate);
      await(Child.PATIENCE_MILLIS, child -> true);
      running().forEach(Child::abort);
      all.forEach(Child::terminateHolders);
    }

    private Stream<Child> running() {
      return all.stream().filter(child -> child.process.isAlive());
    }

    /**
     * Closes the input on a new thread, since closing waits for a writer that a full pipe blocks.
     */
    private static void closeInput(Child child) {
      Thread closing = new Thread(child::closeInput, "repartee-exec-end");
      closing.setDaemon(true);
      closing.start();
    }

    private void await(long millis, Predicate<Child> waitedFor) {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      while (running().anyMatch(waitedFor) && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(Child.LOOK_NANOS);
      }
    }
  }

  /** Writes the lines of standard error to the log, and keeps the last ones. Thread-safe. */
  private static final class Log implements Consumer<String> {
    /** The number of characters that are kept. */
    private static final int KEPT = 4_096;

    private final System.Logger logger = System.getLogger(LOGGER);
    private final String program;
    private final StringBuilder kept = new StringBuilder();

    Log(String program) {
      this.program = program;
    }

    @Override
    public void accept(String line) {
      String text = Text.printable(line);
      synchronized (kept) {
        kept.append(kept.length() == 0 ? "" : " | ").append(text);
        kept.delete(0, Math.max(0, kept.length() - KEPT));
      }
      logger.log(Level.INFO, program + ": " + text);
    }

    String last() {
      synchronized (kept) {
        return kept.toString();
      }
    }
  }

  private static final class Child implements StreamChannel.Duplex {
    /** The time that a process has to end after each step of closing. */
    private static final long PATIENCE_MILLIS = 2_000;

    /**
     * The time from the end of the output of a process to the report of its exit. Another thread
     * makes the report at once, but a busy machine may run that thread late.
     */
    private static final long ENDING_MILLIS = 3_000;

    /** The time to read the last output of a process that has ended, also on a busy machine. */
    private static final long READ_OUT_MILLIS = 3_000;

    private static final long LOOK_MILLIS = 10;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

    /** The maximum number of characters in a line of standard error; longer lines are split. */
    private static final int LINE = 8_192;

    private final String command;
    private final Process process;
    private final Watched output;
    private final Thread errors;
    private final @Nullable Log log;

    /**
     * The descendants of the child, noted early: after the child has ended they cannot be found.
     */
    private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();

    private final Attributes attributes;
    private volatile boolean closing;

    Child(String command, Process process, Consumer<String> errors) {
      this.command = command;
      this.process = process;
      this.attributes = Attributes.NONE.with(Channel.PROCESS, process.toHandle());
      this.output = new Watched(process.getInputStream());
      this.log = errors instanceof Log kept ? kept : null;
      this.errors = new Thread(() -> readErrors(errors), "repartee-exec-errors");
      this.errors.setDaemon(true);
      this.errors.start();
    }

    private void readErrors(Consumer<String> errors) {
      try (BufferedReader lines = new BufferedReader(
          new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
        StringBuilder line = new StringBuilder();
        for (int c = lines.read(); c >= 0; c = lines.read()) {
          if (c == '\n' || line.length() == LINE) {
            pass(errors, line);
          }
          if (c != '\n' && c != '\r') {
            line.append((char) c);
          }
        }
        if (line.length() > 0) {
          pass(errors, line);
        }
      } catch (IOException e) {
        // The process has ended.
      }
    }

    /**
     * Passes a line to the consumer and ignores its exceptions: a child blocks if nobody reads its
     * standard error.
     */
    private static void pass(Consumer<String> errors, StringBuilder line) {
      String text = line.toString();
      UserCode.run(() -> errors.accept(text));
      line.setLength(0);
    }

    @Override
    public InputStream input() {
      return output;
    }

    @Override
    public Attributes attributes() {
      return attributes;
    }

    @Override
    public OutputStream output() {
      return process.getOutputStream();
    }

    @Override
    public @Nullable IOException ending() {
      return endsWithin(ENDING_MILLIS)
          ? new IOException("the process '" + command + "' ended with exit code "
              + process.exitValue() + lastErrors())
          : new IOException("the process '" + command + "' has closed its standard output");
    }

    /** Returns the end of a sentence with the last output on standard error, if it was kept. */
    private String lastErrors() {
      if (log == null) {
        return "";
      }
      try {
        errors.join(READ_OUT_MILLIS); // another process may hold standard error open
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      String last = log.last();
      return last.isEmpty() ? "" : "; its last output on standard error: " + last;
    }

    @Override
    public void close() {
      closing = true;
      closeInput();
      if (!endsWithin(PATIENCE_MILLIS)) {
        terminate();
        if (!endsWithin(PATIENCE_MILLIS)) {
          abort();
          endsWithin(PATIENCE_MILLIS);
        }
      }
    }

    void closeInput() {
      noteDescendants();
      try {
        process.getOutputStream().close();
      } catch (IOException e) {
        // The input is closed already.
      }
    }

    void terminate() {
      noteDescendants();
      // Not Process.destroy: it also closes the streams, and closing waits for a blocked writer.
      process.toHandle().destroy();
    }

    void terminateHolders() {
      if (!isReadOutWithin(10 * LOOK_MILLIS)) {
        descendants.forEach(ProcessHandle::destroy);
      }
    }

    @Override
    public void abort() {
      noteDescendants();
      descendants.forEach(ProcessHandle::destroyForcibly);
      process.toHandle().destroyForcibly();
    }

    private void noteDescendants() {
      process.descendants().forEach(descendants::add);
    }

    private boolean endsWithin(long millis) {
      try {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /**
     * Ends the processes that the child has started and that hold its output open, since the
     * threads that read this output cannot be woken up. A proper background process has redirected
     * its output, so it lives on. Then closes the streams, which releases the file descriptors even
     * if the descendants were never noted.
     */
    @Override
    public void release() {
      if (!isReadOutWithin(PATIENCE_MILLIS)) {
        descendants.forEach(ProcessHandle::destroy);
        if (!isReadOutWithin(PATIENCE_MILLIS)) {
          descendants.forEach(ProcessHandle::destroyForcibly);
          isReadOutWithin(PATIENCE_MILLIS);
        }
      }
      try {
        process.getInputStream().close();
        process.getErrorStream().close();
        process.getOutputStream().close(); // last, since it waits for a blocked writer
      } catch (IOException e) {
        // The data in the streams is not needed any more.
      }
      Children.ofProcess().remove(this);
    }

    private boolean isReadOutWithin(long millis) {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      while ((errors.isAlive() || output.reading) && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
      return !errors.isAlive() && !output.reading;
    }
  }

  /** An input stream that shows whether a thread is reading from it. */
  private static final class Watched extends FilterInputStream {
    private volatile boolean reading;

    Watched(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      reading = true;
      try {
        return super.read(bytes, from, count);
      } finally {
        reading = false;
      }
    }
  }
}
