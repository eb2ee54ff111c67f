package dev.repartee.netty;

import dev.repartee.Channel;
import dev.repartee.ChannelInfo;
import dev.repartee.DisconnectedException;
import dev.repartee.Headers;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Output;
import dev.repartee.Receiver;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Calls over HTTP: every frame is a POST of its own on one of a few connections that are kept, and what
 * is answered to it comes in as a frame. Nothing orders requests that are under way at once. The
 * server calls back only inside the answer to a call, as a stream of events: each of our replies is a
 * POST of its own then. While more than {@code outboundBytes} of replies wait, no stream is read; and
 * the answer to a reply is not taken in, so replies cause no further replies.
 *
 * <p>A request that fails in HTTP fails its own calls and no others. A call that was given up ends its
 * request at once, which cancels the call at the server; if the request has not left, it never does.
 * All of it runs on one event loop.
 */
final class HttpClientChannel extends EventLoopChannel {
  /**
   * Requests that are under way at once, and so connections. Requests that are {@linkplain
   * ClientConnection#isSlow slow} are not counted, so that answers that never end do not block others.
   */
  private static final int CONNECTIONS = 8;

  /** The same with slow requests counted. */
  private static final int MOST_CONNECTIONS = 64;

  private static final int SWEEP_MILLIS = 250;

  private final Dialer dialer;
  private final HttpAddress address;
  private final Headers headers;
  private final Listener listener;
  private final AtomicBoolean ending = new AtomicBoolean();

  // Of the event loop.
  private final Deque<ClientConnection> idle = new ArrayDeque<>();
  private final Set<ClientConnection> busy = new HashSet<>();

  /** With something that the receiver does not take now. */
  private final Queue<ClientConnection> waiting = new ArrayDeque<>();

  private final Set<Future<?>> connecting = new HashSet<>();
  private @Nullable Receiver receiver;
  private @Nullable ScheduledFuture<?> sweeping;
  private boolean over;
  private boolean told;

  /**
   * Whether calls and notifications were marked as such, as those of a peer are: then all other frames are
   * replies. Who uses a channel without a peer need not mark any.
   */
  private boolean marked;

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
    this.listener = options.listener();
  }

  /** Connects once, so that an endpoint that is not there is found out now. */
  static Channel connect(Dialer dialer, Options options) throws IOException {
    HttpClientChannel channel =
        new HttpClientChannel(EventLoops.shared().group().next(), dialer, options);
    ClientConnection first = channel.connection();
    Future<io.netty.channel.Channel> dialled = channel.open(first);
    dialer.await(dialled, dialled);
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

  private Future<io.netty.channel.Channel> open(ClientConnection connection) {
    return dialer.dial(loop, new HttpRequestEncoder(), connection.decoder(), connection);
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
      sweep();
      deliver();
      drain();
      loop.schedule(() -> end(null), limits.closeTimeout().toNanos(), TimeUnit.NANOSECONDS);
    });
  }

  // ---------------------------------------------------------------- requests

  @Override
  void drain() {
    while (!over && hasSlot()) {
      Output frame = outbound.next();
      if (frame == null) {
        break;
      }
      if (frame.isGivenUp()) {
        left(frame);
      } else {
        send(frame);
      }
    }
    if (outbound.isFinished() && busy.isEmpty() && connecting.isEmpty()) {
      end(null);
    }
  }

  private boolean hasSlot() {
    int used = busy.size() + connecting.size();
    if (used < CONNECTIONS || used >= MOST_CONNECTIONS) {
      return used < CONNECTIONS;
    }
    long now = System.nanoTime();
    return used - busy.stream().filter(c -> c.isSlow(now)).count() < CONNECTIONS;
  }

  /** The request of the frame is over. */
  private void left(Output frame) {
    if (outbound.left(frame)) {
      onLoop(this::deliver); // there is room for replies again
    }
  }

  private void send(Output frame) {
    marked |= frame.isInitiated();
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
    Future<?> dialled = open(fresh);
    connecting.add(dialled);
    dialled.addListener(done -> {
      connecting.remove(dialled);
      if (done.isSuccess() && !over && frame.isGivenUp()) {
        idle.add(fresh);
        left(frame);
        drain();
      } else if (done.isSuccess() && !over) {
        busy.add(fresh);
        fresh.send(frame);
      } else {
        fresh.close();
        left(frame);
        frame.refused(unreachable(done.cause()));
        onLoop(this::drain);
      }
    });
  }

  private DisconnectedException unreachable(@Nullable Throwable cause) {
    if (cause == null || over) {
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
    if (receiving == null || marked && !outbound.takesReplies() || !receiving.ready()) {
      return false;
    }
    receiving.frame(bytes, from, to);
    return true;
  }

  /** Whether the frame answers a call of the server. */
  boolean isReply(Output frame) {
    return marked && !frame.isInitiated();
  }

  /** The server broke the protocol in a way that no call waits for. */
  void violation(String what) {
    try {
      listener.violation(info(), what);
    } catch (RuntimeException | Error e) {
      // Exceptions of a listener are ignored.
    }
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
    if (connection.isDone()) {
      left(connection.release());
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

  @Override
  public boolean endGivenUp() {
    if (ending.compareAndSet(false, true)) { // many calls may be given up at once
      onLoop(() -> {
        ending.set(false);
        sweep();
      });
    }
    return true;
  }

  private void sweep() {
    long now = System.nanoTime();
    long longest = limits.drainTimeout().toNanos();
    Set.copyOf(busy).stream().filter(c -> c.isForsaken(now, longest)).forEach(c -> c.close());
    Set.copyOf(idle).stream().filter(c -> !c.isUsable(now)).forEach(c -> c.close());
    drain(); // requests that have become slow leave room for others
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
      Set.copyOf(connecting).forEach(dialled -> dialled.cancel(false));
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
