package dev.repartee.cli.terminal;

import dev.repartee.limits.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a stream as bytes, each as soon as it has arrived. */
public final class Lines {
  /** The maximum number of bytes that {@link #discard} drops. A terminal buffers some kilobytes. */
  private static final int MOST_DISCARDED = 1 << 20;

  private final InputStream in;
  private int number;

  /** Reads from a stream, which should be buffered: it is read byte by byte. */
  public Lines(InputStream in) {
    this.in = in;
  }

  /** Returns the next line without its line feed, or null at the end of the stream. */
  public byte @Nullable [] next() throws IOException {
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
            + " bytes or more, too much for a message; send less");
      }
    }
    return line.toByteArray();
  }

  /**
   * Drops all input that has arrived. A terminal keeps an unfinished line, and the user sees the
   * next output before finishing it.
   *
   * @throws IOException if the input does not pause within {@link #MOST_DISCARDED} bytes
   */
  public void discard() throws IOException {
    int dropped = 0;
    for (int ready = in.available(); ready > 0; ready = in.available()) {
      dropped += in.readNBytes(Math.min(ready, MOST_DISCARDED)).length;
      if (dropped >= MOST_DISCARDED) {
        throw new IOException("the input does not pause");
      }
    }
  }

  /** Returns the number of the line that was read last; the first line is 1. */
  public int number() {
    return number;
  }
}
