package dev.repartee.internal;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Map;

/**
 * TCP keep-alive: the system probes a connection on which nothing has arrived for {@value #IDLE} s,
 * and ends it after {@value #COUNT} probes without an answer, {@value #INTERVAL} s apart. Two
 * minutes are enough to detect a peer that has vanished without closing the connection; the
 * defaults of most systems need two hours.
 */
public final class KeepAlive {
  /** The seconds of silence before the first probe. */
  public static final int IDLE = 60;

  /** The seconds between two probes. */
  public static final int INTERVAL = 15;

  /** The probes without an answer after which the connection ends. */
  public static final int COUNT = 4;

  /**
   * The options that set the times, by name: their constants are in the optional module jdk.net.
   */
  private static final Map<String, Integer> TIMES =
      Map.of("TCP_KEEPIDLE", IDLE, "TCP_KEEPINTERVAL", INTERVAL, "TCP_KEEPCOUNT", COUNT);

  private KeepAlive() {}

  /**
   * Sets keep-alive on a connected TCP socket. A system that cannot change the times keeps its own.
   */
  public static void on(SocketChannel socket) throws IOException {
    socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    for (SocketOption<?> option : socket.supportedOptions()) {
      Integer time = TIMES.get(option.name());
      if (time != null && option.type() == Integer.class) {
        @SuppressWarnings("unchecked") // type() is Integer.class
        SocketOption<Integer> seconds = (SocketOption<Integer>) option;
        socket.setOption(seconds, time);
      }
    }
  }
}
