package dev.repartee.netty;

import dev.repartee.transport.ReadingThread;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The event loops of the process, and the kind of their sockets: epoll if its native library is
 * installed, the JDK's selector otherwise. The threads start with the first endpoint. They are
 * daemon threads, so they do not keep the JVM alive.
 *
 * @param group the event loops
 * @param server the class of listening sockets
 * @param client the class of connecting sockets
 */
record EventLoops(
    EventLoopGroup group,
    Class<? extends ServerChannel> server,
    Class<? extends SocketChannel> client) {
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
   * Keeps the event loops busy while the JVM shuts down. The JVM waits up to 300 ms for each thread
   * in a system call, and an idle loop waits in one. A loop that always has a task only polls
   * there, and it still serves the threads that close endpoints.
   */
  private void ending() {
    group.forEach(loop -> loop.execute(() -> pause(loop)));
  }

  private static void pause(EventExecutor loop) {
    LockSupport.parkNanos(PAUSE);
    loop.execute(() -> pause(loop));
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
        group(EpollIoHandler.newFactory()),
        EpollServerSocketChannel.class,
        EpollSocketChannel.class);
  }

  private static EventLoops nio() {
    return new EventLoops(
        group(NioIoHandler.newFactory()), NioServerSocketChannel.class, NioSocketChannel.class);
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
