package dev.repartee.ssh;

import dev.repartee.internal.Visible;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The destination of the standard error of a remote command: forwards it line by line, without
 * control characters and invisible characters, since the other machine must not control the
 * terminal of this one.
 */
final class ErrorLines extends OutputStream {
  /** The greatest number of bytes of a line; longer lines are split. */
  private static final int LINE = 8_192;

  private final Consumer<String> lines;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  ErrorLines(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  public synchronized void write(int b) {
    if (b == '\n' || line.size() == LINE) {
      pass();
    }
    if (b != '\n' && b != '\r') {
      line.write(b);
    }
  }

  private void pass() {
    String text = line.toString(StandardCharsets.UTF_8);
    line.reset();
    lines.accept(Visible.replaced(text, '?'));
  }

  /** Forwards the last line, even without a line end. */
  @Override
  public synchronized void close() {
    if (line.size() > 0) {
      pass();
    }
  }
}
