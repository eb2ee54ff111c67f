package dev.repartee.netty.tls;

import dev.repartee.internal.Wire;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** The bytes of a socket under TLS, by the engine of the JDK. */
final class TlsWire implements Wire {
  // Implementation note.
  //
  // Reading. The records that were read but not decrypted are in "rest", the decrypted bytes that
  // did not fit into the target in "plain". Only the reading thread uses them.
  //
  // Writing. The encrypted bytes that the socket has not accepted are in "out". They contain the
  // next "pending" bytes of the source: write() reports these bytes as written only when the socket
  // has accepted their records. The caller offers them again until then, and they are skipped. Its
  // queue is thus not empty before the last record is sent, which its time limits rely on. Records
  // are longer than their content: while n bytes of them are left, at most n bytes are pending.
  //
  // The reading thread writes, too: the answer to a KeyUpdate, and alerts. The lock guards out,
  // pending and the calls of wrap(). The socket does not block: the lock is held for a short time.

  /** The most encrypted bytes that wait while further messages of TLS itself are to be sent. */
  private static final int MOST_WAITING = 128 << 10;

  /** The content types of the records of TLS: from change_cipher_spec to application_data. */
  private static final int FIRST_TYPE = 20;

  private static final int LAST_TYPE = 23;

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final Function<Throwable, String> reason;
  private final int packet;

  private ByteBuffer rest = RecordBuffers.NOTHING;
  private ByteBuffer plain = RecordBuffers.NOTHING;

  /** Whether {@link #rest} is not a whole record. */
  private boolean incomplete = true;

  /** Whether the handshake is not done. */
  private boolean shaking = true;

  /** Whether the peer has sent close_notify. */
  private boolean ended;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private ByteBuffer out = RecordBuffers.NOTHING;
  private int pending;

  /**
   * Creates the wire.
   *
   * @param reason describes a failure of TLS
   */
  TlsWire(SocketChannel socket, SSLEngine engine, Function<Throwable, String> reason) {
    this.socket = socket;
    this.engine = engine;
    this.reason = reason;
    this.packet = engine.getSession().getPacketBufferSize();
  }

  /** Ends the handshake. */
  void shaken() {
    shaking = false;
  }

  @Override
  public List<X509Certificate> peerCertificates() {
    return Tls.peerCertificates(engine);
  }

  // ---------------------------------------------------------------- reading

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (plain.hasRemaining()) {
      return takePlain(target);
    }
    if (ended) {
      return -1;
    }
    int start = target.position();
    try {
      if (!unwrap(target)) {
        throw new IOException(
            "it ended without the close_notify of TLS, perhaps in the middle of a message");
      }
    } catch (SSLException e) {
      throw failed(e);
    }
    int count = target.position() - start;
    return count == 0 && ended ? -1 : count;
  }

  @Override
  public boolean holdsInput() {
    return plain.hasRemaining() || !incomplete || ended;
  }

  private int takePlain(ByteBuffer target) {
    int count = Math.min(plain.remaining(), target.remaining());
    target.put(plain.slice().limit(count));
    plain.position(plain.position() + count);
    if (!plain.hasRemaining()) {
      plain = RecordBuffers.NOTHING;
    }
    return count;
  }

  /**
   * Reads from the socket if necessary, and decrypts as many records as the target has room for.
   *
   * @return false at the end of the socket's input
   */
  boolean unwrap(ByteBuffer target) throws IOException {
    ByteBuffer records = RecordBuffers.take().put(rest);
    boolean open = true;
    if (incomplete) {
      int room = Math.max(packet, target.remaining());
      records.limit(Math.min(records.capacity(), records.position() + room));
      open = socket.read(records) >= 0;
    }
    records.flip();
    try {
      if (shaking && records.hasRemaining() && !isRecord(records.get(0))) {
        throw new NotSslRecordException("not a record of TLS");
      }
      if (open) {
        decrypt(records, target);
      }
    } finally {
      rest = RecordBuffers.keepRest(records);
    }
    return open;
  }

  /** Reads from the socket without decrypting; returns false at the end of its input. */
  boolean readAhead() throws IOException {
    ByteBuffer records = RecordBuffers.take().put(rest);
    try {
      return socket.read(records) >= 0;
    } finally {
      rest = RecordBuffers.keepRest(records.flip());
    }
  }

  /** Returns whether a record of TLS may begin with this byte, its content type. */
  private static boolean isRecord(byte first) {
    return first >= FIRST_TYPE && first <= LAST_TYPE;
  }

  /** Returns the bytes that were read but not decrypted. */
  ByteBuffer unread() {
    return rest;
  }

  private void decrypt(ByteBuffer records, ByteBuffer target) throws IOException {
    int start = target.position();
    incomplete = false;
    while (!incomplete && !ended) {
      SSLEngineResult result = engine.unwrap(records, target);
      switch (result.getStatus()) {
        case BUFFER_UNDERFLOW -> incomplete = true;
        case CLOSED -> ended = true;
        case BUFFER_OVERFLOW -> {
          if (target.position() == start && target.hasRemaining()) {
            decryptApart(records);
            takePlain(target);
          }
          return;
        }
        case OK -> {
          if (answers(result)) {
            return; // the handshake continues elsewhere
          }
        }
      }
    }
  }

  /** Decrypts a record that does not fit into the target. */
  private void decryptApart(ByteBuffer records) throws IOException {
    ByteBuffer apart = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
    answers(engine.unwrap(records, apart));
    plain = apart.flip();
  }

  /**
   * Answers a message of TLS itself.
   *
   * @return whether the engine unwraps nothing more for now: during the handshake only
   */
  private boolean answers(SSLEngineResult result) throws IOException {
    HandshakeStatus status = result.getHandshakeStatus();
    if (shaking) {
      return status != HandshakeStatus.NEED_UNWRAP;
    }
    if (status == HandshakeStatus.NEED_TASK) { // renegotiation, which fails in its first step
      Tls.runTasks(engine);
    }
    if (status == HandshakeStatus.NEED_WRAP) {
      send();
    }
    return false;
  }

  // ---------------------------------------------------------------- writing

  @Override
  public int write(ByteBuffer source) throws IOException {
    lock.lock();
    try {
      int start = source.position();
      boolean accepted = flush();
      advance(source);
      while (accepted && source.hasRemaining()) {
        accepted = encrypt(source);
        advance(source);
      }
      return source.position() - start;
    } catch (SSLException e) {
      throw failed(e);
    } finally {
      lock.unlock();
    }
  }

  /** Advances the source over the bytes whose records the socket has accepted. */
  private void advance(ByteBuffer source) {
    int left = Math.min(pending, out.remaining());
    source.position(source.position() + pending - left);
    pending = left;
  }

  /** Encrypts up to four records and writes them, without changing the position of the source. */
  private boolean encrypt(ByteBuffer source) throws IOException {
    ByteBuffer records = RecordBuffers.take();
    ByteBuffer content = source.duplicate();
    while (content.hasRemaining() && records.remaining() >= packet) {
      SSLEngineResult result = engine.wrap(content, records);
      if (result.getStatus() != SSLEngineResult.Status.OK) {
        throw new SSLException("the peer has ended both directions with close_notify");
      }
      if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
        throw new SSLException("renegotiation is refused");
      }
    }
    pending = content.position() - source.position();
    socket.write(records.flip());
    out = RecordBuffers.keepRest(records);
    return !out.hasRemaining();
  }

  /** Writes the encrypted bytes; returns whether the socket has accepted all of them. */
  boolean flush() throws IOException {
    lock.lock();
    try {
      if (out.hasRemaining()) {
        socket.write(out);
      }
      if (!out.hasRemaining()) {
        out = RecordBuffers.NOTHING;
      }
      return !out.hasRemaining();
    } finally {
      lock.unlock();
    }
  }

  /** Sends the messages of the engine itself: of the handshake, answers to KeyUpdate, alerts. */
  void send() throws IOException {
    lock.lock();
    try {
      if (out.remaining() > MOST_WAITING) {
        throw new IOException("the peer sends messages of TLS, but reads no answers to them");
      }
      ByteBuffer records = RecordBuffers.take();
      SSLEngineResult result;
      do {
        result = engine.wrap(RecordBuffers.NOTHING, records);
      } while (result.bytesProduced() > 0
          && result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP
          && records.remaining() >= packet);
      queue(records.flip());
      flush();
    } finally {
      lock.unlock();
    }
  }

  private void queue(ByteBuffer records) {
    ByteBuffer more = RecordBuffers.keepRest(records);
    out = out.hasRemaining()
        ? ByteBuffer.allocate(out.remaining() + more.remaining())
            .put(out)
            .put(more)
            .flip()
        : more;
  }

  @Override
  public boolean endOutput() throws IOException {
    lock.lock();
    try {
      if (!engine.isOutboundDone()) {
        engine.closeOutbound();
        send(); // close_notify
      }
      if (!flush()) {
        return false;
      }
      socket.shutdownOutput();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Sends the alert for a failure, and returns the exception for the caller. */
  IOException failed(SSLException cause) {
    try {
      send();
    } catch (IOException e) {
      // The failure itself is reported.
    }
    return new IOException(reason.apply(cause), cause);
  }
}
