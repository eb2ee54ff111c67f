package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;

/**
 * The streams of the process, and all that is written to them. JSON is UTF-8 whatever the locale says,
 * so none of them is {@code System.out} or {@code System.err}.
 *
 * <p>Text of a peer reaches a terminal by {@link Visible} only. A program that reads standard output
 * gets JSON byte for byte.
 */
final class Stdio {
  private final InputStream in;
  private final OutputStream out;
  private final PrintStream err;
  private final boolean terminal;
  private final boolean errTerminal;

  /**
   * Takes the streams.
   *
   * @param in standard input
   * @param out standard output, unbuffered
   * @param err standard error, flushed at every line
   * @param terminal whether {@code out} is a terminal, so that layout and colour help
   * @param errTerminal whether {@code err} is a terminal, so that a line may be written over
   */
  Stdio(InputStream in, OutputStream out, PrintStream err, boolean terminal, boolean errTerminal) {
    this.in = in;
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.errTerminal = errTerminal;
  }

  static Stdio ofProcess() {
    return new Stdio(
        System.in,
        new FileOutputStream(FileDescriptor.out),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8),
        Terminal.isStandardOutput(),
        Terminal.isStandardError());
  }

  InputStream in() {
    return in;
  }

  /** Whether standard output is a terminal. */
  boolean terminal() {
    return terminal;
  }

  /** Whether standard error is a terminal. */
  boolean errTerminal() {
    return errTerminal;
  }

  /** Returns the writer of help texts to standard output; they may be in colour. */
  PrintWriter help() {
    return new PrintWriter(new OutputStreamWriter(out, UTF_8), true);
  }

  /**
   * Writes a result: laid out on a terminal, as it came for a program.
   *
   * @return whether standard output is still read
   */
  boolean result(Json result) {
    return line(terminal ? Layout.INDENTED.text(result).getBytes(UTF_8) : result.toBytes());
  }

  /**
   * Writes a text and a line end, the text byte for byte unless this is a terminal.
   *
   * @return whether standard output is still read; {@code head} ends when it has enough
   */
  boolean line(byte[] text) {
    byte[] shown = terminal ? Visible.escaped(new String(text, UTF_8)).getBytes(UTF_8) : text;
    try {
      OutputStream buffered = new BufferedOutputStream(out);
      buffered.write(shown);
      buffered.write('\n');
      buffered.flush();
      return true;
    } catch (IOException e) {
      if (isBrokenPipe(e)) {
        return false;
      }
      throw new Failure(
          Exit.LOST, "the result cannot be written to standard output (" + Failure.reason(e) + ")");
    }
  }

  private static boolean isBrokenPipe(IOException e) {
    return Failure.reason(e).contains("Broken pipe");
  }

  /** Writes a text of several lines that is for people, wherever it goes. */
  void text(String text) {
    line(Visible.escaped(text).getBytes(UTF_8));
  }

  /** Says a sentence on standard error. */
  void say(String sentence) {
    note("repartee: " + sentence);
  }

  /** Writes a line of our own to standard error. */
  void note(String line) {
    err.println(Visible.sentence(line));
  }

  /** Writes words of our own and JSON of the peer, on one line, to standard error. */
  void note(String words, Json json) {
    String line = words + Layout.ONE_LINE.text(json);
    err.println(errTerminal ? Visible.escaped(line) : line);
  }

  /** Writes to the line of the terminal where the cursor is, from its beginning. */
  void overwrite(String line) {
    err.print("\r" + line);
    err.flush();
  }

  /** Ends the line that was written over. */
  void endLine() {
    err.println();
  }
}
