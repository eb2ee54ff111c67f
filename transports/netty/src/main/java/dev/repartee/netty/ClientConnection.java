package dev.repartee.netty;

import dev.repartee.ProtocolException;
import dev.repartee.internal.Bytes;
import dev.repartee.netty.http.HttpFault;
import dev.repartee.netty.tls.TlsFault;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a {@link ClientPool}. It carries one request at a time, without pipelining. It
 * runs entirely on the event loop of the pool and needs no locks.
 *
 * <p>A connection is in one of these states:
 *
 * <ul>
 *   <li>Idle: {@code request} is null, and the pool has it. It may carry a request until {@code
 *       usableUntil}.
 *   <li>Busy: from {@link #send} to the end of the read with the last byte of the response.
 *   <li>Closed: {@code closed} is set and never reset.
 * </ul>
 *
 * <p>If bytes follow the end of a response, the connection is not used again: the next request
 * would treat these bytes as its own response. A server may send status 408 there before it closes
 * the connection. A request that crosses it gets this response; the field {@code Repartee-Unsent} in
 * it shows that the request was not read. Without the field it may also come from a proxy whose
 * server was too slow.
 */
final class ClientConnection extends SimpleChannelInboundHandler<HttpObject> {
  /**
   * The maximum idle time after which a connection is used again, and the default if the server
   * states none. A server may close an idle connection at any moment, and a request that is sent at
   * that moment is lost.
   */
  private static final long IDLE = TimeUnit.SECONDS.toNanos(20);

  /**
   * How long to wait, after a failed write, for a response that the server may have sent earlier.
   */
  private static final int LINGER_SECONDS = 1;

  /** The {@code timeout} parameter of a {@code Keep-Alive} field, in seconds. */
  private static final Pattern TIMEOUT =
      Pattern.compile("(?:.*[,;\\s])?timeout\\s*=\\s*\"?([0-9]{1,6})\"?(?:[,;\\s].*)?");

  private final ClientPool pool;
  private final ResponseDecoder decoder;
  private @Nullable ChannelHandlerContext context;
  private @Nullable ClientRequest request;

  /** The head of the current response, or of an informational one before it. */
  private @Nullable HttpResponse head;

  /** True after the whole response has arrived. */
  private boolean complete;

  /** True if more followed the current response: it can belong to no request. */
  private boolean overrun;

  /** True after the current request was written completely. */
  private boolean written;

  private boolean closed;

  /** True while a timer waits for {@link #usableUntil}. */
  private boolean watched;

  /** The time up to which the connection may be used again, as {@link System#nanoTime}. */
  private long usableUntil;

  ClientConnection(ClientPool pool) {
    this.pool = pool;
    this.decoder = new ResponseDecoder(pool.limits.headerBytes());
  }

  /** Decodes responses, and reports whether bytes follow the last one. */
  private static final class ResponseDecoder extends HttpResponseDecoder {
    /** The number of bytes that a message shows of input that is not HTTP, and one more. */
    private static final int EXCERPT = 41;

    /** Whether any byte has come from the server. */
    private boolean heard;

    /** The first input from the server, for a message; empty if it may be HTTP. */
    private String found = "";

    ResponseDecoder(int headerBytes) {
      super(new HttpDecoderConfig()
          .setMaxInitialLineLength(headerBytes)
          .setMaxHeaderSize(headerBytes));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      if (!heard && message instanceof ByteBuf first) {
        heard = true;
        byte[] start = new byte[Math.min(first.readableBytes(), EXCERPT)];
        first.getBytes(first.readerIndex(), start);
        found = otherThanHttp(start);
      }
      super.channelRead(ctx, message);
    }

    /** Returns the end of a sentence about input that is not an HTTP response. */
    private static String otherThanHttp(byte[] start) {
      if (start.length == 0 || start[0] == 'H') {
        return "";
      }
      int end = start.length;
      while (end > 0 && start[end - 1] <= ' ') { // the end of the only line
        end--;
      }
      return ", but " + Bytes.excerpt(start, 0, end)
          + (start[0] == '{' || start[0] == '['
              ? "; tcp: connects to a JSON-RPC server without HTTP"
              : "");
    }

    boolean isEmpty() {
      return actualReadableBytes() == 0;
    }
  }

  /** Returns the response decoder, which belongs before this handler in the pipeline. */
  ChannelHandler decoder() {
    return decoder;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    usableUntil = System.nanoTime() + IDLE;
  }

  private ChannelHandlerContext context() {
    return Objects.requireNonNull(context);
  }

  /** Returns whether the connection may carry a request. */
  boolean isUsable() {
    return !closed && context().channel().isActive() && System.nanoTime() - usableUntil < 0;
  }

  /** Closes the connection, without a report to its request. */
  void close() {
    closed = true;
    request = null;
    context().close();
  }

  void readOn() {
    context().channel().config().setAutoRead(true);
  }

  /** Closes the connection when it is idle for too long, with one timer for all its requests. */
  void watch() {
    if (!watched) {
      watched = true;
      long left = usableUntil - System.nanoTime();
      pool.loop.schedule(this::closeIdle, left, TimeUnit.NANOSECONDS);
    }
  }

  private void closeIdle() {
    watched = false;
    if (isUsable()) {
      watch();
    } else if (pool.remove(this)) {
      close();
    }
  }

  // ---------------------------------------------------------------- a request

  /** Sends a request. The connection is busy until the request is over. */
  void send(ClientRequest next) {
    ChannelHandlerContext ctx = context();
    request = next;
    head = null;
    complete = false;
    overrun = false;
    written = false;
    // A server may refuse a request and stop reading before all of it has arrived, as with status
    // 413. Then the write fails, but the response may still arrive. Therefore the socket is not
    // closed immediately.
    ctx.writeAndFlush(next.encoded()).addListener(sent -> {
      written = sent.isSuccess();
      if (!ctx.channel().isActive()) {
        lost();
      } else if (!written && request == next) {
        ctx.executor().schedule(() -> ctx.close(), LINGER_SECONDS, TimeUnit.SECONDS);
      }
    });
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    ClientRequest current = request;
    if (complete && current != null) {
      overrun = true;
      return;
    }
    if (message.decoderResult().isFailure() || current == null) {
      fail(new ProtocolException(
          pool.server() + " sent bytes that are not an HTTP response" + decoder.found));
      return;
    }
    if (message instanceof HttpResponse response) {
      head = response;
      if (response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
        String refusal = pool.uri() + " answered with "
            + HttpFault.status(response, pool.address())
            + ", a change of protocol that was not asked for";
        fail(HttpFault.of(response, refusal));
        return;
      }
      if (isFinal(response)) {
        current.head(response);
      }
    }
    HttpResponse begun = head;
    if (message instanceof HttpContent content && begun != null && isFinal(begun)) {
      complete = message instanceof LastHttpContent;
      if (!current.content(content.content(), complete)) {
        ctx.channel().config().setAutoRead(false);
      }
    }
  }

  private static boolean isFinal(HttpResponse response) {
    return response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
  }

  /**
   * Ends a complete request at the end of the read. Before that, bytes after the response could
   * still be in the decoder.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (complete) {
      release();
    }
    ctx.fireChannelReadComplete();
  }

  /**
   * Ends a complete request. Makes the connection idle, or closes it if it cannot be used again:
   * the response ends the connection, bytes follow the response, or the request was not written
   * completely. The next request would then be taken for the rest of the body (request smuggling).
   */
  private void release() {
    ClientRequest ended = request;
    HttpResponse response = head;
    if (ended == null || response == null) {
      return;
    }
    request = null;
    boolean isClean = written && !overrun && decoder.isEmpty();
    if (!closed && isClean && HttpUtil.isKeepAlive(response)) {
      usableUntil = System.nanoTime() + keptFor(response);
      readOn();
      pool.keep(this);
    } else {
      close();
    }
    ended.end(null);
  }

  /**
   * Returns for how many nanoseconds the connection may be used again. It is the timeout that the
   * server states, less a margin of up to 1 s for the time a request needs to arrive.
   */
  private static long keptFor(HttpResponse response) {
    Matcher said = TIMEOUT.matcher(response.headers().get("keep-alive", ""));
    if (!said.matches()) {
      return IDLE;
    }
    long millis = TimeUnit.SECONDS.toMillis(Long.parseLong(said.group(1)));
    long margin = Math.min(1_000, millis / 2);
    return Math.min(IDLE, TimeUnit.MILLISECONDS.toNanos(millis - margin));
  }

  // ---------------------------------------------------------------- the end

  private void fail(RuntimeException cause) {
    ClientRequest failed = request;
    close();
    if (failed != null) {
      failed.end(cause);
    }
  }

  private void lost() {
    closed = true;
    pool.remove(this);
    if (complete) {
      release(); // the end of the connection was the end of the response
    }
    String hint = decoder.heard ? "" : pool.dialer.isItHttp();
    fail(pool.lost(" ended before the answer came" + hint, null));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    lost();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    String fault = TlsFault.reason(cause, pool.address().host(), "http: or ws:");
    fail(pool.lost(" was lost: " + (fault == null ? SystemErrors.reason(cause) : fault), cause));
  }
}
