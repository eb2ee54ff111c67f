package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.Stdio;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/** Standard streams in memory, for a command that runs in the process of the test. */
final class Captured {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final String in;

  Captured(String in) {
    this.in = in;
  }

  /** Runs the command with this standard input. */
  static Outcome run(String in, String... words) {
    Captured captured = new Captured(in);
    return new Outcome(Main.run(captured.stdio(), words), captured.out(), captured.err());
  }

  Stdio stdio() {
    return stdio(false);
  }

  Stdio stdio(boolean terminal) {
    return stdio(out, terminal);
  }

  /** Returns these streams with another standard output. */
  Stdio writingTo(OutputStream other) {
    return stdio(other, false);
  }

  private Stdio stdio(OutputStream to, boolean terminal) {
    return new Stdio(
        new ByteArrayInputStream(in.getBytes(UTF_8)),
        to,
        new PrintStream(err, true, UTF_8),
        terminal,
        terminal);
  }

  String out() {
    return out.toString(UTF_8);
  }

  String err() {
    return err.toString(UTF_8);
  }
}
