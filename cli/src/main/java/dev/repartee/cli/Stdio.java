package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * The streams of the process. JSON is UTF-8 whatever the locale says, so none of them is
 * {@code System.out} or {@code System.err}.
 *
 * @param in standard input
 * @param out standard output, unbuffered
 * @param err standard error, flushed at every line
 * @param terminal whether somebody looks at {@code out}, so that layout and colour help
 * @param errTerminal whether somebody looks at {@code err}, so that a line may be written over
 */
record Stdio(
    InputStream in, OutputStream out, PrintStream err, boolean terminal, boolean errTerminal) {
  static Stdio ofProcess() {
    return new Stdio(
        System.in,
        new FileOutputStream(FileDescriptor.out),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8),
        Terminal.isStandardOutput(),
        Terminal.isStandardError());
  }

  /** Writes a result: laid out for a reader, as it came for a program. */
  void result(Json result) {
    line(terminal ? Layout.INDENTED.text(result).getBytes(UTF_8) : result.toBytes());
  }

  /** Writes a text as it is, and a line end. */
  void line(byte[] text) {
    try {
      OutputStream buffered = new BufferedOutputStream(out);
      buffered.write(text);
      buffered.write('\n');
      buffered.flush();
    } catch (IOException e) {
      if (!isBrokenPipe(e)) {
        throw new Failure(
            Exit.LOST,
            "the result cannot be written to standard output (" + Failure.reason(e) + ")");
      }
    }
  }

  /** Whether the reader simply had enough, as {@code head} has: no reason to complain. */
  private static boolean isBrokenPipe(IOException e) {
    return Failure.reason(e).contains("Broken pipe");
  }

  /** Says a sentence on standard error. */
  void say(String sentence) {
    err.println("repartee: " + sentence.strip().replaceAll("\\s*\\R\\s*", " "));
  }
}
