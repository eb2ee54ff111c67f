package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A duplex connection that carries frames to and from one peer. A transport provides channels;
 * request ids, calls and time-outs belong to the {@link dev.repartee.Peer} above it.
 *
 * <p>One thread at a time delivers frames to the {@link Receiver}, in order of arrival. Frames are
 * sent in the order of {@link #commit}. {@link Limits#outboundBytes} bounds the write queue: while
 * more bytes of answers are queued, {@link #takesAnswers} returns false and the receiver causes no
 * more of them, so that a peer has to read its answers. If the peer does not read for {@link
 * Limits#drainTimeout}, the connection ends.
 *
 * <p>A transport that sends each message separately provides a {@link MessageChannel}.
 *
 * <p>A transport has to implement {@link #start}, {@link #open}, {@link #commit}, {@link #abort}
 * and {@link #info}. That is all for a channel that sends each frame immediately and never pauses.
 * A channel with a write queue also implements {@link #close}, {@link #awaitRoom} and {@link
 * #takesAnswers}; it calls {@link Receiver#roomAgain}, and asks {@link Receiver#ready} again, when
 * the queue has emptied. One that pauses reading implements {@link #resume}.
 *
 * <p>The two directions may end separately. {@link Receiver#inputClosed} reports that the peer
 * sends nothing more, or that no further message can be found in its input. Answers may be
 * committed until {@link #close()}, which must follow. {@link Receiver#hungUp} reports that the
 * peer reads no more either, if the transport can detect that. {@link Receiver#closed} reports the
 * end of both directions.
 */
public interface Channel extends FrameSink {
  /**
   * Returns a channel over two streams, for example of a serial port or an SSH session. {@link
   * dev.repartee.Repartee#over} opens a peer over two streams.
   *
   * <p>One thread reads and another writes; either stream may block. Each write is followed by a
   * flush. The end of the channel closes both streams; {@link #abort} closes them while they may be
   * in use, so that must end a blocked read or write. {@link Framing#AUTO} answers in the framing
   * of the first message.
   */
  static Channel over(InputStream in, OutputStream out, Framing framing, Limits limits) {
    return StreamChannel.over(in, out, framing, limits);
  }

  /**
   * Returns a channel over the standard input and output of a process that the caller has started,
   * with a directory, environment and standard error of its choice. The channel owns the process
   * from then on: it ends the process as {@code exec:} does, also when the JVM shuts down. Standard
   * error, unless it is redirected, is passed on to {@link System#err} by lines.
   *
   * @throws IOException if the JVM is shutting down; the process is killed then
   */
  static Channel over(Process process, Framing framing, Limits limits) throws IOException {
    return ExecTransport.over(process, framing, limits);
  }

  /**
   * Starts a process and returns a channel over its standard input and output, as {@link
   * #over(Process, Framing, Limits)} does: {@code Peer.open(Channel.over(new
   * ProcessBuilder("plugin").directory(folder), Framing.LINES, Limits.DEFAULT), service, options)}.
   * The process ends with the JVM even if a signal arrives while it starts.
   *
   * @throws IllegalArgumentException if standard input or output is redirected
   * @throws IOException if the process cannot be started
   */
  static Channel over(ProcessBuilder process, Framing framing, Limits limits) throws IOException {
    return ExecTransport.over(process, framing, limits);
  }

  /**
   * Starts the process of an {@code exec:} endpoint and returns a channel over its standard input
   * and output, with a receiver for the lines of its standard error instead of {@link System#err}.
   *
   * @param errors is called by one thread; not at all if the option {@code stderr} of the endpoint
   *     names another destination
   * @throws IllegalArgumentException if the endpoint has another scheme, or is malformed
   * @throws IOException if the process cannot be started
   */
  static Channel over(Endpoint process, Limits limits, Consumer<String> errors) throws IOException {
    if (!process.scheme().equals("exec")) {
      throw new IllegalArgumentException(
          "'" + process.scheme() + ":' starts no process; an endpoint of exec: does");
    }
    return new ExecTransport(errors).connect(process, limits, Headers.NONE);
  }

  /**
   * Returns a channel over a connected TCP or Unix socket, which it makes non-blocking and closes
   * at its end. It is served by the same threads as {@code tcp:} and {@code unix:} endpoints.
   *
   * @throws IllegalArgumentException if the socket is not connected
   * @throws IOException if the socket is closed
   */
  static Channel over(SocketChannel socket, Framing framing, Limits limits) throws IOException {
    return new LoopChannel(ListeningSocket.Link.over(socket, framing, limits));
  }

  /**
   * Starts delivering frames. Called once, before every other method except {@link #info()}, {@link
   * #attributes()} and {@link #abort}: a channel may be aborted instead of started.
   */
  void start(Receiver receiver);

  /**
   * Continues delivering: the receiver is ready again. Called from any thread. Does nothing by
   * default, for a channel that never pauses.
   */
  default void resume() {}

  /**
   * Sends the write queue, then ends the connection. Called from any thread; does not block. No
   * more frames are delivered, and {@link Receiver#closed} follows when the queue is drained. If
   * the peer reads nothing for {@link Limits#drainTimeout}, the connection ends without the rest. A
   * second call has no effect. The default is an orderly {@link #abort}, for a channel without a
   * write queue.
   */
  default void close() {
    abort(null);
  }

  /**
   * Ends the connection immediately and discards the write queue. {@link Receiver#closed} follows
   * with this cause. Called from any thread, possibly more than once; the first cause counts.
   *
   * @param cause the reason, in a message for people; null for an orderly end
   */
  @Override
  void abort(@Nullable Throwable cause);

  @Override
  default boolean streams() {
    return true;
  }

  /**
   * The {@linkplain #attributes attribute} with the network address of the peer, or of the proxy
   * before it; set over TCP, HTTP and WebSocket.
   */
  Attribute<InetSocketAddress> REMOTE_ADDRESS = Attribute.named("remote address");

  /**
   * The {@linkplain #attributes attribute} with the certificate of the peer and its intermediate
   * certificates, its own first. Set under TLS if the peer has shown a certificate, which the
   * transport has verified.
   */
  Attribute<List<X509Certificate>> PEER_CERTIFICATES = Attribute.named("peer certificates");

  /** The {@linkplain #attributes attribute} with the process that {@code exec:} has started. */
  Attribute<ProcessHandle> PROCESS = Attribute.named("process");

  /**
   * Returns the initial {@link dev.repartee.Call#attributes()} of the calls that arrive on this
   * channel: facts that the transport has about the peer, such as the headers of a handshake.
   * Called for each message, on the thread that delivers it, before {@link Receiver#frame} returns,
   * and before {@link #start}.
   * A transport with credentials in each message may return different attributes for each.
   */
  default Attributes attributes() {
    return Attributes.NONE;
  }

  /**
   * Returns whether this channel trades CPU time for latency: a thread that waits for an answer
   * spins for a moment before it sleeps.
   */
  default boolean isLowLatency() {
    return false;
  }

  /** Returns a description of this channel for people. */
  ChannelInfo info();
}
