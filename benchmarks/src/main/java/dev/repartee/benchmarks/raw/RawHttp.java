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
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/** A raw HTTP/1.1 server on Netty that answers every request with the same body. */
public final class RawHttp implements Contestant {
  @Override
  public String name() {
    return "raw-http";
  }

  @Override
  public String about() {
    return "Netty's HTTP/1.1 with a constant body";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return workload == Workload.SUBTRACT && shape.inFlight() == 1;
  }

  @Override
  public String limit() {
    return name();
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.HTTP);
  }

  @Override
  public Address serve(Workload workload) throws InterruptedException {
    byte[] answer = workload.answer(0);
    ByteBuf body = Unpooled.unreleasableBuffer(
        Unpooled.directBuffer(answer.length).writeBytes(answer).asReadOnly());
    return NettyServer.listen(
        pipeline -> pipeline.addLast(new HttpServerCodec()).addLast(new Constant(body)));
  }

  private static final class Constant extends ChannelInboundHandlerAdapter {
    private final ByteBuf body;

    Constant(ByteBuf body) {
      this.body = body;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof LastHttpContent) {
        context.write(response(), context.voidPromise());
      }
      ReferenceCountUtil.release(message);
    }

    private FullHttpResponse response() {
      FullHttpResponse response = new DefaultFullHttpResponse(
          HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body.duplicate());
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
          .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
      return response;
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
