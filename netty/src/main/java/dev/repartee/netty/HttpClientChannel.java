package dev.repartee.netty;

import dev.repartee.Channel;
import dev.repartee.ChannelInfo;
import dev.repartee.DisconnectedException;
import dev.repartee.Headers;
import dev.repartee.Options;
import dev.repartee.Output;
import dev.repartee.Receiver;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContentDecompressor;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls over HTTP: every frame is a POST of its own on one of a few connections that are kept, and what
 * is answered to it comes in as a frame. Nothing orders requests that are under way at once. The
 * server cannot call back.
 *
 * <p>A request that fails in HTTP fails its own calls and no others. A call that was given up ends its
 * request within {@link #SWEEP_MILLIS}, from which the server knows. All of it runs on one event loop.
 */
final class HttpClientChannel extends EventLoopChannel {
  /** Requests that are under way at once, and so connections. */
  private static final int CONNECTIONS = 8;

  private static final int SWEEP_MILLIS = 250;

  private final Dialer dialer;
  private final HttpAddress address;
  private final Headers headers;

  // Of the event loop.
  private final Deque<ClientConnection> idle = new ArrayDeque<>();
  private final Set<ClientConnection> busy = new HashSet<>();

  /** With something that the receiver does not take now. */
  private final Queue<ClientConnection> waiting = new ArrayDeque<>();

  private int connecting;
  private @Nullable Receiver receiver;
  private @Nullable ScheduledFuture<?> sweeping;
  private boolean over;
  private boolean told;
  private @Nullable Throwable cause;

  private HttpClientChannel(EventLoop loop, Dialer dialer, Options options) {
    super(
        loop,
        options.limits(),
        OutboundFrames.asked(options.limits().outboundBytes(), dialer.address().authority()),
        new ChannelInfo(dialer.endpoint().scheme(), dialer.address().authority(), "message"));
    this.dialer = dialer;
    this.address = dialer.address();
    this.headers = options.headers();
  }

  /** Connects once, so that an endpoint that is not there is found out now. */
  static Channel connect(Dialer dialer, Options options) throws IOException {
    HttpClientChannel channel =
        new HttpClientChannel(EventLoops.shared().group().next(), dialer, options);
    ClientConnection first = channel.connection();
    ChannelFuture connected = channel.open(first);
    if (!connected.awaitUninterruptibly(dialer.millis())) {
      connected.channel().close();
      throw dialer.late(null);
    }
    if (!connected.isSuccess()) {
      throw dialer.failed(connected.cause());
    }
    channel.onLoop(() -> {
      channel.idle.add(first);
      channel.sweeping = channel.loop.scheduleWithFixedDelay(
          channel::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    });
    return channel;
  }

  private ClientConnection connection() {
    return new ClientConnection(this, address, headers, limits);
  }

  private ChannelFuture open(ClientConnection connection) {
    return dialer.dial(
        loop,
        new HttpClientCodec(limits.headerBytes(), limits.headerBytes(), 8 << 10),
        new HttpContentDecompressor(false, limits.frameBytes()),
        connection);
  }

  // ---------------------------------------------------------------- the channel

  @Override
  public void start(Receiver receiver) {
    onLoop(() -> {
      this.receiver = receiver;
      deliver();
      tellIfOver();
    });
  }

  @Override
  public void resume() {
    onLoop(this::deliver);
  }

  @Override
  public void close() {
    outbound.shut(null);
    onLoop(() -> {
      deliver();
      drain();
      loop.schedule(() -> end(null), limits.closeTimeout().toNanos(), TimeUnit.NANOSECONDS);
    });
  }

  // ---------------------------------------------------------------- requests

  @Override
  void drain() {
    while (!over && busy.size() + connecting < CONNECTIONS) {
      Output frame = outbound.next();
      if (frame == null) {
        break;
      }
      send(frame);
    }
    if (outbound.isFinished() && busy.isEmpty() && connecting == 0) {
      end(null);
    }
  }

  private void send(Output frame) {
    ClientConnection free = idle.pollLast();
    while (free != null && !free.isUsable(System.nanoTime())) {
      free.close();
      free = idle.pollLast();
    }
    if (free != null) {
      busy.add(free);
      free.send(frame);
      return;
    }
    ClientConnection fresh = connection();
    connecting++;
    open(fresh).addListener(done -> {
      connecting--;
      if (done.isSuccess() && !over) {
        busy.add(fresh);
        fresh.send(frame);
      } else {
        fresh.close();
        outbound.left(frame);
        frame.refused(unreachable(done.cause()));
        onLoop(this::drain);
      }
    });
  }

  private DisconnectedException unreachable(@Nullable Throwable cause) {
    if (cause == null) {
      return DisconnectedException.closed(address.authority(), null);
    }
    IOException why = dialer.failed(cause);
    return new DisconnectedException(String.valueOf(why.getMessage()), why);
  }

  // ---------------------------------------------------------------- answers

  /** Takes a frame for the receiver; false if it has to wait. */
  boolean take(byte[] bytes, int from, int to) {
    if (outbound.isShut()) {
      return true; // nobody is told any more
    }
    Receiver receiving = receiver;
    if (receiving == null || !receiving.ready()) {
      return false;
    }
    receiving.frame(bytes, from, to);
    return true;
  }

  /** Something came in on that connection, or its exchange is over. */
  void heard(ClientConnection connection) {
    if (busy.contains(connection) && !waiting.contains(connection) && !settle(connection)) {
      waiting.add(connection);
    }
  }

  private void deliver() {
    for (ClientConnection c = waiting.peek(); c != null && settle(c); c = waiting.peek()) {
      waiting.remove(c);
    }
  }

  /** False if some of what came in has to wait. */
  private boolean settle(ClientConnection connection) {
    if (!connection.settle()) {
      return false;
    }
    if (connection.isOver()) {
      outbound.left(connection.release());
      busy.remove(connection);
      if (connection.isUsable(System.nanoTime())) {
        idle.add(connection);
      }
      drain();
    }
    return true;
  }

  /** The connection is gone. */
  void ended(ClientConnection connection) {
    idle.remove(connection);
  }

  private void sweep() {
    long now = System.nanoTime();
    long longest = limits.drainTimeout().toNanos();
    Set.copyOf(busy).stream().filter(c -> c.isForsaken(now, longest)).forEach(c -> c.close());
    Set.copyOf(idle).stream().filter(c -> !c.isUsable(now)).forEach(c -> c.close());
  }

  // ---------------------------------------------------------------- the end

  @Override
  void end(@Nullable Throwable why) {
    if (!over) {
      over = true;
      cause = why;
      outbound.shut(why);
      if (sweeping != null) {
        sweeping.cancel(false);
      }
      Set.copyOf(busy).forEach(ClientConnection::close);
      Set.copyOf(idle).forEach(ClientConnection::close);
    }
    tellIfOver();
  }

  private void tellIfOver() {
    Receiver to = receiver;
    if (over && !told && to != null) {
      told = true;
      to.closed(cause);
    }
  }
}
