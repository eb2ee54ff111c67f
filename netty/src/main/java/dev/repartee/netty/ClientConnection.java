package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.DisconnectedException;
import dev.repartee.Headers;
import dev.repartee.Output;
import dev.repartee.ProtocolException;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One connection of a client: carries one request at a time. Of the event loop. */
final class ClientConnection extends SimpleChannelInboundHandler<HttpObject> {
  /** That much of a refusal is told. */
  private static final int TOLD = 200;

  private final HttpClientChannel owner;
  private final HttpAddress address;
  private final Headers headers;
  private final MessageBytes body;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Output request;
  private @Nullable HttpResponse response;
  private boolean hadCalls;

  /** Whether the answer has come in, so that the connection may end without losing it. */
  private boolean complete;

  /** When it was last given a request, or an answer, in the nanoseconds of the JVM. */
  private long since;

  ClientConnection(HttpClientChannel owner, HttpAddress address, Headers headers, int frameBytes) {
    this.owner = owner;
    this.address = address;
    this.headers = headers;
    this.body = new MessageBytes(frameBytes);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    since = System.nanoTime();
  }

  boolean isOpen() {
    return context != null && context.channel().isActive();
  }

  void close() {
    if (context != null) {
      context.close();
    }
  }

  /** Sends a frame as a request; the connection is busy until {@link #release}. */
  void send(Output frame) {
    ChannelHandlerContext ctx = java.util.Objects.requireNonNull(context);
    request = frame;
    hadCalls = frame.isAwaited();
    since = System.nanoTime();
    FullHttpRequest post = new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        HttpMethod.POST,
        address.path(),
        Unpooled.wrappedBuffer(frame.array(), 0, frame.size()));
    post.headers()
        .set(HttpHeaderNames.HOST, address.hostHeader())
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .set(HttpHeaderNames.ACCEPT, "application/json")
        .set(HttpHeaderNames.ACCEPT_ENCODING, "gzip")
        .setInt(HttpHeaderNames.CONTENT_LENGTH, frame.size());
    CallerHeaders.put(headers, post.headers());
    ctx.writeAndFlush(post).addListener(sent -> {
      if (!ctx.channel().isActive()) {
        lost();
      }
    });
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    if (message.decoderResult().isFailure() || request == null) {
      fail(new ProtocolException("what " + address.authority() + " sends is not HTTP"));
      return;
    }
    if (message instanceof HttpResponse head) {
      response = head;
      body.clear();
    }
    if (message instanceof HttpContent content && response != null) {
      if (!body.append(content.content())) {
        fail(new ProtocolException(
            "the answer of " + address.authority() + " passed the limit frameBytes"));
      } else if (content instanceof LastHttpContent) {
        complete = true;
        owner.answered(this);
      }
    }
  }

  private void fail(RuntimeException cause) {
    Output frame = request;
    if (frame != null) {
      frame.unanswered(cause);
    }
    close();
  }

  private HttpResponse response() {
    return java.util.Objects.requireNonNull(response);
  }

  /** Whether the answer is for the receiver: a body that is, or should be, JSON-RPC. */
  boolean hasFrame() {
    return body.size > 0 && (isSuccess() || isJson());
  }

  private boolean isSuccess() {
    return response().status().codeClass() == HttpStatusClass.SUCCESS;
  }

  private boolean isJson() {
    String type = response().headers().get(HttpHeaderNames.CONTENT_TYPE, "");
    return type.toLowerCase(Locale.ROOT).startsWith("application/json");
  }

  /** The body, of {@link #size} bytes, until {@link #release}. */
  byte[] bytes() {
    return body.bytes;
  }

  int size() {
    return body.size;
  }

  /** Frees it for the next request; answers the frame that was the last. */
  Output release() {
    Output frame = java.util.Objects.requireNonNull(request);
    HttpResponse answer = response();
    frame.unanswered(new ProtocolException(unanswered(answer.status())));
    request = null;
    response = null;
    complete = false;
    since = System.nanoTime();
    body.clear();
    if (!HttpUtil.isKeepAlive(answer)) {
      close();
    }
    return frame;
  }

  private String unanswered(HttpResponseStatus status) {
    String said = isSuccess() || isJson()
        ? ""
        : ": " + new String(body.bytes, 0, Math.min(TOLD, body.size), UTF_8).strip();
    return address.authority() + " answered the request with HTTP status " + status.code()
        + " and without an answer to the call" + said;
  }

  /** Whether whoever sent the request has given it up, or nobody waits and it takes too long. */
  boolean isForsaken(long now, long longest) {
    Output frame = request;
    return frame != null && !complete && !frame.isAwaited() && (hadCalls || now - since > longest);
  }

  /** For how long nothing was asked and answered on it. */
  long idleFor(long now) {
    return now - since;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    lost();
  }

  private void lost() {
    Output frame = request;
    if (complete) {
      return;
    }
    request = null;
    if (frame != null) {
      frame.unanswered(new DisconnectedException(
          "the connection to " + address.authority() + " ended before the answer came", null));
    }
    owner.ended(this, frame);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    String fault = TlsFault.reason(cause, address);
    fail(new DisconnectedException(
        "the connection to " + address.authority() + " was lost: "
            + (fault == null ? cause.getMessage() : fault),
        cause));
  }
}
