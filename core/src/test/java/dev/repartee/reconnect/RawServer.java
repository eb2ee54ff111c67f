package dev.repartee.reconnect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;

/** A TCP server whose every step is one of the test. */
final class RawServer implements AutoCloseable {
  private static final int MILLIS = 20_000;

  private final ServerSocket socket;

  RawServer() throws IOException {
    this(0);
  }

  RawServer(int port) throws IOException {
    socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(MILLIS);
  }

  int port() {
    return socket.getLocalPort();
  }

  String uri() {
    return "tcp://127.0.0.1:" + port();
  }

  Connection accept() throws IOException {
    Socket accepted = socket.accept();
    accepted.setSoTimeout(MILLIS);
    return new Connection(
        accepted, new BufferedReader(new InputStreamReader(accepted.getInputStream(), UTF_8)));
  }

  /** Refuses connections from now on. */
  void stop() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    stop();
  }

  record Connection(Socket socket, BufferedReader lines) implements AutoCloseable {
    /** Returns the next message; null at the end of input. */
    Json next() throws IOException {
      String line = lines.readLine();
      assertThat(line).as("a message").isNotNull();
      return Json.parse(line);
    }

    String nextMethod() throws IOException {
      return method(next());
    }

    static String method(Json request) {
      return Objects.requireNonNull(request.get("method")).as(String.class);
    }

    void answer(Json request, String result) throws IOException {
      send("""
          {"jsonrpc":"2.0","id":%s,"result":%s}""".formatted(request.get("id"), result));
    }

    /** Reads the next message, which has to call this method, and answers it. */
    void serve(String method, String result) throws IOException {
      Json request = next();
      assertThat(method(request)).isEqualTo(method);
      answer(request, result);
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write((text + "\n").getBytes(UTF_8));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
