package dev.repartee.broker;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A socket with writes that do not fail when the other side has ended the connection: reads return
 * the input that arrived before, then the end. For TLS: a server may refuse a client during the
 * handshake, while the client still writes. After a failed write the JDK closes the socket, and
 * never reads the alert with the reason.
 *
 * <p>Only for users that always read and thus detect the end. Thread-safe as any socket.
 */
public final class PatientSocket extends Socket {
  /** Creates a socket that is not connected. */
  public PatientSocket() {}

  /** Returns a factory of such sockets. */
  public static SocketFactory factory() {
    return new Factory();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    return new FilterOutputStream(super.getOutputStream()) {
      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        try {
          out.write(bytes, from, count);
        } catch (IOException e) {
          if (isClosed() || isOutputShutdown()) {
            throw e; // this side has ended it
          }
        }
      }
    };
  }

  private static final class Factory extends SocketFactory {
    @Override
    public Socket createSocket() {
      return new PatientSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
        throws IOException {
      return connected(new InetSocketAddress(host, port), new InetSocketAddress(local, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
        throws IOException {
      return connected(new InetSocketAddress(host, port), new InetSocketAddress(local, localPort));
    }

    private static Socket connected(SocketAddress to, @Nullable SocketAddress local)
        throws IOException {
      Socket socket = new PatientSocket();
      try {
        if (local != null) {
          socket.bind(local);
        }
        socket.connect(to);
        return socket;
      } catch (IOException e) {
        socket.close();
        throw e;
      }
    }
  }
}
