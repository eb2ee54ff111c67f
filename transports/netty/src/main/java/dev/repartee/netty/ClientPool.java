package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.Proxy;
import dev.repartee.transport.DisconnectedException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections of an HTTP client to its server. A request is sent on the connection that became
 * idle last, or on a new one. The last one has the most time left until the server may close it. All
 * connections run on one event loop, and only that uses the fields.
 */
final class ClientPool {
  /*
   * Implementation note.
   *
   * A connection is dialled for a request, or carries one, or is idle, or is closed. The pool
   * has no limit: a request must not wait for another one, since a stream of events may last for
   * hours. HttpClientChannel limits its own requests.
   *
   * Not done:
   *   - Pipelining: a response that its receiver does not read would block all later ones.
   *   - Reading the rest of an abandoned response, to keep its connection. It may have no end.
   *   - A timer for each idle period. It was left in the event loop for 20 s after each request, so
   *     a busy client had hundreds of thousands of them. ClientConnection.watch() starts again while
   *     the connection is used.
   *   - Several event loops. One loop needs no lock, and receivers of responses do little on it.
   */
  final EventLoop loop = EventLoops.shared().group().next();
  final Dialer dialer;
  final Limits limits;
  private final Deque<ClientConnection> idle = new ArrayDeque<>();
  private boolean closed;

  ClientPool(Dialer dialer, Limits limits) {
    this.dialer = dialer;
    this.limits = limits;
  }

  HttpAddress address() {
    return dialer.address();
  }

  /** Returns the URI of the server for messages, without secrets. */
  String uri() {
    return HttpAddress.shown(dialer.endpoint());
  }

  /** Returns the name of the server for messages, after the name of the proxy if there is one. */
  String server() {
    Proxy proxy = dialer.requestProxy();
    return address().authority() + (proxy == null ? "" : " through the proxy " + proxy);
  }

  /** Opens a connection for later requests. Called from any thread. */
  Future<Channel> open() {
    ClientConnection fresh = new ClientConnection(this);
    return dial(fresh).addListener(done -> {
      if (done.isSuccess()) {
        keep(fresh);
      }
    });
  }

  private Future<Channel> dial(ClientConnection fresh) {
    return dialer.dial(loop, new HttpRequestEncoder(), fresh.decoder(), fresh);
  }

  /** Sends a request when a connection is open. */
  void send(ClientRequest request) {
    ClientConnection free = idle.pollLast();
    while (free != null && !free.isUsable()) {
      free.close();
      free = idle.pollLast();
    }
    if (free != null) {
      request.send(free);
      return;
    }
    ClientConnection fresh = new ClientConnection(this);
    Future<Channel> dialling = dial(fresh);
    request.dialling(dialling);
    dialling.addListener(done -> {
      Throwable cause = done.cause();
      if (cause != null) {
        request.end(dialer.failed(cause));
      } else if (request.isOver()) {
        keep(fresh); // it was abandoned too late to end the dialling
      } else {
        request.send(fresh);
      }
    });
  }

  /** Returns a request with the fields of the connection: host, length, authorization of a proxy. */
  FullHttpRequest encoded(String method, String target, ByteBuf body) {
    Proxy proxy = dialer.requestProxy();
    FullHttpRequest encoded = new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        HttpMethod.valueOf(method),
        proxy == null ? target : "http://" + address().hostHeader() + target,
        body);
    encoded.headers().set(HttpHeaderNames.HOST, address().hostHeader());
    if (body.isReadable() || method.equals("POST")) {
      encoded.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    }
    if (proxy != null && proxy.authorization() != null) {
      encoded.headers().set(HttpHeaderNames.PROXY_AUTHORIZATION, proxy.authorization());
    }
    return encoded;
  }

  /** Keeps an open connection for later requests, or closes it if the pool is closed. */
  void keep(ClientConnection open) {
    if (closed) {
      open.close();
    } else {
      idle.add(open);
      open.watch();
    }
  }

  /** Removes a connection; returns false if it is not idle. */
  boolean remove(ClientConnection connection) {
    return idle.remove(connection);
  }

  /** Returns the failure of a request that ended with its connection. */
  DisconnectedException lost(String how, @Nullable Throwable cause) {
    return new DisconnectedException("the connection to " + server() + how, cause);
  }

  /** Closes the idle connections now, and the others after their requests. */
  void close() {
    closed = true;
    List.copyOf(idle).forEach(ClientConnection::close);
    idle.clear();
  }
}
