package dev.repartee.netty;

import dev.repartee.internal.BindFault;
import dev.repartee.limits.Limits;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.tls.HandshakeTasks;
import dev.repartee.netty.tls.TlsContext;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.ReadingThread;
import dev.repartee.transport.Transport;
import dev.repartee.transport.http.server.RequestPolicy;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listening port that serves HTTP and WebSocket.
 *
 * <p>Every accepted connection is in {@code connections} until it ends. {@code closing} is set
 * before {@link #close} iterates over the set, and is read after a connection was added. A
 * connection that is accepted meanwhile is therefore finished by {@code close}, by the code that
 * adds it, or by both.
 */
final class HttpListening extends ChannelInitializer<Channel> implements Transport.Listening {
  private static final int BACKLOG = 1_024;

  /** The time to wait in {@link #unbind}; a slower event loop is blocked by user code. */
  private static final long GONE_SECONDS = 1;

  private final RequestPolicy policy;

  /**
   * The connections that count towards the limit {@code connections}; see {@link HandshakeTasks}.
   */
  private final AtomicInteger open = new AtomicInteger();

  private final Set<ServedConnection> connections = ConcurrentHashMap.newKeySet();
  private final Endpoint asked;
  private final HttpAddress address;
  private final @Nullable TlsContext tls;
  private @Nullable Channel server;
  private volatile boolean closing;

  HttpListening(
      Endpoint asked, HttpAddress address, @Nullable TlsContext tls, RequestPolicy policy) {
    this.asked = asked;
    this.address = address;
    this.tls = tls;
    this.policy = policy;
  }

  /**
   * Binds the port.
   *
   * @throws IOException if the port cannot be bound
   */
  HttpListening bind() throws IOException {
    EventLoops loops = EventLoops.shared();
    int outbound = policy.limits().outboundBytes();
    ServerBootstrap bootstrap = new ServerBootstrap()
        .group(loops.group())
        .channel(loops.server())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(outbound / 2, outbound))
        .childHandler(this);
    InetSocketAddress socket = new InetSocketAddress(address.host(), address.port());
    var bound = bootstrap.bind(socket).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on " + asked.bare() + ": " + SystemErrors.reason(bound.cause()) + "; "
              + BindFault.remedy(socket.getAddress()),
          bound.cause());
    }
    server = bound.channel();
    return this;
  }

  private Channel server() {
    return Objects.requireNonNull(server);
  }

  @Override
  public boolean isSharable() {
    return true;
  }

  @Override
  protected void initChannel(Channel channel) {
    Limits limits = policy.limits();
    if (open.incrementAndGet() > limits.connections()) {
      open.decrementAndGet();
      channel.close();
      return;
    }
    EventLoops.shared().keepAlive(channel);
    if (tls == null) {
      channel.closeFuture().addListener(closed -> open.decrementAndGet());
      serve(channel, ApplicationProtocolNames.HTTP_1_1);
    } else {
      HandshakeTasks tasks = new HandshakeTasks(channel, open::decrementAndGet);
      SslHandler handler = tls.current().newHandler(channel.alloc(), tasks);
      handler.setHandshakeTimeoutMillis(Math.max(1, limits.firstByteTimeout().toMillis()));
      Handshake handshake = new Handshake(channel, this::shaken);
      channel.pipeline().addLast(handler, handshake);
      register(channel, handshake);
    }
  }

  private void shaken(Handshake handshake, String protocol) {
    serve(handshake.channel(), protocol);
    connections.remove(handshake);
  }

  /**
   * Adds the handlers of the negotiated protocol. A connection of HTTP/1.1 may still switch to
   * HTTP/2 with its first bytes.
   */
  private void serve(Channel channel, String protocol) {
    ChannelPipeline pipeline = channel.pipeline();
    HttpConnection connection = new HttpConnection(policy);
    pipeline.addLast(connection.times());
    if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
      http2(pipeline, connection.times());
      return;
    }
    pipeline.addLast(new Http2Preface(() -> {
      connection.removeFrom(pipeline);
      connections.remove(connection);
      http2(pipeline, connection.times());
    }));
    connection.addTo(pipeline);
    register(channel, connection);
  }

  private void http2(ChannelPipeline pipeline, TimeLimitsHandler times) {
    Http2ServerConnection connection = new Http2ServerConnection(policy, times);
    connection.addTo(pipeline);
    register(pipeline.channel(), connection);
  }

  private void register(Channel channel, ServedConnection connection) {
    connections.add(connection);
    channel.closeFuture().addListener(ended -> connections.remove(connection));
    if (closing) {
      connection.finish(); // accepted while close() was finishing the others
    }
  }

  @Override
  public Endpoint endpoint() {
    return asked.at("//" + address.at(boundPort()).authority() + address.path());
  }

  @Override
  public OptionalInt port() {
    return OptionalInt.of(boundPort());
  }

  private int boundPort() {
    return ((InetSocketAddress) server().localAddress()).getPort();
  }

  @Override
  public void close() {
    closing = true;
    unbind();
    connections.forEach(ServedConnection::finish);
  }

  @Override
  public CompletionStage<?> finish(Duration limit) {
    close();
    return CompletableFuture.allOf(connections.stream()
        .map(connection -> connection.finish(limit))
        .toArray(CompletableFuture[]::new));
  }

  /**
   * Stops listening. Returns when no client can connect any more. It may return earlier on an event
   * loop, which must not block, and if the event loop of the port is blocked: a handler on it may
   * have called System.exit, which waits for this method.
   */
  private void unbind() {
    ChannelFuture unbound = server().close();
    if (!ReadingThread.isCurrent()) {
      unbound.awaitUninterruptibly(GONE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
