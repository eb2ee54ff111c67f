package dev.repartee.acp;

import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.util.Objects;

/** A client that sends and reads lines, to test their order. */
final class RawClient implements AutoCloseable {
  private final RawConnection connection;
  private int id;

  RawClient(Server server) throws IOException {
    connection = new RawConnection(server);
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
    connection.send(line.replace('\'', '"') + "\n");
  }

  Json read() throws IOException {
    return Json.parse(connection.line());
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
    connection.close();
  }
}
