package dev.repartee.a2a.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;

/** The addresses of agents, and the HTTP client that reaches them by default. */
final class HttpAddress {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private HttpAddress() {}

  /** Creates the client on first use. */
  private static final class Shared {
    static final HttpClient CLIENT = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(CONNECT_TIMEOUT)
        .followRedirects(HttpClient.Redirect.NEVER)
        .build();
  }

  /** Returns the client of all agents. */
  static HttpClient client() {
    return Shared.CLIENT;
  }

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
