package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.Objects;

/** One end of a TCP connection, client or server, that sends any lines. */
public final class RawPeer implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;
  private final BufferedReader in;

  /** Connects to a server. */
  public RawPeer(Server server) throws IOException {
    this(new Socket("127.0.0.1", server.port()));
  }

  public RawPeer(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
  }

  /** Returns the socket, for operations that this class does not have. */
  public Socket socket() {
    return socket;
  }

  public void send(String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(UTF_8));
  }

  void credit(int id, String n) throws IOException {
    send("""
        {"jsonrpc":"2.0","method":"rpc.credit","params":{"id":%s,"n":%s}}""".formatted(id, n));
  }

  public Json read() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new IOException("the connection has ended");
    }
    return Json.parse(line);
  }

  public String readMethod() throws IOException {
    return method(read());
  }

  public static String method(Json request) {
    return at(request, "/method").as(String.class);
  }

  public void answer(Json request, String result) throws IOException {
    send("""
        {"jsonrpc":"2.0","id":%s,"result":%s}""".formatted(request.get("id"), result));
  }

  /** Reads the next message, which must call this method, and answers it. */
  public void serve(String method, String result) throws IOException {
    Json request = read();
    assertThat(method(request)).isEqualTo(method);
    answer(request, result);
  }

  /** Waits for the end of the connection; returns false if the other end sends more. */
  public boolean isOver() throws IOException {
    return in.readLine() == null;
  }

  int items(int count) throws IOException {
    int items = 0;
    while (items < count) {
      items += at(read(), "/params/items").elements().size();
    }
    return items;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Returns the value at a path such as /params/id. */
  public static Json at(Json value, String path) {
    Json at = value;
    for (String name : path.substring(1).split("/")) {
      at = Objects.requireNonNull(at.get(name), path + " in " + value);
    }
    return at;
  }
}
