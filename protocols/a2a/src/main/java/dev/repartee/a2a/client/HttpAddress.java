package dev.repartee.a2a.client;

import dev.repartee.limits.Limits;
import dev.repartee.transport.http.client.Http1Client;
import java.net.URI;
import java.net.http.HttpClient;

/** The addresses of agents, and the HTTP client that reaches them by default. */
final class HttpAddress {
  /** The client of all agents. */
  static final HttpClient CLIENT = new Http1Client(Limits.DEFAULT.connectTimeout());

  private HttpAddress() {}

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException if it is not an HTTP address
   */
  static URI parse(String text) {
    URI uri = URI.create(text);
    boolean isHttp =
        "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
    if (!isHttp || uri.getHost() == null) {
      throw new IllegalArgumentException("'" + text
          + "' is not an HTTP address; write an address such as https://agent.example.com/a2a");
    }
    return uri;
  }
}
