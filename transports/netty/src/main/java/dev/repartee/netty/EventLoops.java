package dev.repartee.netty;

import dev.repartee.transport.ReadingThread;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.net.SocketOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The event loops of the process, and the kind of their sockets: epoll if its native library is
 * installed, the JDK's selector otherwise. The threads start with the first endpoint. They are
 * daemon threads and do not keep the JVM alive.
 *
 * @param group the event loops
 * @param server the class of listening sockets
 * @param client the class of connecting sockets
 * @param keepAlive the options for the times of TCP keep-alive, in seconds and probes, as far as
 *     the system has them
 */
record EventLoops(
    EventLoopGroup group,
    Class<? extends ServerChannel> server,
    Class<? extends SocketChannel> client,
    Map<ChannelOption<Integer>, Integer> keepAlive) {
  /** The seconds of silence on a connection before the system sends a probe. */
  private static final int KEEP_ALIVE_IDLE = 60;

  /** The seconds between two probes. */
  private static final int KEEP_ALIVE_INTERVAL = 15;

  /** The probes without an answer after which the system ends the connection. */
  private static final int KEEP_ALIVE_COUNT = 4;

  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  private static final class Shared {
    static final EventLoops INSTANCE = hasEpoll() ? epoll() : nio();

    static {
      try {
        Runtime.getRuntime()
            .addShutdownHook(new java.lang.Thread(INSTANCE::ending, "repartee-http-ending"));
      } catch (IllegalStateException late) {
        // The JVM is shutting down already.
      }
    }
  }

  /** Returns the event loops of this process. */
  static EventLoops shared() {
    return Shared.INSTANCE;
  }

  /**
   * Turns TCP keep-alive on for a connected socket: a peer that has vanished silently is noticed
   * after two minutes.
   */
  void keepAlive(Channel socket) {
    socket.config().setOption(ChannelOption.SO_KEEPALIVE, true);
    keepAlive.forEach(socket.config()::setOption);
  }

  /**
   * Keeps the event loops busy while the JVM shuts down. The JVM waits up to 300 ms for each thread
   * in a system call, and an idle loop waits in one. A loop that always has a task does not wait in
   * the system call, and still serves the threads that close endpoints.
   */
  private void ending() {
    group.forEach(loop -> pauseAfterIteration((SingleThreadEventLoop) loop));
  }

  /**
   * Pauses once in each iteration. A task that adds itself again would delay input and scheduled
   * tasks, since a loop runs up to 64 tasks before it looks at the time.
   */
  private static void pauseAfterIteration(SingleThreadEventLoop loop) {
    loop.executeAfterEventLoopIteration(() -> {
      LockSupport.parkNanos(PAUSE);
      loop.execute(() -> pauseAfterIteration(loop));
    });
  }

  private static boolean hasEpoll() {
    try {
      return Epoll.isAvailable();
    } catch (LinkageError e) {
      return false; // not installed
    }
  }

  private static EventLoops epoll() {
    return new EventLoops(
        group(EpollLoop.factory()),
        EpollServerSocketChannel.class,
        EpollSocketChannel.class,
        Map.of(
            EpollChannelOption.TCP_KEEPIDLE, KEEP_ALIVE_IDLE,
            EpollChannelOption.TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL,
            EpollChannelOption.TCP_KEEPCNT, KEEP_ALIVE_COUNT));
  }

  private static EventLoops nio() {
    return new EventLoops(
        group(NioIoHandler.newFactory()),
        NioServerSocketChannel.class,
        NioSocketChannel.class,
        nioKeepAlive());
  }

  /** Finds the options by their names: their constants are in the optional module jdk.net. */
  private static Map<ChannelOption<Integer>, Integer> nioKeepAlive() {
    Map<String, Integer> times = Map.of(
        "TCP_KEEPIDLE", KEEP_ALIVE_IDLE,
        "TCP_KEEPINTERVAL", KEEP_ALIVE_INTERVAL,
        "TCP_KEEPCOUNT", KEEP_ALIVE_COUNT);
    Map<ChannelOption<Integer>, Integer> options = new HashMap<>();
    try (java.nio.channels.SocketChannel any = java.nio.channels.SocketChannel.open()) {
      for (SocketOption<?> option : any.supportedOptions()) {
        Integer time = times.get(option.name());
        if (time != null && option.type() == Integer.class) {
          @SuppressWarnings("unchecked") // type() says so
          SocketOption<Integer> seconds = (SocketOption<Integer>) option;
          options.put(NioChannelOption.of(seconds), time);
        }
      }
    } catch (IOException e) {
      // The system keeps its own times.
    }
    return options;
  }

  private static EventLoopGroup group(IoHandlerFactory io) {
    AtomicInteger count = new AtomicInteger();
    ThreadFactory threads = task -> new Thread("repartee-http-" + count.incrementAndGet(), task);
    return new MultiThreadIoEventLoopGroup(Runtime.getRuntime().availableProcessors(), threads, io);
  }

  /**
   * A thread of an event loop. It never waits for input, because it would have to read that input
   * itself.
   */
  private static final class Thread extends FastThreadLocalThread implements ReadingThread {
    Thread(String name, Runnable task) {
      super(task, name);
      setDaemon(true);
    }
  }
}
