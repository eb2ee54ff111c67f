package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.RefusedCall;
import dev.repartee.internal.Text;
import dev.repartee.message.Id;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The attributes that the conventions share. */
final class CallFacts {
  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> STATUS_CODE = AttributeKey.stringKey("rpc.status_code");
  private static final AttributeKey<String> REQUEST_ID =
      AttributeKey.stringKey("jsonrpc.request.id");
  private static final AttributeKey<String> SERVER_ADDRESS =
      AttributeKey.stringKey("server.address");
  private static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
  private static final AttributeKey<String> PEER_ADDRESS =
      AttributeKey.stringKey("network.peer.address");
  private static final AttributeKey<Long> PEER_PORT = AttributeKey.longKey("network.peer.port");

  private final Names errors;
  private final AddressTexts addresses = new AddressTexts();

  /**
   * @param errors the error types that are values of a tag
   */
  CallFacts(Names errors) {
    this.errors = errors;
  }

  void describe(Call call, boolean served, SpanBuilder span) {
    id(call.id(), span);
    if (served) {
      server(call.header("host"), span);
      peer(call.attributes().get(Channel.REMOTE_ADDRESS), span);
    } else {
      dialled(call.channel(), span);
    }
  }

  void describe(RefusedCall call, SpanBuilder span) {
    id(call.id(), span);
    server(call.header("host"), span);
    peer(call.attributes().get(Channel.REMOTE_ADDRESS), span);
  }

  /** Sets the id of an outgoing call. The call gets its id after the layers. */
  static void id(Id id, Span span) {
    span.setAttribute(REQUEST_ID, id.json().text());
  }

  private static void id(@Nullable Id id, SpanBuilder span) {
    if (id != null && !id.isNull()) {
      span.setAttribute(REQUEST_ID, Names.cut(id.json().text()));
    }
  }

  /** Sets the address that the client has used; a server knows it over HTTP only. */
  private static void server(@Nullable String host, SpanBuilder span) {
    if (host != null) {
      address(Names.cut(host), span);
    }
  }

  /** Sets the address that this client has dialled. */
  private static void dialled(ChannelInfo channel, SpanBuilder span) {
    switch (channel.transport()) {
      case "unix" ->
        span.setAttribute(SERVER_ADDRESS, channel.remote())
            .setAttribute(PEER_ADDRESS, channel.remote());
      case "tcp", "tls", "http", "https", "ws", "wss" -> address(channel.remote(), span);
      default -> {
        // A program or standard streams have no address; a broker is not the server.
      }
    }
  }

  /** Sets a host with an optional port, as in a URI. */
  private static void address(String authority, SpanBuilder span) {
    boolean bracketed = authority.startsWith("[");
    int colon = authority.indexOf(':', bracketed ? authority.indexOf(']') : 0);
    boolean hasPort = colon >= 0 && colon == authority.lastIndexOf(':');
    String host = hasPort ? authority.substring(0, colon) : authority;
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty()) {
      return;
    }
    span.setAttribute(SERVER_ADDRESS, host);
    if (hasPort) {
      port(authority.substring(colon + 1), span);
    }
  }

  private static void port(String digits, SpanBuilder span) {
    long port = digits.length() <= 5 ? Text.number(digits) : -1;
    if (port >= 0) {
      span.setAttribute(SERVER_PORT, port);
    }
  }

  private void peer(@Nullable InetSocketAddress remote, SpanBuilder span) {
    if (remote != null && remote.getAddress() != null) {
      span.setAttribute(PEER_ADDRESS, addresses.of(remote.getAddress()))
          .setAttribute(PEER_PORT, (long) remote.getPort());
    }
  }

  /** Sets the attributes of a failure. */
  static void end(Span span, Outcome outcome) {
    if (outcome.type() != null) {
      span.setAttribute(ERROR_TYPE, outcome.type());
    }
    if (outcome.code() != null) {
      span.setAttribute(STATUS_CODE, outcome.code());
    }
  }

  /** Returns the attributes of a duration; attributes of a failure are added, and bounded. */
  Attributes with(Attributes success, Outcome outcome) {
    String type = outcome.type();
    if (type == null) {
      return success;
    }
    AttributesBuilder failed = success.toBuilder();
    String bounded = errors.admit(type);
    failed.put(ERROR_TYPE, bounded);
    if (outcome.code() != null) {
      failed.put(STATUS_CODE, bounded.equals(type) ? outcome.code() : Names.OTHER);
    }
    return failed.build();
  }
}
