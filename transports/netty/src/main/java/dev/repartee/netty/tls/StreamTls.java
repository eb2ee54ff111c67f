package dev.repartee.netty.tls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.framing.Frames;
import dev.repartee.framing.Framing;
import dev.repartee.internal.HttpGuard;
import dev.repartee.internal.StreamSecurity;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.SecureTcp;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The TLS of the connections of a {@code tls:} endpoint. Thread-safe. */
final class StreamTls implements StreamSecurity {
  /** The answer to a client without TLS. Code -32000 is an error of the server. */
  private static final byte[] PLAIN =
      ("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":"
              + "\"This port speaks TLS: connect with tls: instead of tcp:\"},\"id\":null}")
          .getBytes(UTF_8);

  private final TlsContext context;
  private final InetSocketAddress address;

  /** The framing of a server; null for a client. */
  private final @Nullable Framing framing;

  private StreamTls(TlsContext context, Endpoint endpoint, @Nullable Framing framing) {
    this.context = context;
    this.address = SecureTcp.address(endpoint);
    this.framing = framing;
  }

  /**
   * Returns the TLS of a client.
   *
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if the address or an option is wrong
   */
  static StreamTls client(Endpoint endpoint) throws IOException {
    SecureTcp.address(endpoint); // first: a malformed address is refused
    return new StreamTls(TlsContext.client(endpoint), endpoint, null);
  }

  /**
   * Returns the TLS of a server.
   *
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if the address or an option is wrong
   */
  static StreamTls server(Endpoint endpoint) throws IOException {
    SecureTcp.address(endpoint);
    return new StreamTls(TlsContext.server(endpoint), endpoint, endpoint.framing(Framing.AUTO));
  }

  @Override
  public Handshake open(SocketChannel socket, @Nullable Runnable continuation) {
    SslContext current = context.current();
    ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
    return new TlsHandshake(
        this,
        socket,
        isServer()
            ? current.newEngine(allocator)
            : current.newEngine(allocator, address.getHostString(), address.getPort()),
        continuation);
  }

  private boolean isServer() {
    return framing != null;
  }

  /** Returns the reason for a failure, with a remedy where one is known. */
  String reason(Throwable failure) {
    String fault = isServer() ? null : TlsFault.reason(failure, address.getHostString(), "tcp:");
    return fault == null ? "TLS failed: " + TlsFault.innermost(failure).getMessage() : fault;
  }

  /** Returns the reason for a handshake that the peer has ended. */
  String endedEarly() {
    return isServer()
        ? "it ended the connection during the TLS handshake"
        : "it ended the connection during the TLS handshake; is it tcp:?";
  }

  /** Returns the reason for the operator of a server; null at a client. */
  @Nullable String refusal(SSLException failure) {
    if (!isServer()) {
      return null;
    }
    return failure instanceof NotSslRecordException
        ? "a client without TLS was refused; it has to connect with tls:"
        : "the TLS handshake failed: " + TlsFault.innermost(failure).getMessage();
  }

  /**
   * Answers a client without TLS, in the framing that it probably uses. A request of HTTP gets no
   * answer, as at other endpoints without HTTP: a web page could read it.
   *
   * @param received the first bytes from the client
   */
  void answerPlain(SocketChannel socket, ByteBuffer received) throws IOException {
    Framing known = framing;
    byte[] first = new byte[received.remaining()];
    received.duplicate().get(first);
    if (known == null || HttpGuard.judge(first, 0, first.length) == HttpGuard.Verdict.HTTP) {
      return;
    }
    boolean hasHeader = known == Framing.AUTO && first.length > 0 && (first[0] | 0x20) == 'c';
    Frames frames = (hasHeader ? Framing.CONTENT_LENGTH : known).open(Limits.DEFAULT);
    JsonWriter answer = new JsonWriter(PLAIN.length);
    frames.begin(answer);
    answer.raw(PLAIN, 0, PLAIN.length);
    frames.finish(answer, 0);
    socket.write(ByteBuffer.wrap(answer.array(), 0, answer.size())); // the first bytes: they fit
  }
}
