package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.transport.Endpoint;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A connection over HTTP/1.1, written by hand because an HTTP client library cannot send invalid
 * requests. Each message is a POST request on a new connection, and its reply is read before the
 * next message is sent.
 */
final class HttpWire implements Wire {
  private static final int MAX_BODY = 64 << 20;
  private static final int MAX_LINE = 64 << 10;

  /** The time limit of a whole reply, as a multiple of the time limit for its next bytes. */
  private static final int EXCHANGE = 5;

  private final URI at;
  private final Map<String, String> headers;
  private final int connectMillis;
  private final int replyMillis;
  private final Inbox inbox = new Inbox();

  HttpWire(Endpoint endpoint, Options options) throws IOException {
    at = URI.create(endpoint.bare().toString());
    if (at.getHost() == null) {
      throw new IllegalArgumentException("'" + endpoint + "' names no host");
    }
    headers = options.headers().fields();
    connectMillis = (int) options.limits().connectTimeout().toMillis();
    replyMillis = (int) options.limits().callTimeout().toMillis();
    connect().close(); // reports an unreachable server immediately
  }

  private Socket connect() throws IOException {
    boolean secure = "https".equals(at.getScheme());
    int port = at.getPort() < 0 ? secure ? 443 : 80 : at.getPort();
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(at.getHost(), port), connectMillis);
      socket.setSoTimeout(replyMillis);
      socket.setTcpNoDelay(true);
      return secure ? secured(socket, port) : socket;
    } catch (IOException e) {
      socket.close();
      throw new IOException("cannot connect to " + at + ": " + e.getMessage(), e);
    }
  }

  private Socket secured(Socket socket, int port) throws IOException {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    SSLSocket secured = (SSLSocket) factory.createSocket(socket, at.getHost(), port, true);
    var parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    secured.startHandshake();
    return secured;
  }

  @Override
  public @Nullable String refusal(Say what) {
    return null;
  }

  @Override
  public void say(Say what) {
    if (what instanceof Say.Bytes bytes) {
      exchange(bytes.assembled(this::addressed), bytes.bytewise(), Integer.MAX_VALUE);
    } else if (what instanceof Say.Http request) {
      exchange(request(request.method(), request.headers(), request.body()), false, 1);
    } else if (what instanceof Say.Message message) {
      exchange(request("POST", List.of(), message.text()), false, 1);
    }
  }

  private String path() {
    String path = at.getRawPath().isEmpty() ? "/" : at.getRawPath();
    return at.getRawQuery() == null ? path : path + "?" + at.getRawQuery();
  }

  private byte[] request(String method, List<String> own, byte[] body) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("Host", at.getRawAuthority());
    fields.put("Content-Type", "application/json");
    fields.put("Accept", "application/json, text/event-stream");
    fields.put("Content-Length", Integer.toString(body.length));
    fields.put("Connection", "close");
    fields.putAll(headers);
    for (String header : own) {
      int colon = header.indexOf(':');
      String name = header.substring(0, colon);
      fields.keySet().removeIf(name::equalsIgnoreCase);
      if (colon + 1 < header.length()) {
        fields.put(name, header.substring(colon + 1).strip());
      }
    }
    StringBuilder head = new StringBuilder(method + " " + path() + " HTTP/1.1\r\n");
    fields.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(head.append("\r\n").toString().getBytes(ISO_8859_1));
    request.writeBytes(body);
    return request.toByteArray();
  }

  /** Replaces {@code $path} and {@code $host} by the values of the endpoint. */
  private String addressed(String text) {
    return text.replace("$path", path()).replace("$host", at.getRawAuthority());
  }

  /** Sends a request and reads up to {@code most} replies. */
  private void exchange(byte[] request, boolean bytewise, int most) {
    try (Socket socket = connect();
        TimeLimit limit = new TimeLimit(Duration.ofMillis(EXCHANGE * (long) replyMillis), socket)) {
      exchange(socket, limit, request, bytewise, most);
    } catch (IOException e) {
      inbox.add(new Heard.End(String.valueOf(e.getMessage())));
    }
  }

  private void exchange(Socket socket, TimeLimit limit, byte[] request, boolean bytewise, int most)
      throws IOException {
    int heard = 0;
    try {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      try {
        write(socket.getOutputStream(), request, bytewise);
      } catch (IOException e) {
        // The server may have rejected the request before its end; then the reply says so.
      }
      for (boolean more = true; more && heard < most; heard++) {
        more = reply(in, heard > 0);
      }
    } catch (SocketTimeoutException e) {
      if (heard == 0) {
        throw new IOException("no reply within " + replyMillis + " ms", e);
      }
    } catch (IOException e) {
      throw limit.isPassed()
          ? new IOException("no complete reply within " + EXCHANGE * (long) replyMillis + " ms", e)
          : e;
    }
  }

  private static void write(OutputStream out, byte[] request, boolean bytewise) throws IOException {
    int most = bytewise ? 1 : Math.max(1, request.length);
    for (int from = 0; from < request.length; from += most) {
      out.write(request, from, Math.min(most, request.length - from));
      out.flush();
    }
  }

  /** Reads one reply or the end; returns whether another reply may follow on the connection. */
  private boolean reply(InputStream in, boolean mayEnd) throws IOException {
    String line = line(in);
    if (line == null) {
      if (!mayEnd) {
        inbox.add(new Heard.End(""));
      }
      return false;
    }
    String[] words = line.split(" ", 3);
    if (words.length < 2 || !line.startsWith("HTTP/1.") || !words[1].matches("[1-5]\\d\\d")) {
      throw new IOException("the reply is not HTTP/1.1, it begins with: " + line);
    }
    int status = Integer.parseInt(words[1]);
    Map<String, String> fields = fields(in);
    if (status < 200) {
      return reply(in, false);
    }
    Heard.Reply reply = new Heard.Reply(status, fields);
    byte[] body = status == 204 || status == 304 ? new byte[0] : body(in, fields);
    if (new String(body, ISO_8859_1).isBlank()) {
      inbox.add(new Heard.Nothing(reply));
    } else if (fields.getOrDefault("content-type", "").startsWith("text/event-stream")) {
      events(new String(body, UTF_8), reply);
    } else {
      inbox.add(new Heard.Message(body, reply));
    }
    return !fields.getOrDefault("connection", "").equalsIgnoreCase("close")
        && (fields.containsKey("content-length") || fields.containsKey("transfer-encoding"));
  }

  private void events(String stream, Heard.Reply reply) {
    for (String event : stream.split("\r?\n\r?\n")) {
      StringBuilder data = new StringBuilder();
      event
          .lines()
          .filter(line -> line.startsWith("data:"))
          .forEach(line -> data.append(line.substring(5)));
      if (!data.isEmpty()) {
        inbox.add(new Heard.Message(data.toString().strip().getBytes(UTF_8), reply));
      }
    }
  }

  private static Map<String, String> fields(InputStream in) throws IOException {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT),
            line.substring(colon + 1).strip());
      }
    }
    return fields;
  }

  private static byte[] body(InputStream in, Map<String, String> fields) throws IOException {
    if (fields.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      return chunks(in);
    }
    String length = fields.get("content-length");
    if (length == null) {
      return in.readNBytes(MAX_BODY);
    }
    try {
      byte[] body = in.readNBytes(Math.min(MAX_BODY, Integer.parseInt(length)));
      if (body.length < Integer.parseInt(length)) {
        throw new IOException("the reply's body is shorter than its Content-Length of " + length);
      }
      return body;
    } catch (IllegalArgumentException e) {
      throw new IOException("the reply has a Content-Length of '" + length + "'", e);
    }
  }

  private static byte[] chunks(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (body.size() < MAX_BODY) {
      String size = line(in);
      if (size == null || !size.matches("[0-9A-Fa-f]{1,7}(;.*)?")) {
        throw new IOException("the reply's body has a chunk of size '" + size + "'");
      }
      int length = Integer.parseInt(size.split(";")[0], 16);
      if (length == 0) {
        fields(in);
        break;
      }
      body.writeBytes(in.readNBytes(length));
      line(in);
    }
    return body.toByteArray();
  }

  private static @Nullable String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        return line.isEmpty() ? null : line.toString();
      }
      line.append((char) b);
      if (line.length() > MAX_LINE) {
        throw new IOException("the reply has a line of more than " + MAX_LINE + " bytes");
      }
    }
    return line.toString().stripTrailing();
  }

  @Override
  public @Nullable Heard hear(Duration time) throws InterruptedException {
    return inbox.next(Duration.ZERO);
  }

  @Override
  public boolean repliesToAll() {
    return true;
  }

  @Override
  public void close() {}
}
