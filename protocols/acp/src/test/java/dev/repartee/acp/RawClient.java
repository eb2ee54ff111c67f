package dev.repartee.acp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.Objects;

/** A client that sends and reads lines, to test their order. */
final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final BufferedReader in;
  private int id;

  RawClient(Server server) throws IOException {
    String address = server.endpoint().address();
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1).replace("/", ""));
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(60_000);
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
  }

  /** Sends {@code initialize} and {@code session/new}, and returns the id of the session. */
  String session() throws IOException {
    request("initialize", "{'protocolVersion':1}");
    read();
    request("session/new", "{'cwd':'/','mcpServers':[]}");
    String session = at(read(), "result", "sessionId").as(String.class);
    read(); // the commands
    return session;
  }

  /** Sends a request; apostrophes are replaced by quotes. Returns its id. */
  int request(String method, String params) throws IOException {
    send("{'jsonrpc':'2.0','id':" + ++id + ",'method':'" + method + "','params':" + params + "}");
    return id;
  }

  void notification(String method, String params) throws IOException {
    send("{'jsonrpc':'2.0','method':'" + method + "','params':" + params + "}");
  }

  void send(String line) throws IOException {
    socket.getOutputStream().write((line.replace('\'', '"') + "\n").getBytes(UTF_8));
  }

  Json read() throws IOException {
    return Json.parse(Objects.requireNonNull(in.readLine(), "the connection has ended"));
  }

  static Json at(Json json, String... path) {
    Json value = json;
    for (String name : path) {
      value = Objects.requireNonNull(value.get(name), () -> name + " in " + json);
    }
    return value;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
