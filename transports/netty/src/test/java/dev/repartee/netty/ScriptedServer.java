package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server that sends the bytes of a script, valid or not. */
final class ScriptedServer implements AutoCloseable {
  static final String EVENTS =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  static final String LAST_CHUNK = "0\r\n\r\n";

  /** The script of one connection. */
  interface Script {
    void run(Connection connection) throws Exception;
  }

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Script script;
  final AtomicInteger connections = new AtomicInteger();

  ScriptedServer(Script script) throws IOException {
    this.script = script;
    start(this::accept);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "scripted-server");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        connections.incrementAndGet();
        start(() -> serve(socket));
      }
    } catch (IOException e) {
      // closed: the test is over
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      script.run(new Connection(socket));
    } catch (Exception e) {
      // the client notices the end of the connection
    }
  }

  String uri() {
    return "http://127.0.0.1:" + server.getLocalPort() + "/";
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  static String chunk(String text) {
    return Integer.toHexString(text.getBytes(UTF_8).length) + "\r\n" + text + "\r\n";
  }

  static String json(String body, String... headers) {
    return answer("200 OK", body, headers);
  }

  static String answer(String status, String body, String... headers) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n"
        + String.join("", Arrays.stream(headers).map(h -> h + "\r\n").toList())
        + "\r\n" + body;
  }

  /** One connection. */
  static final class Connection {
    private final RawConnection raw;

    Connection(Socket socket) throws IOException {
      raw = new RawConnection(socket);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(30_000);
    }

    /** Reads the head of the next request. */
    String head() throws IOException {
      return raw.head();
    }

    /** Reads the next request: its head and its body. */
    String request() throws IOException {
      return raw.answer();
    }

    Connection send(String text) throws IOException {
      raw.send(text.getBytes(UTF_8));
      return this;
    }

    /** Accepts the WebSocket that the client opens (RFC 6455 section 4.2.2). */
    void accept() throws Exception {
      String head = head();
      String name = "sec-websocket-key: ";
      int at = head.toLowerCase(Locale.ROOT).indexOf(name) + name.length();
      String key = head.substring(at, head.indexOf('\r', at));
      byte[] digest = MessageDigest.getInstance("SHA-1")
          .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(ISO_8859_1));
      send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: " + Base64.getEncoder().encodeToString(digest) + "\r\n\r\n");
    }

    /**
     * Sends a frame with a payload of less than 126 bytes. {@code first} is the first byte of the
     * frame.
     */
    void frame(int first, String payload) throws IOException {
      frame(first, payload.getBytes(UTF_8));
    }

    /** Starts the closing handshake. */
    void close(int status, String reason) throws IOException {
      byte[] text = reason.getBytes(UTF_8);
      byte[] bytes = new byte[2 + text.length];
      bytes[0] = (byte) (status >> 8);
      bytes[1] = (byte) status;
      System.arraycopy(text, 0, bytes, 2, text.length);
      frame(0x88, bytes);
    }

    private void frame(int first, byte[] bytes) throws IOException {
      byte[] frame = new byte[2 + bytes.length];
      frame[0] = (byte) first;
      frame[1] = (byte) bytes.length;
      System.arraycopy(bytes, 0, frame, 2, bytes.length);
      raw.send(frame);
    }

    /**
     * Reads the next frame of the client, with a payload of less than 126 bytes. Returns its first
     * byte in hex, and the payload.
     */
    String frame() throws IOException {
      String head = raw.bytes(2);
      byte[] mask = raw.bytes(4).getBytes(ISO_8859_1);
      byte[] payload = raw.bytes(head.charAt(1) & 0x7F).getBytes(ISO_8859_1);
      for (int i = 0; i < payload.length; i++) {
        payload[i] ^= mask[i % 4];
      }
      return Integer.toHexString(head.charAt(0)) + " " + new String(payload, UTF_8);
    }

    /** Returns whether the client has disconnected. Otherwise it sends nothing more. */
    boolean isEnded() throws IOException {
      raw.socket().setSoTimeout(100);
      try {
        return raw.isOver();
      } catch (SocketTimeoutException e) {
        return false;
      }
    }

    /**
     * Waits for the client to disconnect. A client that closes its socket before it has read all
     * of a response resets the connection.
     */
    void awaitEnd() throws IOException {
      raw.rest();
    }
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(30, TimeUnit.SECONDS)) {
      throw new AssertionError("waited in vain");
    }
  }
}
