package dev.repartee.ssh;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The output of an SSH channel. It remembers that it was closed: a channel whose input is closed
 * before its output ends at once, and one whose output is closed first ends in order.
 */
final class ChannelOutput extends FilterOutputStream {
  private volatile boolean closed;

  ChannelOutput(OutputStream out) {
    super(out);
  }

  boolean isClosed() {
    return closed;
  }

  /** Writes all bytes at once; the inherited method writes single bytes. */
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
