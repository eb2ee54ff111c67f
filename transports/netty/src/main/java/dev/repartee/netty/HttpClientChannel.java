package dev.repartee.netty;

import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutgoingMessage;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client side of JSON-RPC over HTTP. Each message is a POST request, on one of a few
 * connections that are kept. The frames in its response are delivered to the receiver. Concurrent
 * requests have no order.
 *
 * <p>The server can call this side only within the response to a call, as a stream of events. Each
 * reply to it is a separate POST request. Two rules prevent a server from exhausting this side:
 * while more than {@code outboundBytes} of replies are queued, no stream is read; and the response
 * to a reply is not delivered, because replies must not cause further replies.
 *
 * <p>If a request fails in HTTP, only its own calls fail. If all its calls are given up, the
 * request ends immediately, which cancels the calls at the server; if it was not sent yet, it is
 * not sent.
 *
 * <p>A connection is in one of these places:
 *
 * <ul>
 *   <li>{@code connecting}: it is being opened for a message. Then it becomes busy, or idle if the
 *       calls of the message have ended meanwhile.
 *   <li>{@code busy}: it carries a request. It is in {@code waiting} too while the receiver does
 *       not accept its frames. {@link #settle} makes it idle, or drops it if it is closed.
 *   <li>{@code idle}: {@link #send} makes it busy; the sweep closes it when its time has passed.
 * </ul>
 *
 * <p>After {@link #close} the channel is {@code closed} when no request is queued or in flight, at
 * the latest after {@code closeTimeout}; {@link #abort} closes it at once. The receiver is notified
 * once ({@code told}), not before {@link #start}.
 *
 * <p>Threading: the methods of the channel may be called from any thread. All fields below the
 * comment "Of the event loop" belong to one event loop, on which all connections of this channel
 * run too.
 */
final class HttpClientChannel extends EventLoopChannel<OutgoingMessage> implements MessageChannel {
  /**
   * The maximum number of concurrent requests, and therefore of connections. Requests that are
   * {@linkplain ClientConnection#isSlow slow} do not count; otherwise responses that never end
   * would block other requests.
   */
  private static final int CONNECTIONS = 8;

  /** The maximum number of connections, including the connections of slow requests. */
  private static final int MOST_CONNECTIONS = 64;

  /** The interval between two sweeps. */
  private static final int SWEEP_MILLIS = 250;

  private final Dialer dialer;
  private final HttpAddress address;
  private final Headers headers;

  // Used by the event loop only.
  private final Deque<ClientConnection> idle = new ArrayDeque<>();
  private final Set<ClientConnection> busy = new HashSet<>();

  /** The busy connections with frames that the receiver does not accept now, oldest first. */
  private final Queue<ClientConnection> waiting = new ArrayDeque<>();

  private final Set<Future<?>> connecting = new HashSet<>();
  private @Nullable Receiver receiver;
  private @Nullable ScheduledFuture<?> sweeping;
  private boolean closed;
  private boolean told;

  /**
   * True after a call or notification was sent. A {@link dev.repartee.Peer} marks these; all other
   * messages are then replies. Code that uses a channel without a peer may mark none.
   */
  private boolean marked;

  private @Nullable Throwable cause;

  private HttpClientChannel(EventLoop loop, Dialer dialer, Limits limits, Headers headers) {
    super(
        loop,
        limits,
        FrameQueue.messages(limits.outboundBytes(), dialer.address().authority()),
        new ChannelInfo(dialer.endpoint().scheme(), dialer.address().authority(), "message"));
    this.dialer = dialer;
    this.address = dialer.address();
    this.headers = headers;
  }

  /**
   * Opens the first connection; an unreachable endpoint is therefore reported now. Blocks up to
   * {@code connectTimeout}.
   */
  static Channel connect(Dialer dialer, Limits limits, Headers headers) throws IOException {
    HttpClientChannel channel =
        new HttpClientChannel(EventLoops.shared().group().next(), dialer, limits, headers);
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
    return new ClientConnection(this, dialer, headers, limits);
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
      tellIfClosed();
    });
  }

  @Override
  public void resume() {
    onLoop(this::deliver);
  }

  @Override
  public void send(OutgoingMessage message) {
    append(message);
  }

  @Override
  public boolean cancels() {
    return true;
  }

  @Override
  public void close() {
    writeQueue.close(null);
    onLoop(() -> {
      sweep();
      deliver();
      drain();
      loop.schedule(() -> closed(null), limits.closeTimeout().toNanos(), TimeUnit.NANOSECONDS);
    });
  }

  // ---------------------------------------------------------------- requests

  /**
   * Sends queued frames as long as another request is allowed. Ends a closed channel that has
   * nothing left to send or to receive.
   */
  @Override
  void drain() {
    while (!closed && hasSlot()) {
      OutgoingMessage message = writeQueue.next();
      if (message == null) {
        break;
      }
      if (message.isUnwanted()) {
        left(message);
      } else {
        post(message);
      }
    }
    if (writeQueue.isDrained() && busy.isEmpty() && connecting.isEmpty()) {
      closed(null);
    }
  }

  /** Returns whether another request may be sent now. */
  private boolean hasSlot() {
    int used = busy.size() + connecting.size();
    if (used < CONNECTIONS || used >= MOST_CONNECTIONS) {
      return used < CONNECTIONS;
    }
    long now = System.nanoTime();
    return used - busy.stream().filter(c -> c.isSlow(now)).count() < CONNECTIONS;
  }

  /** Releases a message, because its request has ended. */
  private void left(OutgoingMessage message) {
    if (writeQueue.left(message)) {
      onLoop(this::deliver); // replies have room again: continue reading streams
    }
  }

  /** Sends a message on the idle connection that was used last, or on a new one. */
  private void post(OutgoingMessage message) {
    marked |= !message.isAnswer();
    ClientConnection free = idle.pollLast();
    while (free != null && !free.isUsable(System.nanoTime())) {
      free.close();
      free = idle.pollLast();
    }
    if (free != null) {
      busy.add(free);
      free.send(message);
      return;
    }
    ClientConnection fresh = connection();
    Future<?> dialled = open(fresh);
    connecting.add(dialled);
    dialled.addListener(done -> {
      connecting.remove(dialled);
      if (done.isSuccess() && !closed && message.isUnwanted()) {
        idle.add(fresh);
        left(message);
        drain();
      } else if (done.isSuccess() && !closed) {
        busy.add(fresh);
        fresh.send(message);
      } else {
        fresh.close();
        left(message);
        message.fail(unreachable(done.cause()));
        onLoop(this::drain);
      }
    });
  }

  private DisconnectedException unreachable(@Nullable Throwable cause) {
    if (cause == null || closed) {
      return DisconnectedException.closed(address.authority(), null);
    }
    IOException why = dialer.failed(cause);
    return DisconnectedException.unsent(
        String.valueOf(why.getMessage()), "the server is unreachable", why);
  }

  // ---------------------------------------------------------------- responses

  /**
   * Delivers a frame to the receiver.
   *
   * @return false if the receiver does not accept it now, or too many replies are queued
   */
  boolean take(byte[] bytes, int from, int to) {
    if (writeQueue.isClosed()) {
      return true; // the channel is closed: the frame is dropped
    }
    Receiver receiving = receiver;
    if (receiving == null || marked && !writeQueue.takesReplies() || !receiving.ready()) {
      return false;
    }
    receiving.frame(bytes, from, to);
    return true;
  }

  /** Returns whether a message answers a call of the server. */
  boolean isReply(OutgoingMessage message) {
    return marked && message.isAnswer();
  }

  /** Reports that the server broke the protocol in a way that fails no call. */
  void violation(String what) {
    Receiver to = receiver;
    if (to != null) {
      to.violation(what);
    }
  }

  /** Handles input on a connection, or the end of its exchange. */
  void heard(ClientConnection connection) {
    if (busy.contains(connection) && !waiting.contains(connection) && !settle(connection)) {
      waiting.add(connection);
    }
  }

  /**
   * Delivers the waiting frames that are accepted now. Each connection is asked, since one may wait
   * for the subscriber of its stream while the next need not wait.
   */
  private void deliver() {
    for (ClientConnection c : List.copyOf(waiting)) {
      if (waiting.contains(c) && settle(c)) {
        waiting.remove(c);
      }
    }
  }

  /**
   * Delivers the frames of a connection, and releases the connection if its exchange is done.
   *
   * @return false if some frames must wait
   */
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

  /** Removes a connection that was closed. */
  void ended(ClientConnection connection) {
    idle.remove(connection);
  }

  /**
   * Closes connections if nobody waits for their response, and idle connections if their time has
   * passed. The sets are copied because closing a connection may change them immediately.
   */
  private void sweep() {
    long now = System.nanoTime();
    long longest = limits.drainTimeout().toNanos();
    Set.copyOf(busy).stream().filter(c -> c.isForsaken(now, longest)).forEach(c -> c.close());
    Set.copyOf(idle).stream().filter(c -> !c.isUsable(now)).forEach(c -> c.close());
    drain(); // requests that have become slow no longer count
  }

  // ---------------------------------------------------------------- the end

  @Override
  void closed(@Nullable Throwable why) {
    if (!closed) {
      closed = true;
      cause = why;
      writeQueue.close(why);
      if (sweeping != null) {
        sweeping.cancel(false);
      }
      Set.copyOf(connecting).forEach(dialled -> dialled.cancel(false));
      Set.copyOf(busy).forEach(ClientConnection::close);
      Set.copyOf(idle).forEach(ClientConnection::close);
    }
    tellIfClosed();
  }

  /** Notifies the receiver of the end, once. */
  private void tellIfClosed() {
    Receiver to = receiver;
    if (closed && !told && to != null) {
      told = true;
      to.closed(cause);
    }
  }
}
