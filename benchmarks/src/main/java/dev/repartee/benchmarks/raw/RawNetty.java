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

/** A raw echo on Netty. */
public final class RawNetty implements Contestant {
  @Override
  public String name() {
    return "raw-netty";
  }

  @Override
  public String about() {
    return "a raw echo on Netty, with epoll if available";
  }

  @Override
  public boolean plays(Workload workload, Shape shape) {
    return !workload.isTyped() && workload != Workload.SLEEP;
  }

  @Override
  public String limit() {
    return "raw-loop";
  }

  @Override
  public LoadClient client() {
    return new LoadGenerator(WireFormat.LINES);
  }

  @Override
  public Address serve(Workload workload) throws InterruptedException {
    RawAnswers answers = new RawAnswers(workload);
    byte[] bytes = answers.block();
    ByteBuf block = Unpooled.unreleasableBuffer(
        Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly());
    return NettyServer.listen(pipeline -> pipeline.addLast(new Echo(answers.debt(), block)));
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    private final RawAnswers.Debt debt;
    private final ByteBuf block;

    Echo(RawAnswers.Debt debt, ByteBuf block) {
      this.debt = debt;
      this.block = block;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      debt.received(in.readableBytes());
      in.release();
      for (int most = debt.most(); most > 0; most = debt.most()) {
        context.write(block.slice(debt.at(), most), context.voidPromise());
        debt.sent(most);
      }
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
