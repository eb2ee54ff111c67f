package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.testkit.RawConnection;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests a connection after a write that has failed inside Netty. */
class FailedWriteTest {
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final CompletableFuture<Channel> accepted = new CompletableFuture<>();

  @AfterEach
  void end() {
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  /** Output whose write fails with an exception that is not an IOException. */
  private static final class Failing extends DefaultFileRegion {
    Failing() {
      super(new File("none"), 0, 1);
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) {
      throw new IllegalStateException("a failure of the event loop");
    }
  }

  /** A connection without limits. */
  private static final class Unlimited implements TimeLimitsHandler.Watched {
    @Override
    public boolean isMessageDue() {
      return false;
    }

    @Override
    public boolean isIdle() {
      return false;
    }

    @Override
    public void passed(ChannelHandlerContext ctx, TimeLimits.Limit limit) {
      throw new AssertionError(limit);
    }
  }

  private int listen() throws Exception {
    ServerBootstrap server = new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .childHandler(new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            channel
                .pipeline()
                .addLast(
                    new TimeLimitsHandler(Limits.DEFAULT, new Unlimited()),
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelActive(ChannelHandlerContext ctx) {
                        ctx.writeAndFlush(new Failing());
                        accepted.complete(ctx.channel());
                      }
                    });
          }
        });
    Channel bound = server.bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    return ((InetSocketAddress) bound.localAddress()).getPort();
  }

  @Test
  void aConnectionOnWhichNothingCanBeWrittenAnyMoreEndsThoughItsPeerStaysOpen() throws Exception {
    try (RawConnection peer = new RawConnection("tcp://127.0.0.1:" + listen())) {
      Channel channel = accepted.get(60, TimeUnit.SECONDS);
      assertThat(channel.closeFuture().await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(peer.isOver()).isTrue();
    }
  }
}
