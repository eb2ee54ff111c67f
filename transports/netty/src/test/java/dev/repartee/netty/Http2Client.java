package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Server;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.ReferenceCountUtil;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client of HTTP/2 with prior knowledge: it begins with the preface. */
final class Http2Client implements AutoCloseable {
  final CompletableFuture<Http2Settings> settings = new CompletableFuture<>();
  final CompletableFuture<Long> goAway = new CompletableFuture<>();
  private final URI uri;
  private final Channel channel;

  Http2Client(Server server) throws Exception {
    this(server, Http2CodecUtil.DEFAULT_WINDOW_SIZE);
  }

  /** Creates a client whose streams have a flow-control window of this size. */
  Http2Client(Server server, int window) throws Exception {
    uri = URI.create(server.endpoint().bare().toString());
    EventLoops loops = EventLoops.shared();
    channel = new Bootstrap()
        .group(loops.group())
        .channel(loops.client())
        .handler(new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel
                .pipeline()
                .addLast(
                    Http2FrameCodecBuilder.forClient()
                        .initialSettings(
                            new Http2Settings().initialWindowSize(window).pushEnabled(false))
                        .build(),
                    new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                    new Told());
          }
        })
        .connect(uri.getHost(), uri.getPort())
        .sync()
        .channel();
  }

  /** Receives the frames that concern the connection itself. */
  private final class Told extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2GoAwayFrame frame) {
        goAway.complete(frame.errorCode());
      } else if (message instanceof Http2SettingsFrame frame) {
        settings.complete(frame.settings());
      }
      ReferenceCountUtil.release(message);
    }
  }

  /** Waits for the end of the connection. */
  boolean isOver() {
    return channel.closeFuture().awaitUninterruptibly(60, TimeUnit.SECONDS);
  }

  Stream open() throws Exception {
    return new Stream();
  }

  /** Sends a POST together with its body, because a server does not wait long for a body. */
  Stream post(String body, String... headers) throws Exception {
    Stream stream = open();
    stream.stream.write(stream.request(HttpMethod.POST, headers));
    stream.rest(body);
    return stream;
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly(60, TimeUnit.SECONDS);
  }

  /** One request and its response. */
  final class Stream {
    private static final String END = "end";
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final Http2StreamChannel stream;

    private Stream() throws Exception {
      ChannelHandler receiving = new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
          receive(message);
          ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
          if (event instanceof Http2ResetFrame reset) {
            received.add("reset " + Http2Error.valueOf(reset.errorCode()));
          }
          ReferenceCountUtil.release(event);
        }
      };
      stream = new Http2StreamChannelBootstrap(channel)
          .handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
              channel.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(false), receiving);
            }
          })
          .open()
          .get(60, TimeUnit.SECONDS);
    }

    private void receive(Object message) {
      if (message instanceof HttpResponse response) {
        StringBuilder head = new StringBuilder(response.status().codeAsText());
        response.headers().forEach(field -> head.append('\n').append(field));
        received.add(head.toString());
      }
      if (message instanceof HttpContent content && content.content().isReadable()) {
        received.add(content.content().toString(UTF_8));
      }
      if (message instanceof LastHttpContent) {
        received.add(END);
      }
    }

    private HttpRequest request(HttpMethod method, String... headers) {
      HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, uri.getPath());
      request.headers().set("host", uri.getAuthority());
      request.headers().set("content-type", "application/json");
      for (String header : headers) {
        String[] parts = header.split(": ", 2);
        request.headers().set(parts[0], parts[1]);
      }
      return request;
    }

    void head(HttpMethod method, String... headers) {
      stream.writeAndFlush(request(method, headers));
    }

    void part(String body) {
      stream.writeAndFlush(new DefaultHttpContent(Unpooled.copiedBuffer(body, UTF_8)));
    }

    void rest(String body) {
      stream.writeAndFlush(new DefaultLastHttpContent(Unpooled.copiedBuffer(body, UTF_8)));
    }

    void reset() {
      stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
    }

    /** Returns the next event: a response head, data, "end", or "reset" with its error. */
    String next() throws InterruptedException {
      return String.valueOf(received.poll(60, TimeUnit.SECONDS));
    }

    /** Returns the head and the body of the whole response. */
    String answer() throws InterruptedException {
      StringBuilder answer = new StringBuilder(next()).append('\n');
      for (String part = next(); !part.equals(END); part = next()) {
        answer.append(part);
        if (part.equals("null")) {
          throw new AssertionError("no end after: " + answer);
        }
      }
      return answer.toString();
    }
  }
}
