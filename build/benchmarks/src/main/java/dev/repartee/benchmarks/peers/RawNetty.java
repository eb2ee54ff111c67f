package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Workload;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Raw servers on Netty with one thread, with epoll if its natives are available, otherwise with a
 * selector.
 */
final class RawNetty {
  private RawNetty() {}

  /** Answers lines. */
  static Address lines(Workload workload) throws InterruptedException {
    RawAnswers answers = new RawAnswers(workload);
    ByteBuf block = constant(answers.block());
    return listen(pipeline -> {
      RawAnswers.Debt debt = answers.debt();
      pipeline.addLast(new Answering((context, message) -> {
        debt.received(((ByteBuf) message).readableBytes());
        for (int most = debt.most(); most > 0; most = debt.most()) {
          context.write(block.slice(debt.at(), most), context.voidPromise());
          debt.sent(most);
        }
      }));
    });
  }

  /** Answers every request of HTTP/1.1 with the same body. */
  static Address http(Workload workload) throws InterruptedException {
    ByteBuf body = constant(workload.answer(0));
    return listen(pipeline -> pipeline
        .addLast(new HttpServerCodec())
        .addLast(new Answering((context, message) -> {
          if (message instanceof LastHttpContent) {
            context.write(response(body), context.voidPromise());
          }
        })));
  }

  private static FullHttpResponse response(ByteBuf body) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body.duplicate());
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    return response;
  }

  /** Answers every message of a WebSocket with the same message. */
  static Address webSocket(Workload workload) throws InterruptedException {
    ByteBuf text = constant(workload.answer(0));
    return listen(pipeline -> pipeline
        .addLast(new HttpServerCodec())
        .addLast(new HttpObjectAggregator(1 << 16))
        .addLast(new WebSocketServerProtocolHandler("/"))
        .addLast(new Answering((context, message) ->
            context.write(new TextWebSocketFrame(text.duplicate()), context.voidPromise()))));
  }

  private static ByteBuf constant(byte[] bytes) {
    return Unpooled.unreleasableBuffer(
        Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly());
  }

  /** Writes answers, and flushes them after each read. */
  private static final class Answering extends ChannelInboundHandlerAdapter {
    private final BiConsumer<ChannelHandlerContext, Object> answer;

    Answering(BiConsumer<ChannelHandlerContext, Object> answer) {
      this.answer = answer;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      answer.accept(context, message);
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // the client has disconnected
    }
  }

  private static Address listen(Consumer<ChannelPipeline> pipeline) throws InterruptedException {
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    Class<? extends ServerChannel> type =
        epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    InetSocketAddress bound = (InetSocketAddress) new ServerBootstrap()
        .group(new MultiThreadIoEventLoopGroup(1, io))
        .channel(type)
        .option(ChannelOption.SO_BACKLOG, 1_024)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(new ChannelInitializer<SocketChannel>() {
          @Override
          protected void initChannel(SocketChannel socket) {
            pipeline.accept(socket.pipeline());
          }
        })
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .sync()
        .channel()
        .localAddress();
    return Address.port(bound.getPort());
  }
}
