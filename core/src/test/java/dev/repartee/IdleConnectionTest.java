package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory of an idle connection that has made its calls. */
class IdleConnectionTest {
  private static final int CONNECTIONS = 1_000;
  private static final int ATTEMPTS = 10;

  /** The limit for both ends together: each keeps less than 2 KiB, which the benchmarks measure. */
  private static final long BOUND = 4 << 10;

  /** So large that a retained buffer of this size would be noticed. */
  private static final String WORDS = "word ".repeat(600);

  public static final class Methods {
    @Rpc(lane = Lane.INLINE)
    public int inline(String words) {
      return words.length();
    }

    @Rpc
    public String concurrent(String words) {
      return words;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"inline", "concurrent"})
  void holdsLittleHeapOnceEverythingWasAnswered(String method) throws IOException {
    byte[] call = """
        {"jsonrpc":"2.0","method":"%s","params":["%s"],"id":1}
        """.formatted(method, WORDS).getBytes(UTF_8);
    List<SocketChannel> sockets = new ArrayList<>();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Methods()))) {
      int port = server.port();
      sockets.add(called(port, call)); // allocate everything that is allocated only once
      long before = heap(0);
      for (int i = 0; i < CONNECTIONS; i++) {
        sockets.add(called(port, call));
      }
      long most = before + CONNECTIONS * BOUND;
      assertThat(heap(most)).isLessThan(most);
    } finally {
      for (SocketChannel socket : sockets) {
        socket.close();
      }
    }
  }

  private static SocketChannel called(int port, byte[] call) throws IOException {
    SocketChannel socket = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
    ByteBuffer out = ByteBuffer.wrap(call);
    while (out.hasRemaining()) {
      socket.write(out);
    }
    ByteBuffer in = ByteBuffer.allocate(2 * call.length);
    do {
      assertThat(socket.read(in)).isPositive();
    } while (in.get(in.position() - 1) != '\n');
    return socket;
  }

  /**
   * Returns the size of the reachable heap: the least of several measurements, the last of which is
   * below {@code enough} if any is.
   */
  private static long heap(long enough) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS && least >= enough; i++) {
      System.gc();
      least = Math.min(
          least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
