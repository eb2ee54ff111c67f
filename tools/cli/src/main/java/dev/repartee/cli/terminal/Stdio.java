package dev.repartee.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.JsonLayout;
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
 * The standard streams of the process; all output of a command is written here. JSON is UTF-8 in
 * every locale; therefore {@code System.out} and {@code System.err} are not used.
 *
 * <p>The methods that write to standard output return false if its reader has closed it, as {@code
 * head} does.
 *
 * <p>Text from a peer reaches a terminal only through {@link Visible}. A program that reads
 * standard output receives JSON byte for byte.
 */
public final class Stdio {
  private final InputStream in;
  private final OutputStream out;
  private final PrintStream err;
  private final boolean terminal;
  private final boolean errTerminal;
  private final boolean inTerminal;
  private final Progress progress = new Progress(this);

  /**
   * Uses the given streams; standard input is not a terminal.
   *
   * @param in standard input
   * @param out standard output, unbuffered
   * @param err standard error, flushed at every line
   * @param terminal whether {@code out} is a terminal, where layout and colour help
   * @param errTerminal whether {@code err} is a terminal, where a line can be overwritten
   */
  public Stdio(
      InputStream in, OutputStream out, PrintStream err, boolean terminal, boolean errTerminal) {
    this(in, out, err, terminal, errTerminal, false);
  }

  /**
   * Uses the given streams.
   *
   * @param inTerminal whether {@code in} is a terminal, where a person can answer questions
   */
  public Stdio(
      InputStream in,
      OutputStream out,
      PrintStream err,
      boolean terminal,
      boolean errTerminal,
      boolean inTerminal) {
    this.in = in;
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.errTerminal = errTerminal;
    this.inTerminal = inTerminal;
  }

  /** Returns the streams of this process. */
  public static Stdio ofProcess() {
    return new Stdio(
        System.in,
        new FileOutputStream(FileDescriptor.out),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8),
        Terminal.isTerminal(1),
        Terminal.isTerminal(2),
        Terminal.isTerminal(0));
  }

  /** Returns standard input. */
  public InputStream in() {
    return in;
  }

  /** Returns the line on standard error that shows progress; all other output ends it. */
  public Progress progress() {
    return progress;
  }

  /** Returns whether standard output is a terminal. */
  public boolean terminal() {
    return terminal;
  }

  /** Returns whether standard error is a terminal. */
  boolean errTerminal() {
    return errTerminal;
  }

  /** Returns whether a person reads standard error and types at standard input. */
  public boolean isInteractive() {
    return inTerminal && errTerminal;
  }

  /** Returns the columns for a line of standard output, without a limit if it is not a terminal. */
  public int width() {
    return terminal ? Terminal.width() : Integer.MAX_VALUE;
  }

  /** Returns the writer of help texts to standard output; they may be in colour. */
  public PrintWriter help() {
    return new PrintWriter(new OutputStreamWriter(out, UTF_8), true);
  }

  /** Writes a result to standard output: indented on a terminal, otherwise byte for byte. */
  public boolean result(Json result) {
    return line(terminal ? JsonLayout.INDENTED.text(result).getBytes(UTF_8) : result.toBytes());
  }

  /** Writes an item of a stream to standard output on one line, even on a terminal. */
  public boolean item(Json item) {
    return line(JsonLayout.ONE_LINE.text(item).getBytes(UTF_8));
  }

  /** Writes a text and a line end to standard output; byte for byte except on a terminal. */
  public boolean line(byte[] text) {
    return written(shown(text), true);
  }

  /** Writes bytes to standard output, without a line end; a text on a terminal becomes visible. */
  public boolean bytes(byte[] bytes) {
    return written(shown(bytes), false);
  }

  private byte[] shown(byte[] text) {
    return terminal ? Visible.escaped(new String(text, UTF_8)).getBytes(UTF_8) : text;
  }

  private boolean written(byte[] bytes, boolean endsLine) {
    progress.end();
    try {
      OutputStream buffered = new BufferedOutputStream(out);
      buffered.write(bytes);
      if (endsLine) {
        buffered.write('\n');
      }
      buffered.flush();
      return true;
    } catch (IOException e) {
      if (isBrokenPipe(e)) {
        return false;
      }
      throw Failure.lost(
          "the result cannot be written to standard output (" + Failure.reason(e) + ")");
    }
  }

  private static boolean isBrokenPipe(IOException e) {
    return Failure.reason(e).contains("Broken pipe");
  }

  /** Writes a text for people, of several lines; control characters are escaped in any case. */
  public boolean text(String text) {
    return line(Visible.escaped(text).getBytes(UTF_8));
  }

  /** Writes a table, unless it is empty. */
  public void table(Table table) {
    if (!table.isEmpty()) {
      text(table.text(width()));
    }
  }

  /** Writes a sentence to standard error, with the prefix {@code repartee: }. */
  public void say(String sentence) {
    note("repartee: " + sentence);
  }

  /** Writes a line to standard error; control characters become question marks. */
  public void note(String line) {
    progress.end();
    err.println(Visible.sentence(line));
  }

  /** Writes a prefix and JSON from the peer to standard error, on one line. */
  public void note(String words, Json json) {
    String line = words + JsonLayout.ONE_LINE.text(json);
    progress.end();
    err.println(errTerminal ? Visible.escaped(line) : line);
  }

  /** Writes a text of several lines to standard error; control characters are escaped. */
  public void explain(String text) {
    progress.end();
    err.println(Visible.escaped(text));
  }

  /** Writes a question to standard error, on one line; the answer follows it on the line. */
  public void ask(String question) {
    progress.end();
    err.print(Visible.sentence(question) + " ");
    err.flush();
  }

  /** Overwrites the current line of the terminal from its start. */
  void overwrite(String line) {
    err.print("\r" + line);
    err.flush();
  }

  /** Writes a text with control sequences to the terminal of standard error. */
  void raw(String text) {
    err.print(text);
    err.flush();
  }

  /** Ends the current line of the terminal. */
  void endLine() {
    err.println();
  }
}
