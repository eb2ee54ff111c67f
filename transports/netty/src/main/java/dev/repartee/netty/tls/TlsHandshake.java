package dev.repartee.netty.tls;

import dev.repartee.internal.StreamSecurity.Handshake;
import dev.repartee.internal.Wire;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The TLS handshake of one connection of {@code tls:}. */
final class TlsHandshake implements Handshake {
  private final StreamTls side;
  private final SocketChannel socket;
  private final SSLEngine engine;
  private final @Nullable Runnable continuation;
  private final TlsWire wire;
  private boolean begun;
  private @Nullable String refusal;

  /**
   * Creates the handshake.
   *
   * @param continuation as of {@link dev.repartee.internal.StreamSecurity#open}
   */
  TlsHandshake(
      StreamTls side, SocketChannel socket, SSLEngine engine, @Nullable Runnable continuation) {
    this.side = side;
    this.socket = socket;
    this.engine = engine;
    this.continuation = continuation;
    this.wire = new TlsWire(socket, engine, side::reason);
  }

  @Override
  public int proceed() throws IOException {
    if (!begun) {
      begun = true;
      engine.beginHandshake();
    }
    while (wire.flush()) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> {
          if (!runTasks()) {
            return BUSY;
          }
        }
        case NEED_WRAP -> send();
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (!receive()) {
            return SelectionKey.OP_READ;
          }
        }
        case FINISHED, NOT_HANDSHAKING -> {
          return done();
        }
      }
    }
    return SelectionKey.OP_WRITE;
  }

  private int done() throws IOException {
    if (engine.isInboundDone() || engine.isOutboundDone()) {
      throw new IOException(side.endedEarly());
    }
    Tls.refuseRenegotiation(engine);
    wire.shaken();
    return DONE;
  }

  /** Runs the expensive steps; returns false if another thread does it. */
  private boolean runTasks() {
    if (continuation == null) {
      Tls.runTasks(engine);
      return true;
    }
    HandshakeTasks.execute(() -> Tls.runTasks(engine), socket::isOpen, continuation);
    return false;
  }

  private void send() throws IOException {
    try {
      wire.send();
    } catch (SSLException e) { // of a task
      refusal = side.refusal(e);
      throw wire.failed(e);
    }
  }

  /**
   * Processes the records that have arrived.
   *
   * @return false if more have to arrive
   */
  private boolean receive() throws IOException {
    ByteBuffer none = RecordBuffers.take();
    try {
      if (!wire.unwrap(none)) {
        throw new IOException(side.endedEarly());
      }
    } catch (NotSslRecordException e) {
      refusal = side.refusal(e);
      side.answerPlain(socket, wire.unread());
      throw new IOException(side.reason(e), e);
    } catch (SSLException e) {
      refusal = side.refusal(e);
      throw wire.failed(e);
    } finally {
      RecordBuffers.give(none);
    }
    return switch (engine.getHandshakeStatus()) {
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> false;
      default -> true;
    };
  }

  @Override
  public boolean readAhead() throws IOException {
    return wire.readAhead();
  }

  @Override
  public Wire wire() {
    return wire;
  }

  @Override
  public @Nullable String refusal() {
    return refusal;
  }
}
