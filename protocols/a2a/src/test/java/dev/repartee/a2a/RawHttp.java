package dev.repartee.a2a;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;

/** Sends a request of JSON-RPC from a chosen address of this machine. */
public final class RawHttp {
  private RawHttp() {}

  /** Returns the response to a request from an address such as {@code 127.0.0.2}. */
  public static Json post(String from, URI to, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    try (Socket socket = new Socket(
        InetAddress.getByName(to.getHost()), to.getPort(), InetAddress.getByName(from), 0)) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write(("POST " + to.getRawPath() + " HTTP/1.0\r\nHost: " + to.getAuthority() + "\r\n"
                  + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: "
                  + bytes.length + "\r\n\r\n")
              .getBytes(UTF_8));
      socket.getOutputStream().write(bytes);
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      return Json.parse(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    }
  }
}
