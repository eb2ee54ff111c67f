package dev.repartee.transport;

import dev.repartee.internal.Text;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A child process whose standard input and output carry the messages of a {@link StreamChannel}.
 * Methods may be called from any thread.
 */
final class ChildProcess implements StreamChannel.Duplex {
  // Implementation note.
  //
  // Ways to the end. Each step follows if the process still runs PATIENCE_MILLIS after the step
  // before:
  //
  //   close():   close the input --> destroy --> destroy forcibly, also the descendants
  //   release(): (the process has ended) destroy the descendants --> destroy them forcibly
  //
  // release() is needed because a descendant may have inherited the output of the child. Then the
  // reading threads of the child wait for this descendant, and no method of the JDK interrupts a
  // read from a pipe. Descendants that have redirected their output are not touched.
  //
  // Each step notes the descendants first: they can be found only while their parent lives
  // (ProcessHandle.descendants).
  //
  // At the end of the JVM, Children runs the same steps for all processes together.
  //
  // Process.destroy() is not used: it also closes the streams, and closing waits for a writer that
  // a full pipe blocks. ProcessHandle.destroy() only sends the signal.

  /** The time that a process has to end after each step of closing. */
  private static final long PATIENCE_MILLIS = 2_000;

  /**
   * The time from the end of the output of a process to the report of its exit. Another thread
   * makes the report immediately, but a busy machine may run that thread late.
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

  /**
   * Starts a process.
   *
   * @param errors receives the lines of its standard error
   * @throws IOException if the process cannot be started
   */
  static ChildProcess start(ProcessBuilder builder, Consumer<String> errors) throws IOException {
    return Children.ofProcess().start(builder, errors);
  }

  /** Adopts a process that was started elsewhere; see {@link #start}. */
  static ChildProcess adopt(String program, Process process, Consumer<String> errors)
      throws IOException {
    return Children.ofProcess().adopt(program, process, errors);
  }

  private ChildProcess(String command, Process process, Consumer<String> errors) {
    this.command = command;
    this.process = process;
    this.attributes = Attributes.NONE.with(Channel.PROCESS, process.toHandle());
    this.output = new Watched(process.getInputStream());
    this.log = errors instanceof Log kept ? kept : null;
    this.errors = Threads.daemon("repartee-exec-errors", () -> readErrors(errors));
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
   * Passes a line to the consumer and ignores its exceptions: a child blocks if its standard error
   * is not read.
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
    if (!endsWithin(ENDING_MILLIS)) {
      return new IOException("the process '" + command + "' has closed its standard output");
    }
    awaitErrors();
    String last = log == null ? "" : log.last();
    return new IOException("the process '" + command + "' ended with exit code "
        + process.exitValue()
        + (last.isEmpty() ? "" : "; its last output on standard error: " + last));
  }

  /** Waits until the last output on standard error is passed on, which often explains the end. */
  private void awaitErrors() {
    try {
      errors.join(READ_OUT_MILLIS); // another process may hold standard error open
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
    process.toHandle().destroy(); // not Process.destroy(), see above
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
   * its output, and is not terminated. Then closes the streams, which releases the file descriptors
   * even if the descendants were never noted.
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
      // The data in the streams is no longer needed.
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

  /** Writes the lines of standard error to the log, and keeps the last ones. Thread-safe. */
  static final class Log implements Consumer<String> {
    /** The number of characters that are kept. */
    private static final int KEPT = 4_096;

    private final System.Logger logger = System.getLogger(ExecTransport.LOGGER);
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

  /**
   * The child processes that were not released yet. When the JVM shuts down in order, also after a
   * signal, a shutdown hook ends them with the steps of {@link ChildProcess#close}. Otherwise a
   * child that does not read its input would live on, as it does when the JVM is killed. A child
   * that has ended stays in the set until its release: processes that it started may hold its
   * output open, and the daemon thread that ends these processes does not outlive the JVM.
   */
  private static final class Children {
    private static final Pattern SYSTEM =
        Pattern.compile(".*?error[=:] ?-?\\d+,? \\(?(.*?)\\)?\\s*");

    /** The time that other shutdown hooks have to use or close their connections. */
    private static final long GRACE_MILLIS = 500;

    private final Set<ChildProcess> all = ConcurrentHashMap.newKeySet();

    /**
     * Held for reading from the start of a process until it is in the set. The hook acquires it for
     * writing first, to find every process. Without the lock, a signal between the two steps left
     * one running.
     */
    private final ReadWriteLock starting = new ReentrantReadWriteLock();

    /** Whether the hook runs, so that no further process may start. Guarded by {@code starting}. */
    private boolean over;

    private static final class Holder {
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
      return Holder.CHILDREN;
    }

    ChildProcess start(ProcessBuilder builder, Consumer<String> errors) throws IOException {
      String command = builder.command().get(0);
      starting.readLock().lock();
      try {
        if (over) {
          throw new IOException("cannot run '" + command + "': the JVM is shutting down");
        }
        return add(new ChildProcess(command, launch(builder), errors));
      } finally {
        starting.readLock().unlock();
      }
    }

    private static Process launch(ProcessBuilder builder) throws IOException {
      try {
        return builder.start();
      } catch (IOException e) {
        throw new IOException(
            "cannot run '" + builder.command().get(0) + "'"
                + (builder.directory() == null ? "" : " in the folder " + builder.directory())
                + ": " + reason(e)
                + "; give the path of a program, or the name of one that is on the PATH",
            e);
      }
    }

    /**
     * Returns the message of the operating system. The JDK puts the command before it, and its
     * cause adds the number of the error: {@code error=2, No such file or directory}, or {@code
     * Exec failed, error: 2 (No such file or directory)}.
     */
    private static String reason(IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String message = String.valueOf(cause.getMessage());
      Matcher system = SYSTEM.matcher(message);
      return system.matches() ? system.group(1) : message;
    }

    /** Adds a process that was started elsewhere. */
    ChildProcess adopt(String program, Process process, Consumer<String> errors)
        throws IOException {
      starting.readLock().lock();
      try {
        if (over) {
          process.destroyForcibly();
          throw new IOException("'" + program + "' was killed: the JVM is shutting down");
        }
        return add(new ChildProcess(program, process, errors));
      } finally {
        starting.readLock().unlock();
      }
    }

    private ChildProcess add(ChildProcess child) {
      all.add(child);
      return child;
    }

    void remove(ChildProcess child) {
      all.remove(child);
    }

    /** Ends all children with the steps of {@link ChildProcess#close}, in parallel to save time. */
    private void ending() {
      starting.writeLock().lock();
      over = true;
      starting.writeLock().unlock();
      await(GRACE_MILLIS, child -> !child.closing);
      running().forEach(Children::closeInput);
      await(PATIENCE_MILLIS, child -> true);
      running().forEach(ChildProcess::terminate);
      await(PATIENCE_MILLIS, child -> true);
      running().forEach(ChildProcess::abort);
      all.forEach(ChildProcess::terminateHolders);
    }

    private Stream<ChildProcess> running() {
      return all.stream().filter(child -> child.process.isAlive());
    }

    /**
     * Closes the input on a new thread, since closing waits for a writer that a full pipe blocks.
     */
    private static void closeInput(ChildProcess child) {
      Threads.start("repartee-exec-end", child::closeInput);
    }

    private void await(long millis, Predicate<ChildProcess> waitedFor) {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      while (running().anyMatch(waitedFor) && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
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
