package dev.repartee.netty;

import dev.repartee.internal.LatestDigest;
import dev.repartee.netty.http.RequestHeaders;
import dev.repartee.netty.tls.Tls;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpService;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The facts about one connection that its requests share. They are determined by the first request,
 * when a TLS handshake is over. Runs on the event loop.
 */
final class RequestContext {
  static final byte[] NO_BODY = {};

  private final LatestDigest latestDigest = new LatestDigest();
  private @Nullable ChannelInfo info;
  private @Nullable Attributes attributes;

  ChannelInfo info(Channel channel) {
    ChannelInfo known = info;
    if (known == null) {
      known = new ChannelInfo(
          Tls.isOn(channel) ? "https" : "http", Connections.remote(channel), "message");
      info = known;
    }
    return known;
  }

  /** Returns the address that the client has connected to, or null if it is not known. */
  static @Nullable InetSocketAddress local(Channel channel) {
    return channel.localAddress() instanceof InetSocketAddress address ? address : null;
  }

  /** Returns the attributes of the calls in a request. */
  Attributes attributes(Channel channel, HttpRequest request) {
    Attributes known = attributes;
    if (known == null) {
      known = Connections.attributes(channel);
      attributes = known;
    }
    return RequestHeaders.attributes(known, request, headers(request));
  }

  private RequestHeaders headers(HttpRequest request) {
    return new RequestHeaders(request.headers(), latestDigest);
  }

  /** Returns a request in the form for a service, a filter or a gate. */
  dev.repartee.transport.http.HttpRequest serviceRequest(
      Channel channel, HttpRequest request, byte[] content, Attributes attributes) {
    String target = request.uri();
    int query = target.indexOf('?');
    return new dev.repartee.transport.http.HttpRequest(
        request.method().name(),
        query < 0 ? target : target.substring(0, query),
        query < 0 ? null : target.substring(query + 1),
        headers(request),
        content,
        info(channel),
        attributes);
  }

  /** Lets the service of a path serve a request; the exchange receives the response. */
  void serve(Channel channel, Arrival arrival, MessageBytes message, HttpExchange x) {
    Attributes facts = arrival.attributes();
    HttpService service = arrival.route.http();
    if (service != null) {
      byte[] content = Arrays.copyOf(message.bytes, message.size);
      x.repliedBy(service, serviceRequest(channel, arrival.head.request(), content, facts));
    } else {
      x.servedBy(Objects.requireNonNull(arrival.route.responder())
          .of(info(channel), x.callAttributes(facts))
          .serve(message.bytes, 0, message.size, x));
    }
  }
}
