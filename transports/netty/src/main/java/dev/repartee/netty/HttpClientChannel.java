package dev.repartee.netty;

import dev.repartee.framing.Receiver;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.Headers;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutgoingMessage;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client side of JSON-RPC over HTTP. Each message is a separate POST request ({@link
 * ClientExchange}), on one of a few connections that are kept. The frames in its response are
 * delivered to the receiver. Concurrent requests have no order.
 *
 * <p>The server can call this side only within the response to a call, as a stream of events. Each
 * reply to it is a separate POST request. Two rules prevent a server from exhausting this side:
 * while more than {@code outboundBytes} of replies are queued, no stream is read; and the response
 * to a reply is not delivered, because replies must not cause further replies.
 *
 * <p>If a request fails in HTTP, only its own calls fail. If all its calls have ended and one of
 * them got no answer, the request ends immediately, which cancels the calls at the server. If it
 * was not sent yet, it is not sent.
 *
 * <p>After {@link #close} the channel is {@code closed} when no request is queued or in flight, at the
 * latest after {@code closeTimeout}; {@link #abort} closes it immediately. The receiver is notified
 * once ({@code told}), not before {@link #start}.
 *
 * <p>The methods of the channel may be called from any thread.
 */
final class HttpClientChannel extends EventLoopChannel<OutgoingMessage> implements MessageChannel {
  /**
   * The maximum number of concurrent requests, and therefore of connections. Requests that are
   * {@linkplain ClientExchange#isSlow slow} do not count; otherwise responses that never end would
   * block other requests.
   */
  private static final int CONNECTIONS = 8;

  /** The maximum number of connections, including the connections of slow requests. */
  private static final int MOST_CONNECTIONS = 64;

  /** The number of further connections, for urgent messages. */
  private static final int URGENT_CONNECTIONS = 8;

  private final ClientPool pool;

  /** The header fields of all requests. */
  private final HttpHeaders fields;

  // Used by the event loop of the pool only.

  /** The exchanges that have not left, oldest first. */
  private final Set<ClientExchange> running = new LinkedHashSet<>();

  private @Nullable Receiver receiver;

  /** The timer of {@code closeTimeout}; null before {@link #close}. */
  private @Nullable Future<?> deadline;

  private boolean closed;
  private boolean told;

  /** True while a timer waits until requests have become slow. */
  private boolean awaitsSlow;

  /**
   * True after a call or notification was sent. A {@link dev.repartee.Peer} marks these; all other
   * messages are then replies. Code that uses a channel without a peer may mark none.
   */
  private boolean marked;

  private @Nullable Throwable cause;

  private HttpClientChannel(ClientPool pool, Headers headers) {
    super(
        pool.loop,
        pool.limits,
        FrameQueue.messages(pool.limits.outboundBytes(), pool.address().authority()),
        new ChannelInfo(pool.dialer.endpoint().scheme(), pool.address().authority(), "message"));
    this.pool = pool;
    this.fields = new DefaultHttpHeaders()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .set(HttpHeaderNames.ACCEPT, "application/json, text/event-stream")
        .set(HttpHeaderNames.ACCEPT_ENCODING, "gzip");
    headers.fields().forEach(fields::set);
  }

  /**
   * Opens the first connection; an unreachable endpoint is therefore reported now. Blocks up to
   * {@code connectTimeout}.
   */
  static Channel connect(Dialer dialer, Limits limits, Headers headers) throws IOException {
    ClientPool pool = new ClientPool(dialer, limits);
    Future<io.netty.channel.Channel> dialled = pool.open();
    dialer.await(dialled, dialled);
    return new HttpClientChannel(pool, headers);
  }

  HttpHeaders fields() {
    return fields;
  }

  // ---------------------------------------------------------------- the channel

  @Override
  public void start(Receiver receiver) {
    onLoop(() -> {
      this.receiver = receiver;
      goOn();
      tellIfClosed();
    });
  }

  @Override
  public void resume() {
    onLoop(this::goOn);
  }

  @Override
  public void send(OutgoingMessage message) {
    if (message.isUrgent()) {
      onLoop(() -> pass(message));
    } else {
      append(message);
    }
  }

  /** Sends an urgent message now: the queue may wait for calls that take long. */
  private void pass(OutgoingMessage message) {
    int most = MOST_CONNECTIONS + URGENT_CONNECTIONS;
    if (running.size() >= most) {
      message.fail(new LimitException("connections", most));
    } else if (!closed) { // otherwise its call has failed with the channel
      begin(message);
    }
  }

  @Override
  public boolean cancels() {
    return true;
  }

  @Override
  public void close() {
    writeQueue.close(null);
    onLoop(() -> {
      goOn();
      drain();
      if (!closed && deadline == null) {
        deadline = loop.schedule(
            () -> closed(null), limits.closeTimeout().toNanos(), TimeUnit.NANOSECONDS);
      }
    });
  }

  // ---------------------------------------------------------------- requests

  /**
   * Sends queued messages as long as another request is allowed. Ends a closed channel that has
   * nothing left to send or to receive.
   */
  @Override
  void drain() {
    while (!closed && hasSlot()) {
      OutgoingMessage message = writeQueue.next();
      if (message == null) {
        break;
      }
      if (message.isUnwanted()) { // its calls have ended in the queue
        release(message);
      } else {
        begin(message);
      }
    }
    if (writeQueue.isDrained() && running.isEmpty()) {
      closed(null);
    }
  }

  private void begin(OutgoingMessage message) {
    marked |= !message.isAnswer();
    ClientExchange next = new ClientExchange(message, this, pool, marked && message.isAnswer());
    running.add(next);
    next.begin();
  }

  /** Returns whether another request may be sent now; otherwise drains again later. */
  private boolean hasSlot() {
    int used = running.size();
    if (used < CONNECTIONS) {
      return true;
    }
    long now = System.nanoTime();
    if (used < MOST_CONNECTIONS
        && used - running.stream().filter(x -> x.isSlow(now)).count() < CONNECTIONS) {
      return true;
    }
    if (!awaitsSlow) {
      awaitsSlow = true;
      loop.schedule(
          () -> {
            awaitsSlow = false;
            drain();
          },
          ClientExchange.SLOW,
          TimeUnit.NANOSECONDS);
    }
    return false;
  }

  /** Removes an exchange that has left, and sends the next message. */
  void left(ClientExchange exchange) {
    running.remove(exchange);
    release(exchange.message());
    drain();
  }

  private void release(OutgoingMessage message) {
    if (!message.isUrgent() && writeQueue.left(message)) { // an urgent one was not in the queue
      onLoop(this::goOn); // replies have room again: continue reading streams
    }
  }

  // ---------------------------------------------------------------- responses

  /**
   * Delivers a frame to the receiver.
   *
   * @return false if the receiver does not accept it now, or too many replies are queued
   */
  boolean deliver(byte[] bytes, int from, int to) {
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

  /** Reports that the server broke the protocol in a way that fails no call. */
  void violation(String what) {
    Receiver to = receiver;
    if (to != null) {
      to.violation(what);
    }
  }

  /**
   * Delivers the held frames that are accepted now. Each exchange is asked, since one may wait for
   * the subscriber of its stream while the next need not wait.
   */
  private void goOn() {
    List.copyOf(running).forEach(ClientExchange::goOn);
  }

  // ---------------------------------------------------------------- the end

  @Override
  void closed(@Nullable Throwable why) {
    if (!closed) {
      closed = true;
      cause = why;
      writeQueue.close(why);
      List.copyOf(running).forEach(ClientExchange::drop);
      pool.close();
      if (deadline != null) {
        deadline.cancel(false); // otherwise its loop would keep this in memory
      }
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
