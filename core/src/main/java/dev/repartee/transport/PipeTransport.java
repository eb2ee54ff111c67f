package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The transport {@code pipe:IN,OUT}: this side reads the first FIFO and writes the second one. */
final class PipeTransport implements Transport {
  private static final int FIFO = 0010000;
  private static final int TYPE = 0170000;

  @Override
  public Set<String> schemes() {
    return Set.of("pipe");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    return open(endpoint, limits, Framing.LINES);
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    acceptor.accept(open(endpoint, limits, Framing.AUTO));
    return new StdioTransport.Single(endpoint);
  }

  private static Channel open(Endpoint endpoint, Limits limits, Framing otherwise)
      throws IOException {
    String[] names = endpoint.address().split(",", -1);
    if (names.length != 2 || names[0].isEmpty() || names[1].isEmpty()) {
      throw new IllegalArgumentException(
          "'" + endpoint + "' must name two FIFOs, the one to read first: pipe:IN,OUT");
    }
    Fifos fifos = new Fifos(fifo(endpoint, names[0]), fifo(endpoint, names[1]));
    Framing framing = endpoint.framing(otherwise);
    ChannelInfo info = new ChannelInfo("pipe", endpoint.address(), "");
    return new StreamChannel(info, framing, limits, fifos);
  }

  private static Path fifo(Endpoint endpoint, String name) throws IOException {
    Path path = Path.of(name);
    int mode;
    try {
      mode = (int) Files.getAttribute(path, "unix:mode");
    } catch (NoSuchFileException e) {
      mode = 0;
    }
    if ((mode & TYPE) != FIFO) {
      throw new IOException("cannot open " + endpoint.bare() + ": '" + name
          + "' is not a FIFO; make it with: mkfifo " + name);
    }
    return path;
  }

  /**
   * The two FIFOs of a connection. Opening a FIFO blocks until the other side opens it too. To
   * unblock such a thread, {@link #closing} opens the FIFO for reading and writing, which never
   * blocks on Linux.
   *
   * <p>This object guards {@code opening}, {@code open} and {@code ended}; no FIFO is opened for
   * one way under the lock.
   */
  private static final class Fifos implements StreamChannel.Duplex {
    private static final long UNBLOCK_MILLIS = 2_000;

    private final Path in;
    private final Path out;
    private final List<Path> opening = new ArrayList<>();
    private final List<FileChannel> open = new ArrayList<>();
    private boolean ended;

    Fifos(Path in, Path out) {
      this.in = in;
      this.out = out;
    }

    @Override
    public InputStream input() throws IOException {
      return Channels.newInputStream(open(in, StandardOpenOption.READ));
    }

    @Override
    public OutputStream output() throws IOException {
      return Channels.newOutputStream(open(out, StandardOpenOption.WRITE));
    }

    private FileChannel open(Path path, OpenOption way) throws IOException {
      synchronized (this) {
        if (ended) {
          throw new ClosedChannelException();
        }
        opening.add(path);
      }
      FileChannel channel = null;
      try {
        channel = FileChannel.open(path, way);
      } finally {
        opened(path, channel);
      }
      return channel;
    }

    private synchronized void opened(Path path, @Nullable FileChannel channel) throws IOException {
      opening.remove(path);
      notifyAll();
      if (channel != null && ended) {
        channel.close();
        throw new ClosedChannelException();
      }
      if (channel != null) {
        open.add(channel);
      }
    }

    @Override
    public synchronized void closing() {
      ended = true;
      List<FileChannel> keys = new ArrayList<>();
      for (Path path : opening) {
        try {
          keys.add(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
        } catch (IOException e) {
          // The FIFO was removed. A thread that opens it blocks for ever, but is a daemon thread.
        }
      }
      awaitOpened();
      keys.forEach(Fifos::close);
    }

    private void awaitOpened() {
      long deadline = System.nanoTime() + UNBLOCK_MILLIS * 1_000_000;
      while (!opening.isEmpty() && deadline - System.nanoTime() > 0) {
        try {
          wait(100);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }

    private static void close(FileChannel channel) {
      try {
        channel.close();
      } catch (IOException e) {
        // The connection has ended: no data is lost.
      }
    }

    @Override
    public synchronized void close() {
      closing();
      open.forEach(Fifos::close);
      open.clear();
    }

    @Override
    public void abort() {
      close();
    }
  }
}
