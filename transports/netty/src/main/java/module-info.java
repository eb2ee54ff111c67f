/** JSON-RPC over HTTP and WebSocket, and over TCP with TLS, as server and as client. */
module dev.repartee.netty {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.compression;
  requires io.netty.codec.http;
  requires io.netty.codec.http2;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires static io.netty.transport.classes.epoll;

  provides dev.repartee.transport.Transport with
      dev.repartee.netty.NettyTransport,
      dev.repartee.netty.tls.TlsTransport;
}
