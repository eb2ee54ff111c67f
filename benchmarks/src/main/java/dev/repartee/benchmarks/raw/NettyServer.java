package dev.repartee.benchmarks.raw;

import dev.repartee.benchmarks.load.Address;
import io.netty.bootstrap.ServerBootstrap;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * A server on Netty with one thread, with epoll if its natives are available, else with a selector.
 */
final class NettyServer {
  private NettyServer() {}

  static Address listen(Consumer<ChannelPipeline> pipeline) throws InterruptedException {
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
