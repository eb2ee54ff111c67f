package dev.repartee.ssh;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The output of an SSH channel. It records that it was closed: if the input of a channel is closed
 * before its output, the channel ends immediately; if the output is closed first, it ends normally.
 */
final class ChannelOutput extends FilterOutputStream {
  private volatile boolean closed;

  ChannelOutput(OutputStream out) {
    super(out);
  }

  boolean isClosed() {
    return closed;
  }

  /** Writes all bytes in one call; the inherited method writes single bytes. */
  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    out.write(bytes, from, count);
  }

  @Override
  public void close() throws IOException {
    closed = true;
    out.close();
  }
}
