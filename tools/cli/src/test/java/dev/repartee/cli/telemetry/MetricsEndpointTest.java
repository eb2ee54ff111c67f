package dev.repartee.cli.telemetry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetricsEndpointTest {
  private static final String REQUEST = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n";

  private static Socket connect(URI uri, String request) throws Exception {
    Socket socket = new Socket(uri.getHost(), uri.getPort());
    socket.setSoTimeout(25_000);
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    return socket;
  }

  private static String statusLine(Socket socket) throws Exception {
    StringBuilder line = new StringBuilder();
    InputStream in = socket.getInputStream();
    for (int next = in.read(); next >= 0 && next != '\r'; next = in.read()) {
      line.append((char) next);
    }
    return line.toString();
  }

  @Test
  void idleConnectionsAreClosedSoThatTheyDoNotBlockTheMetrics() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try (MetricsEndpoint endpoint =
        MetricsEndpoint.listen("http://127.0.0.1:0", new PrometheusRegistry()::scrape)) {
      URI uri = URI.create(endpoint.uri());
      for (int i = 0; i < 16; i++) {
        idle.add(connect(uri, ""));
        Socket used = connect(uri, REQUEST.formatted(""));
        idle.add(used);
        assertThat(statusLine(used)).isEqualTo("HTTP/1.1 200 OK");
      }
      for (int i = 0; i < 8; i++) { // beyond the limit
        idle.add(connect(uri, ""));
      }
      for (Socket each : idle) {
        each.getInputStream().readAllBytes(); // returns when the endpoint has closed it
      }
      try (Socket scrape = connect(uri, REQUEST.formatted("Connection: close\r\n"))) {
        assertThat(statusLine(scrape)).isEqualTo("HTTP/1.1 200 OK");
      }
    } finally {
      for (Socket each : idle) {
        each.close();
      }
    }
  }
}
