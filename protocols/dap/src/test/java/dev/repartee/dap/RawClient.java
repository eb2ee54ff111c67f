package dev.repartee.dap;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;

/** A client that sends and reads raw messages, so that their order is seen. */
final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final DataInputStream in;
  private int seq;

  RawClient(Server server) throws IOException {
    String address = server.endpoint().address();
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1).replace("/", ""));
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(20_000);
    in = new DataInputStream(socket.getInputStream());
  }

  /** Sends a request; {@code arguments} may be empty. */
  void request(String command, String arguments) throws IOException {
    send("{\"seq\":" + ++seq + ",\"type\":\"request\",\"command\":\"" + command + '"'
        + (arguments.isEmpty() ? "" : ",\"arguments\":" + arguments) + "}");
  }

  void send(String message) throws IOException {
    byte[] body = message.getBytes(UTF_8);
    socket
        .getOutputStream()
        .write(("Content-Length: " + body.length + "\r\n\r\n" + message).getBytes(UTF_8));
  }

  Json read() throws IOException {
    StringBuilder header = new StringBuilder();
    while (header.indexOf("\r\n\r\n") < 0) {
      header.append((char) in.readUnsignedByte());
    }
    byte[] body = new byte
        [Integer.parseInt(
            header.substring(header.indexOf(":") + 1, header.indexOf("\r")).strip())];
    in.readFully(body);
    return Json.parse(body);
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
    return in.read() == -1;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
