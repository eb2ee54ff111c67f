package dev.repartee;

import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code exec:COMMAND}, a child process that is talked to over its standard input and output. What it
 * prints to its standard error is passed on line by line.
 */
final class ExecTransport implements Transport {
  private final Consumer<String> errors;

  ExecTransport() {
    this(line -> System.err.println(line));
  }

  /** Passes the lines of standard error on to {@code errors}. */
  ExecTransport(Consumer<String> errors) {
    this.errors = errors;
  }

  @Override
  public Set<String> schemes() {
    return Set.of("exec");
  }

  @Override
  public Channel connect(Endpoint endpoint, Options options) throws IOException {
    List<String> words = words(endpoint);
    Framing framing = Transports.framing(endpoint, Framing.LINES);
    Child child = new Child(words.get(0), start(words), errors);
    Children.ofProcess().add(child);
    ChannelInfo info = new ChannelInfo("exec", endpoint.address(), "");
    return new StreamChannel(info, framing, options.limits(), child);
  }

  @Override
  public Listening listen(Endpoint endpoint, Options options, Acceptor acceptor)
      throws IOException {
    throw new IOException("cannot listen on " + endpoint
        + ": a child process can only be connected to; listen on " + "stdio: in the child");
  }

  /** The words of the command: exact if they are a JSON array of strings, else split. */
  static List<String> words(Endpoint endpoint) {
    String address = endpoint.address();
    List<String> words = address.startsWith("[") ? exact(endpoint) : Words.split(address);
    if (words.isEmpty() || words.get(0).isEmpty()) {
      throw new IllegalArgumentException("'" + endpoint + "' names no command to run");
    }
    return words;
  }

  private static List<String> exact(Endpoint endpoint) {
    List<String> words = new ArrayList<>();
    try {
      for (Json word : Json.parse(endpoint.address()).elements()) {
        if (word.kind() != Json.Kind.STRING) {
          throw new IllegalArgumentException(
              "'" + endpoint + "' must hold nothing but strings, and has " + word);
        }
        words.add(Text.string(word.array(), 0, word.length()));
      }
    } catch (JsonException e) {
      throw new IllegalArgumentException(
          "'" + endpoint + "' is not a JSON array of strings: " + e.getMessage(), e);
    }
    return words;
  }

  private static Process start(List<String> words) throws IOException {
    try {
      return new ProcessBuilder(words).start();
    } catch (IOException e) {
      throw new IOException(
          "cannot run '" + words.get(0) + "': " + e.getMessage()
              + "; give the path of a program, or the name of one that is on the PATH",
          e);
    }
  }

  /**
   * The children of this process that were not released yet. When the JVM ends in order, by a signal too,
   * they end as if they had been closed. One that does not read its input would live on otherwise, as it
   * does when the JVM is killed. A child that has ended stays here until its release: processes that it
   * started may hold its output, and the daemon thread that ends them does not outlive the JVM.
   */
  private static final class Children {
    /** What other shutdown hooks have to close their connections, or to use them a last time. */
    private static final long GRACE_MILLIS = 500;

    private final Set<Child> all = ConcurrentHashMap.newKeySet();

    private static final class Process {
      static final Children CHILDREN = new Children();

      static {
        try {
          Runtime.getRuntime()
              .addShutdownHook(new Thread(CHILDREN::ending, "repartee-exec-ending"));
        } catch (IllegalStateException late) {
          // The JVM ends already.
        }
      }
    }

    static Children ofProcess() {
      return Process.CHILDREN;
    }

    void add(Child child) {
      all.add(child);
    }

    void remove(Child child) {
      all.remove(child);
    }

    /** Takes all children through the steps of {@link Child#close} together, to be done soon. */
    private void ending() {
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

    /** On a thread of its own, as it waits for a writer that is stuck in a pipe that is full. */
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

  private static final class Child implements StreamChannel.Duplex {
    /** What a process has to end by itself, and then after it was asked to. */
    private static final long PATIENCE_MILLIS = 2_000;

    private static final long LOOK_MILLIS = 10;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

    /** A line of its standard error that is longer is passed on in parts of that many characters. */
    private static final int LINE = 8_192;

    private final String command;
    private final Process process;
    private final Watched output;
    private final Thread errors;

    /** The descendants of the child. They are noted early: after its end nothing links them to it. */
    private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();

    private volatile boolean closing;

    Child(String command, Process process, Consumer<String> errors) {
      this.command = command;
      this.process = process;
      this.output = new Watched(process.getInputStream());
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
        // It has ended, and so has what it had to say.
      }
    }

    /** Goes on whatever the consumer throws: a child whose errors nobody reads blocks. */
    private static void pass(Consumer<String> errors, StringBuilder line) {
      String text = line.toString();
      Foreign.run(() -> errors.accept(text));
      line.setLength(0);
    }

    @Override
    public InputStream input() {
      return output;
    }

    @Override
    public OutputStream output() {
      return process.getOutputStream();
    }

    @Override
    public @Nullable IOException ending() {
      return endsWithin(1_000)
          ? new IOException(
              "the process '" + command + "' ended with exit code " + process.exitValue())
          : new IOException("the process '" + command + "' has closed its standard output");
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
        // It has gone before, which is what we are after.
      }
    }

    void terminate() {
      noteDescendants();
      // Not Process.destroy, which closes the streams too, and waits for a writer that is stuck.
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
     * Ends the processes that the child has started and that hold its output, since the threads that read
     * there cannot be woken up. A process that stays in the background for good has an output of its own
     * and lives on. Closing gives the descriptors back, even where the child died before this side knew
     * what it had started.
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
        process.getOutputStream().close(); // last, since it waits for a writer that is stuck
      } catch (IOException e) {
        // Nothing is left in them that anybody wants.
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

  /** An input that shows whether somebody is about to read it. */
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
