package dev.repartee.netty;

import dev.repartee.ProtocolException;
import dev.repartee.limits.Limits;
import dev.repartee.netty.http.CallerHeaders;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.Proxy;
import dev.repartee.netty.tls.TlsFault;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.HttpSender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends single HTTP requests to one server, over a pool of connections. The pool has no limit: a
 * request must not wait for another one, since a stream of events may last for hours. Thread-safe.
 */
final class ClientRequests implements HttpSender {
  // Implementation note.
  //
  // A request (Pending) is in "pending" from begin() to its end:
  //
  //   begin --+--> idle connection --+--> written --> head --> content ... --> end(null)
  //           |                      |
  //           +--> dial -------------+
  //
  // end(cause) and abandon() lead to "over" from each of these steps. The first reports the end to
  // the Answer, the second is silent. "over" makes sure that only one of them has an effect. A
  // time-out does both: the report first, because abandon() suppresses it. The time-out ends with
  // the head of the response (stopClock): a stream may be silent for any time.
  //
  // A connection is either dialled for a request, or carries one (request != null), or is in
  // "idle", or is closed. It becomes idle in release() only if it is certainly between two
  // messages: the response has ended, the whole request was written, and the decoder holds no byte.
  // A response may end before its request was written. The next request would then be taken for the
  // rest of the body (request smuggling).
  //
  // The end of a response is noticed in channelRead0(), but release() runs at the end of the read.
  // Bytes behind the response are then an error of this request, not the response to the next one.
  //
  // Not done:
  //   - Pipelining: a response that its receiver does not read would block all later ones.
  //   - Reading the rest of a cancelled response, to keep its connection. It may have no end.
  //   - A timer for each idle period. It was left in the event loop for 20 s after each request,
  //     so a busy client had hundreds of thousands of them. watch() starts again while the
  //     connection is used.
  //   - Several event loops. One loop needs no lock, and handlers of answers do little on it.
  //
  // Threads. All fields belong to the event loop. send(), readOn(), cancel() and close() may be
  // called from any thread and hand their work to it. The Answer is called on the event loop.

  private final EventLoop loop = EventLoops.shared().group().next();
  private final Dialer dialer;
  private final HttpAddress address;
  private final Limits limits;
  private final Deque<Connection> idle = new ArrayDeque<>();
  private final Set<Pending> pending = new HashSet<>();
  private boolean closed;

  ClientRequests(Dialer dialer, Limits limits) {
    this.dialer = dialer;
    this.address = dialer.address();
    this.limits = limits;
  }

  @Override
  public Sent send(Request request, Answer answer) {
    CallerHeaders.check(request.headers());
    Pending sent = new Pending(request, answer);
    if (loop.inEventLoop()) {
      sent.begin();
    } else {
      loop.execute(sent::begin);
    }
    return sent;
  }

  @Override
  public void close() {
    loop.execute(() -> {
      closed = true;
      Set.copyOf(pending).forEach(Pending::abandon);
      List.copyOf(idle).forEach(Connection::close);
      idle.clear();
    });
  }

  /** A request from its sending to the end of its answer. */
  private final class Pending implements Sent {
    private final Request request;
    private final Answer answer;

    /** The connection that is being opened; null if an idle one was used. */
    private @Nullable Future<Channel> dialled;

    private @Nullable Connection connection;

    /** The time-out of the head. */
    private @Nullable ScheduledFuture<?> late;

    /** Whether the end was reported, or nobody waits for it. */
    private boolean over;

    Pending(Request request, Answer answer) {
      this.request = request;
      this.answer = answer;
    }

    /**
     * Sends the request over the connection that became idle last, or over a new one. The last one
     * has the most time left until the server may close it.
     */
    void begin() {
      if (over) {
        return;
      }
      if (closed) {
        end(new DisconnectedException("the client of " + address.authority() + " is closed", null));
        return;
      }
      pending.add(this);
      if (request.timeout() != null) {
        late = loop.schedule(() -> expire(), request.timeout().toNanos(), TimeUnit.NANOSECONDS);
      }
      Connection free = idle.pollLast();
      while (free != null && !free.isUsable()) {
        free.close();
        free = idle.pollLast();
      }
      if (free != null) {
        begin(free);
        return;
      }
      Connection fresh = new Connection();
      Future<Channel> dialling = dialer.dial(loop, new HttpRequestEncoder(), fresh.decoder, fresh);
      dialled = dialling;
      dialling.addListener(done -> {
        if (!done.isSuccess()) {
          Throwable why = done.cause();
          end(over || why == null ? null : dialer.failed(why));
        } else if (over) {
          fresh.release(null); // for the next request
        } else {
          begin(fresh);
        }
      });
    }

    private void begin(Connection free) {
      connection = free;
      free.send(this);
    }

    private void expire() {
      end(new TimeoutException(
          address.authority() + " has not answered within " + request.timeout()));
      abandon();
    }

    /** Reports the head. The names of fields are in lower case, as {@link Answer} demands. */
    void head(HttpResponse head) {
      stopClock();
      Map<String, List<String>> headers = new LinkedHashMap<>();
      head.headers()
          .forEach(field -> headers
              .computeIfAbsent(field.getKey().toLowerCase(Locale.ROOT), name -> new ArrayList<>(1))
              .add(field.getValue()));
      answer.head(head.status().code(), headers);
    }

    private void stopClock() {
      if (late != null) {
        late.cancel(false);
      }
    }

    /** Reports content; returns false if reading has to stop until {@link #readOn}. */
    boolean content(byte[] bytes, int from, int to) {
      return over || answer.content(bytes, from, to);
    }

    /** Ends this request, and reports the end once. */
    void end(@Nullable Throwable cause) {
      stopClock();
      pending.remove(this);
      if (!over) {
        over = true;
        answer.end(cause);
      }
    }

    /** Ends this request without a report. */
    void abandon() {
      over = true;
      stopClock();
      pending.remove(this);
      if (connection != null) {
        connection.cancel(this);
      } else if (dialled != null) {
        dialled.cancel(false);
      }
    }

    @Override
    public void readOn() {
      loop.execute(() -> {
        if (!over && connection != null) {
          connection.readOn();
        }
      });
    }

    @Override
    public void cancel() {
      loop.execute(this::abandon);
    }
  }

  /** A connection, which carries one request at a time. */
  private final class Connection extends SimpleChannelInboundHandler<HttpObject> {
    final ClientConnection.AnswerDecoder decoder =
        new ClientConnection.AnswerDecoder(limits.headerBytes());
    private @Nullable ChannelHandlerContext context;

    /** The request that this connection carries; null while it is idle. */
    private @Nullable Pending request;

    /** The last head of the response, which may be an interim one. */
    private @Nullable HttpResponse head;

    /** Whether the response has ended. */
    private boolean complete;

    /** Whether the whole request was written. */
    private boolean written;

    /** Whether the timer for the end of the idle time runs. */
    private boolean watched;

    /** The time at which the server may close this connection, see {@link ClientConnection}. */
    private long usableUntil = System.nanoTime() + ClientConnection.IDLE;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      context = ctx;
    }

    boolean isUsable() {
      return context != null && context.channel().isActive() && System.nanoTime() - usableUntil < 0;
    }

    void close() {
      if (context != null) {
        context.close();
      }
    }

    void send(Pending next) {
      ChannelHandlerContext ctx = context;
      if (ctx == null) {
        return;
      }
      request = next;
      head = null;
      complete = false;
      written = false;
      ctx.writeAndFlush(encoded(next.request)).addListener(sent -> {
        written = sent.isSuccess();
        if (!written && request == next) {
          // The answer to a request that the server stopped reading may still arrive.
          ctx.executor().schedule(this::close, 1, TimeUnit.SECONDS);
        }
      });
    }

    private FullHttpRequest encoded(Request given) {
      Proxy proxy = dialer.requestProxy();
      ByteBuf body = Unpooled.wrappedBuffer(given.body(), given.from(), given.to() - given.from());
      FullHttpRequest encoded = new DefaultFullHttpRequest(
          HttpVersion.HTTP_1_1,
          HttpMethod.valueOf(given.method()),
          proxy == null ? given.target() : "http://" + address.hostHeader() + given.target(),
          body);
      encoded.headers().set(HttpHeaderNames.HOST, address.hostHeader());
      if (given.to() > given.from() || given.method().equals("POST")) {
        encoded.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, given.to() - given.from());
      }
      if (proxy != null && proxy.authorization() != null) {
        encoded.headers().set(HttpHeaderNames.PROXY_AUTHORIZATION, proxy.authorization());
      }
      CallerHeaders.put(given.headers(), encoded.headers());
      return encoded;
    }

    void readOn() {
      if (context != null) {
        context.channel().config().setAutoRead(true);
      }
    }

    /** Closes this connection, unless it carries a later request already. */
    void cancel(Pending cancelled) {
      if (request == cancelled) {
        close();
      }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
      Pending current = request;
      if (current == null || complete || message.decoderResult().isFailure()) {
        fail(new ProtocolException(
            address.authority() + " sent bytes that are not an HTTP response"));
        return;
      }
      if (message instanceof HttpResponse response) {
        head = response;
        if (isFinal(response)) {
          current.head(response);
        }
      }
      HttpResponse begun = head;
      if (message instanceof HttpContent content && begun != null && isFinal(begun)) {
        content(ctx, current, content.content());
        complete = message instanceof LastHttpContent;
      }
    }

    private static boolean isFinal(HttpResponse response) {
      return response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
    }

    private void content(ChannelHandlerContext ctx, Pending current, ByteBuf content) {
      int length = content.readableBytes();
      if (length == 0) {
        return;
      }
      byte[] bytes;
      int from = 0;
      if (content.hasArray()) {
        bytes = content.array();
        from = content.arrayOffset() + content.readerIndex();
      } else {
        bytes = new byte[length];
        content.getBytes(content.readerIndex(), bytes);
      }
      if (!current.content(bytes, from, from + length)) {
        ctx.channel().config().setAutoRead(false);
      }
    }

    /** Ends a complete request at the end of a read: bytes may follow its answer until then. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      Pending current = request;
      if (complete && current != null) {
        release(current);
      }
      ctx.fireChannelReadComplete();
    }

    /** Makes the connection idle, or closes it if it cannot be used again; then ends a request. */
    void release(@Nullable Pending ended) {
      HttpResponse answered = head;
      request = null;
      boolean fresh = ended == null;
      boolean reusable = fresh
          || answered != null && HttpUtil.isKeepAlive(answered) && written && decoder.isEmpty();
      if (reusable && !closed) {
        usableUntil = System.nanoTime()
            + (answered == null ? ClientConnection.IDLE : ClientConnection.keptFor(answered));
        readOn();
        idle.add(this);
        if (!watched) {
          watch();
        }
      } else {
        close();
      }
      if (ended != null) {
        ended.end(null);
      }
    }

    /** Closes this connection when it is idle for too long, with one timer for all its requests. */
    private void watch() {
      watched = true;
      loop.schedule(this::closeIdle, usableUntil - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private void closeIdle() {
      watched = false;
      if (isUsable()) {
        watch();
      } else if (idle.remove(this)) {
        close();
      }
    }

    /** Ends this connection and the request that it carries, which the server may have received. */
    private void fail(RuntimeException cause) {
      Pending current = request;
      request = null;
      close();
      if (current != null) {
        current.end(cause);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      Pending current = request;
      if (complete && current != null) { // the end of the connection was the end of the answer
        release(current);
      }
      idle.remove(this);
      fail(new DisconnectedException(
          "the connection to " + address.authority() + " ended before the answer", null));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      String fault = TlsFault.reason(cause, address);
      fail(new DisconnectedException(
          "the connection to " + address.authority() + " was lost: "
              + (fault == null ? SystemErrors.reason(cause) : fault),
          cause));
    }
  }
}
