package dev.repartee.dap;

import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;

/** A client that sends and reads raw messages, so that their order is seen. */
final class RawClient implements AutoCloseable {
  private final RawConnection connection;
  private int seq;

  RawClient(Server server) throws IOException {
    connection = new RawConnection(server);
  }

  /** Sends a request; {@code arguments} may be empty. */
  void request(String command, String arguments) throws IOException {
    send("{\"seq\":" + ++seq + ",\"type\":\"request\",\"command\":\"" + command + '"'
        + (arguments.isEmpty() ? "" : ",\"arguments\":" + arguments) + "}");
  }

  void send(String message) throws IOException {
    connection.send(RawConnection.withLength(message));
  }

  Json read() throws IOException {
    return Json.parse(connection.body());
  }

  /**
   * Reads a message and returns it in short: {@code event stopped}, {@code launch} for an answer,
   * {@code launch: text} for an error.
   */
  String readShort() throws IOException {
    Json message = read();
    if (message.get("event") != null) {
      return "event " + message.get("event").as(String.class);
    }
    String command = message.get("command").as(String.class);
    return message.get("success").equals(Json.TRUE)
        ? command
        : command + ": " + message.get("message").as(String.class);
  }

  /** Returns whether the other side has ended the connection. */
  boolean isAtEnd() throws IOException {
    return connection.isOver();
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
