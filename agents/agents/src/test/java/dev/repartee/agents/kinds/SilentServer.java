package dev.repartee.agents.kinds;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** An HTTP server that sends the card of an agent, and answers no other request. */
final class SilentServer implements AutoCloseable {
  /** The lines of all requests. */
  final Queue<String> lines = new ConcurrentLinkedQueue<>();

  /** Opens when a request without an answer arrives. */
  final CountDownLatch asked = new CountDownLatch(1);

  /** Opens when the connection of a request without an answer has ended. */
  final CountDownLatch ended = new CountDownLatch(1);

  private final boolean isPatient;
  private final ServerSocket server;
  private final String card;

  /**
   * Serves a card.
   *
   * @param skills the number of its skills
   * @param isPatient whether a connection without an answer stays open
   */
  SilentServer(int skills, boolean isPatient) throws IOException {
    this.isPatient = isPatient;
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    String skill = """
        {"id":"x","name":"x","description":"x","tags":[]},""";
    String all = skill.repeat(skills);
    card = """
        {"name":"w","description":"d","version":"1","capabilities":{"streaming":true},
        "defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[%s],
        "supportedInterfaces":[{"url":"http://%s/","protocolBinding":"JSONRPC",
        "protocolVersion":"1.0"}]}""".formatted(all.substring(0, all.length() - 1), host());
    Thread thread = new Thread(this::serve, "silent server");
    thread.setDaemon(true);
    thread.start();
  }

  String host() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  private void serve() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        answer(socket);
      } catch (IOException e) {
        ended.countDown(); // the client has closed the connection
      }
    }
  }

  private void answer(Socket socket) throws IOException {
    BufferedReader in = new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    String request = in.readLine();
    for (String line = request; line != null && !line.isEmpty(); line = in.readLine()) {
      lines.add(line);
    }
    if (request != null && request.startsWith("GET /.well-known")) {
      socket
          .getOutputStream()
          .write(("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n"
                  + "Content-Length: " + card.length() + "\r\n\r\n" + card)
              .getBytes(StandardCharsets.US_ASCII));
    } else {
      asked.countDown();
      if (isPatient) {
        in.transferTo(Writer.nullWriter());
      }
      ended.countDown();
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
