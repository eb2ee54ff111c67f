package dev.repartee;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Accepts the connections of one server socket, TCP or Unix, for all {@link Loops}. */
final class ListeningSocket implements Transport.Listening, Loop.Ready, Loop.Watched {
  /** Connections to accept before other sockets get their turn. */
  private static final int BURST = 64;

  /** A loop that takes longer is stuck in code of the user. */
  private static final long GONE_SECONDS = 2;

  private final Loop loop = Loops.ofProcess().first();
  private final ServerSocketChannel server;
  private final Endpoint endpoint;
  private final SocketMode mode;
  private final Function<SocketChannel, ChannelInfo> naming;
  private final Transport.Acceptor acceptor;
  private final Runnable cleanUp;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();

  // Of the loop.
  private @Nullable SelectionKey key;

  ListeningSocket(
      ServerSocketChannel server,
      Endpoint endpoint,
      SocketMode mode,
      Function<SocketChannel, ChannelInfo> naming,
      Transport.Acceptor acceptor,
      Runnable cleanUp) {
    this.server = server;
    this.endpoint = endpoint;
    this.mode = mode;
    this.naming = naming;
    this.acceptor = acceptor;
    this.cleanUp = cleanUp;
  }

  /** Starts to accept. */
  ListeningSocket start() throws IOException {
    server.configureBlocking(false);
    loop.execute(this::register);
    return this;
  }

  private void register() {
    try {
      key = loop.register(server, SelectionKey.OP_ACCEPT, this);
    } catch (IOException e) {
      close(); // closed before it began
    }
  }

  @Override
  public void ready(int operations) throws IOException {
    for (int i = 0; i < BURST; i++) {
      SocketChannel socket = server.accept();
      if (socket == null) {
        return;
      }
      if (open.get() >= mode.limits().connections()) {
        socket.close();
      } else {
        accept(socket);
      }
    }
  }

  private void accept(SocketChannel socket) throws IOException {
    LoopChannel channel;
    try {
      ChannelInfo info = naming.apply(socket);
      channel = LoopChannel.accepted(socket, info, mode, open::decrementAndGet);
    } catch (IOException | RuntimeException e) {
      socket.close(); // it was gone before we had it
      return;
    }
    open.incrementAndGet();
    channel.loop().execute(() -> handOver(channel));
  }

  /** On the channel's own loop, so that nothing comes in before the acceptor is done with it. */
  private void handOver(Channel channel) {
    try {
      acceptor.accept(channel);
    } catch (RuntimeException | Error e) {
      channel.abort(e);
    }
  }

  /**
   * Pauses: what makes accepting fail, most of all too many open files, lasts, and the connections
   * wait in the backlog.
   */
  @Override
  public void failed(Throwable cause) {
    SelectionKey registered = key;
    if (registered != null && registered.isValid()) {
      registered.interestOps(0);
      loop.watch(this);
    }
  }

  @Override
  public boolean sweep(long now) {
    SelectionKey registered = key;
    if (registered != null && registered.isValid()) {
      registered.interestOps(SelectionKey.OP_ACCEPT);
    }
    return false;
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      cleanUp.run(); // first, as a name in the file system must not be removed from a successor
      try {
        server.close();
      } catch (IOException e) {
        // It accepts nothing more all the same.
      }
    }
    awaitGone();
  }

  /** The socket accepts, and its port is in use, until the selector has let go of it. */
  private void awaitGone() {
    CountDownLatch gone = new CountDownLatch(1);
    loop.execute(() -> {
      try {
        loop.letGo();
      } catch (IOException e) {
        // The loop selects again, and lets go then.
      }
      gone.countDown();
    });
    if (!ReadingThread.isCurrent()) {
      try {
        gone.await(GONE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
