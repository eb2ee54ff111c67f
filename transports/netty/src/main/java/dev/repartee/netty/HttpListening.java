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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
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

  /** The number of connections to accept before the event loop serves others again. */
  private static final int ACCEPTED_TOGETHER = 16;

  /**
   * The time without a new connection before the port of a closing server is closed. A server without
   * open connections does not wait: no client is about to replace one.
   */
  private static final long QUIET_MILLIS = 20;

  /** The maximum time to wait for {@link #QUIET_MILLIS} without a new connection. */
  private static final long MOST_MILLIS = 200;

  /** The time for the event loop to accept the last connections, if there are any. */
  private static final long ACCEPT_MILLIS = 5;

  /** The time to wait in {@link #unbind}; a slower event loop is blocked by user code. */
  private static final long GONE_SECONDS = 1;

  private final RequestPolicy policy;

  /**
   * The connections that count towards the limit {@code connections}; see {@link HandshakeTasks}.
   */
  private final AtomicInteger open = new AtomicInteger();

  /**
   * Lets the event loop accept several connections together. By default, Netty with epoll accepts
   * only one: it compares the result of a read, here a file descriptor, with the requested size.
   */
  private final DefaultMaxMessagesRecvByteBufAllocator accepts =
      new ServerChannelRecvByteBufAllocator().respectMaybeMoreData(false);

  private final Set<ServedConnection> connections = ConcurrentHashMap.newKeySet();
  private final Endpoint asked;
  private final HttpAddress address;
  private final @Nullable TlsContext tls;
  private @Nullable Channel server;
  private volatile boolean closing;

  /** The number of accepted connections. Only for the event loop of the listening socket. */
  private long accepted;

  /** Whether the listening socket is closed after its next read. Only for its event loop. */
  private boolean acceptsLast;

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
    accepts.maxMessagesPerRead(ACCEPTED_TOGETHER);
    int outbound = policy.limits().outboundBytes();
    ServerBootstrap bootstrap = new ServerBootstrap()
        .group(loops.group())
        .channel(loops.server())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .option(ChannelOption.RECVBUF_ALLOCATOR, accepts)
        .handler(new AcceptCounter())
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
    long quiet = connections.isEmpty() ? 0 : QUIET_MILLIS;
    connections.forEach(ServedConnection::finish);
    unbind(quiet);
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
   *
   * <p>When the port is closed, the system resets the connections in its accept queue. A client that
   * has sent a request on one of them cannot know whether it was handled. Therefore {@link #close}
   * ends the open connections first, and new connections get the response of a closing server until
   * none was accepted for {@link #QUIET_MILLIS}.
   */
  private void unbind(long quietMillis) {
    Channel listening = server();
    EventLoop loop = listening.eventLoop();
    accepts.maxMessagesPerRead(BACKLOG);
    long last = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
    loop.execute(() -> closeWhenQuiet(listening, quietMillis, last));
    if (!ReadingThread.isCurrent()) {
      listening.closeFuture().awaitUninterruptibly(GONE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void closeWhenQuiet(Channel listening, long quietMillis, long last) {
    long before = accepted;
    EventLoop loop = listening.eventLoop();
    loop.schedule(
        () -> {
          if (accepted != before && System.nanoTime() - last < 0) {
            closeWhenQuiet(listening, quietMillis, last);
          } else {
            acceptsLast = true;
            loop.schedule(() -> listening.close(), ACCEPT_MILLIS, TimeUnit.MILLISECONDS);
          }
        },
        quietMillis,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Counts the accepted connections. Closes the listening socket right after it has accepted the last
   * ones: the queue of the system is empty then.
   */
  private final class AcceptCounter extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object connection) {
      accepted++;
      ctx.fireChannelRead(connection);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.fireChannelReadComplete();
      if (acceptsLast) {
        ctx.close();
      }
    }
  }
}
