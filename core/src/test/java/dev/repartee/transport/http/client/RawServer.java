package dev.repartee.transport.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;

/** A server on loopback whose test plays the script. Every wait ends after 20 seconds. */
final class RawServer implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final ServerSocket server;

  RawServer() throws IOException {
    this(InetAddress.getLoopbackAddress());
  }

  RawServer(InetAddress address) throws IOException {
    server = new ServerSocket(0, 10, address);
    server.setSoTimeout(PATIENCE_MILLIS);
  }

  int port() {
    return server.getLocalPort();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  Connection accept() throws IOException {
    return new Connection(server.accept());
  }

  /** Accepts a connection, reads the head of its request, and sends a text. */
  Connection answer(String text) throws IOException {
    Connection connection = accept();
    connection.head();
    connection.send(text);
    return connection;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  /** An accepted connection. */
  static final class Connection implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      socket.setSoTimeout(PATIENCE_MILLIS);
      in = socket.getInputStream();
    }

    /** Returns the head of the next request with its empty line. */
    String head() throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0) {
          throw new IOException("the client has closed the connection after: " + head);
        }
        head.append((char) next);
      }
      return head.toString();
    }

    String bytes(int count) throws IOException {
      return new String(in.readNBytes(count), ISO_8859_1);
    }

    /** Sends a text; each {@code |} becomes a line end. */
    void send(String text) throws IOException {
      socket.getOutputStream().write(text.replace("|", "\r\n").getBytes(ISO_8859_1));
    }

    /** Returns whether the client closes the connection, and sends nothing before. */
    boolean isOver() throws IOException {
      try {
        return in.read() < 0;
      } catch (SocketException e) { // the client has closed it with unread input
        return true;
      }
    }

    /** Reads what the client sends until it closes the connection. */
    void awaitEnd() throws IOException {
      while (!isOver()) {
        // a byte of the request
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
