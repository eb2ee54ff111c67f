package dev.repartee;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
    Child child = new Child(words.get(0), start(words));
    child.passErrors(errors);
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

  private static final class Child implements StreamChannel.Duplex {
    /** What a process has to end by itself, and then after it was asked to. */
    private static final long PATIENCE_SECONDS = 2;

    /** A line of its standard error that is longer is passed on in parts of that many characters. */
    private static final int LINE = 8_192;

    private final String command;
    private final Process process;

    Child(String command, Process process) {
      this.command = command;
      this.process = process;
    }

    void passErrors(Consumer<String> errors) {
      Thread reader = new Thread(() -> readErrors(errors), "repartee-exec-errors");
      reader.setDaemon(true);
      reader.start();
    }

    private void readErrors(Consumer<String> errors) {
      try (BufferedReader lines = new BufferedReader(
          new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
        StringBuilder line = new StringBuilder();
        for (int c = lines.read(); c >= 0; c = lines.read()) {
          if (c == '\n' || line.length() == LINE) {
            errors.accept(line.toString());
            line.setLength(0);
          }
          if (c != '\n' && c != '\r') {
            line.append((char) c);
          }
        }
        if (line.length() > 0) {
          errors.accept(line.toString());
        }
      } catch (IOException e) {
        // It has ended, and so has what it had to say.
      }
    }

    @Override
    public InputStream input() {
      return process.getInputStream();
    }

    @Override
    public OutputStream output() {
      return process.getOutputStream();
    }

    @Override
    public @Nullable IOException ending() {
      return endsWithin(1)
          ? new IOException(
              "the process '" + command + "' ended with exit code " + process.exitValue())
          : new IOException("the process '" + command + "' has closed its standard output");
    }

    @Override
    public void close() {
      try {
        process.getOutputStream().close();
      } catch (IOException e) {
        // It has gone before, which is what we are after.
      }
      if (!endsWithin(PATIENCE_SECONDS)) {
        process.destroy();
        if (!endsWithin(PATIENCE_SECONDS)) {
          abort();
          endsWithin(PATIENCE_SECONDS);
        }
      }
    }

    @Override
    public void abort() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }

    private boolean endsWithin(long seconds) {
      try {
        return process.waitFor(seconds, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
