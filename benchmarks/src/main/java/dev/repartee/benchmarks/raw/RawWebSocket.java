package dev.repartee.benchmarks.raw;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;

/** A raw WebSocket server on Netty that answers every message with the same message. */
public final class RawWebSocket implements Contestant {
  @Override
  public String name() {
    return "raw-ws";
  }

  @Override
  public String about() {
    return "Netty's WebSocket with a constant message";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT;
  }

  @Override
  public String limit() {
    return name();
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.WEBSOCKET);
  }

  @Override
  public Address serve(Workload workload) throws InterruptedException {
    byte[] answer = workload.answer(0);
    ByteBuf text = Unpooled.unreleasableBuffer(
        Unpooled.directBuffer(answer.length).writeBytes(answer).asReadOnly());
    return NettyServer.listen(pipeline -> pipeline
        .addLast(new HttpServerCodec())
        .addLast(new HttpObjectAggregator(1 << 16))
        .addLast(new WebSocketServerProtocolHandler("/"))
        .addLast(new Constant(text)));
  }

  private static final class Constant extends SimpleChannelInboundHandler<TextWebSocketFrame> {
    private final ByteBuf text;

    Constant(ByteBuf text) {
      this.text = text;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame message) {
      context.write(new TextWebSocketFrame(text.duplicate()), context.voidPromise());
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
}
