package dev.repartee.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The bytes that a connection reads and writes on its non-blocking socket: directly, or under TLS.
 * One thread at a time reads, and one at a time writes; both may run in parallel. {@link #endOutput}
 * is called by the reading thread when all bytes are written.
 */
public interface Wire {
  /**
   * Reads bytes, as {@link SocketChannel#read(ByteBuffer)} does.
   *
   * @return the number of bytes; 0 if none have arrived; -1 if the peer has ended its output
   * @throws IOException if the connection is lost, or ends without the sign of an orderly end that
   *     the encryption requires
   */
  int read(ByteBuffer target) throws IOException;

  /** Returns whether a read returns something that has left the socket already. */
  default boolean holdsInput() {
    return false;
  }

  /**
   * Writes bytes, as {@link SocketChannel#write(ByteBuffer)} does. If not all bytes were written,
   * the next call must offer the others again, possibly in another buffer.
   *
   * @return the number of bytes that the socket has accepted
   */
  int write(ByteBuffer source) throws IOException;

  /**
   * Ends the output.
   *
   * @return false if the socket did not accept the sign of the end; then this method is to be called
   *     again when the socket is writable
   */
  boolean endOutput() throws IOException;

  /** Returns the verified certificate of the peer and its intermediate certificates; or none. */
  default List<X509Certificate> peerCertificates() {
    return List.of();
  }

  /** The wire of a socket without encryption. */
  record Plain(SocketChannel socket) implements Wire {
    @Override
    public int read(ByteBuffer target) throws IOException {
      return socket.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      return socket.write(source);
    }

    @Override
    public boolean endOutput() throws IOException {
      socket.shutdownOutput();
      return true;
    }
  }
}
