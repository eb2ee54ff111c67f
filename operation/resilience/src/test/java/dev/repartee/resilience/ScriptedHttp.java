package dev.repartee.resilience;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** An HTTP server that answers each request with the next response of a script. */
@NullMarked
final class ScriptedHttp implements AutoCloseable {
  /** Closes the connection after the request, without an answer. */
  static final String LOST = "";

  private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
  private static final Pattern LENGTH = Pattern.compile("content-length: *(\\d+)");

  private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Queue<String> script;
  private final List<Socket> accepted = new ArrayList<>();

  /** The bodies of the requests. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  ScriptedHttp(String... responses) throws IOException {
    script = new ArrayDeque<>(List.of(responses));
    Thread thread = new Thread(this::accept, "scripted-http");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns a response with a status and a field of the head. */
  static String status(int status, String field) {
    return "HTTP/1.1 " + status + " Status\r\n" + (field.isEmpty() ? "" : field + "\r\n")
        + "Content-Length: 0\r\nConnection: close\r\n\r\n";
  }

  /** Returns a response with a result; {@code %s} in the body is the id of the request. */
  static String answer(String rest) {
    return "{\"jsonrpc\":\"2.0\",\"id\":%s," + rest + "}";
  }

  String uri() {
    return "http://127.0.0.1:" + socket.getLocalPort() + "/";
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = socket.accept();
        synchronized (accepted) {
          accepted.add(connection);
        }
        try (connection) {
          serve(connection);
        } catch (IOException e) {
          // The client has closed it.
        }
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private void serve(Socket connection) throws IOException {
    InputStream in = new BufferedInputStream(connection.getInputStream());
    String body = read(in);
    if (body == null) {
      return;
    }
    requests.add(body);
    String next = script.remove();
    if (next.startsWith("{")) {
      Matcher id = ID.matcher(body);
      String text = String.format(next, id.find() ? id.group(1) : "null");
      next = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + text.length()
          + "\r\nConnection: close\r\n\r\n" + text;
    }
    connection.getOutputStream().write(next.getBytes(ISO_8859_1));
  }

  private static @Nullable String read(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return null;
      }
      head.append((char) next);
    }
    Matcher length = LENGTH.matcher(head.toString().toLowerCase(Locale.ROOT));
    int size = length.find() ? Integer.parseInt(length.group(1)) : 0;
    return new String(in.readNBytes(size), ISO_8859_1);
  }

  @Override
  public void close() {
    try {
      socket.close();
      synchronized (accepted) {
        for (Socket each : accepted) {
          each.close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
