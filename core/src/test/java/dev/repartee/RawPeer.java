package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.Objects;

/** A client or server that writes what it likes. */
final class RawPeer implements AutoCloseable {
  private final Socket socket;
  private final BufferedReader in;

  RawPeer(Server server) throws IOException {
    this(new Socket("127.0.0.1", port(server)));
  }

  RawPeer(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
  }

  void send(String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(UTF_8));
  }

  void credit(int id, String n) throws IOException {
    send("""
        {"jsonrpc":"2.0","method":"rpc.credit","params":{"id":%s,"n":%s}}""".formatted(id, n));
  }

  Json read() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new IOException("the connection has ended");
    }
    return Json.parse(line);
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

  static int port(Server server) {
    String address = server.endpoint().address();
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** Returns the value at a path such as /params/id. */
  static Json at(Json value, String path) {
    Json at = value;
    for (String name : path.substring(1).split("/")) {
      at = Objects.requireNonNull(at.get(name), path + " in " + value);
    }
    return at;
  }
}
