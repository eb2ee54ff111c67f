package dev.repartee.cli;

import dev.repartee.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The lines of a stream, byte for byte, each as soon as it is there. */
final class Lines {
  private final InputStream in;
  private int number;

  /** The stream is best buffered. */
  Lines(InputStream in) {
    this.in = in;
  }

  /**
   * The next line without its end, or null behind the last.
   *
   * @throws Failure if it is longer than a message may be
   */
  byte @Nullable [] next() throws IOException {
    number++;
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int c = in.read();
    if (c < 0) {
      return null;
    }
    for (; c >= 0 && c != '\n'; c = in.read()) {
      line.write(c);
      if (line.size() == Limits.DEFAULT.frameBytes()) {
        throw Failure.usage("line " + number + " holds " + line.size()
            + " bytes or more, which no message may; send less");
      }
    }
    return line.toByteArray();
  }

  /** The number of the line that was read last, the first being 1. */
  int number() {
    return number;
  }
}
