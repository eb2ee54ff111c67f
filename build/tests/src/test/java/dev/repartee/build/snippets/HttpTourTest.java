package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.mcp.McpServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the code of docs/http.md. */
@Timeout(60)
class HttpTourTest {
  private static final String CALL = "{\"jsonrpc\":\"2.0\",\"method\":\"name\",\"id\":1}";

  private final HttpClient http = HttpClient.newHttpClient();

  private static Service named(String name) {
    return Service.builder().method("name", call -> name).build();
  }

  private HttpResponse<String> get(Server server, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(server.endpoint() + path)).build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> post(Server server, String path, String... headers)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.endpoint() + path))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(CALL));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void servicesOfTheGuideShareAPort() throws Exception {
    McpServer mcp = McpServer.builder("guide", "1").build();
    try (Server server = HttpTour.serve(
        "http://127.0.0.1:0",
        named("first"),
        named("second"),
        named("admin"),
        HttpTour.guarded("t0ken"),
        mcp)) {
      assertThat(get(server, "health").body()).isEqualTo("{\"status\":\"ok\"}");
      assertThat(post(server, "v1").body()).contains("first");
      assertThat(post(server, "v2").body()).contains("second");
      assertThat(post(server, "mcp").statusCode()).isNotEqualTo(404);
      HttpResponse<String> refused = post(server, "admin");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("www-authenticate")).hasValue("Bearer");
      String[] token = {"Authorization", "Bearer t0ken"};
      assertThat(post(server, "admin", token).body()).contains("admin");
      for (int i = 2; i < 100; i++) {
        post(server, "admin", token);
      }
      HttpResponse<String> late = post(server, "admin", token);
      assertThat(late.statusCode()).isEqualTo(429);
      assertThat(late.headers().firstValue("retry-after")).hasValue("60");
    }
  }

  @Test
  void filterOfTheGuideTakesTickets() throws Exception {
    try (Server server = HttpTour.serve("http://127.0.0.1:0", named("rpc"))) {
      assertThat(get(server, "version").body()).contains("1.2");
      assertThat(post(server, "rpc").statusCode()).isEqualTo(403);
      assertThat(post(server, "rpc?ticket=t1").body()).contains("rpc");
      String uri = server.endpoint().toString().replace("http", "ws") + "rpc?ticket=t1";
      try (Peer peer = Repartee.connect(uri)) {
        assertThat(peer.call("name", String.class)).isEqualTo("rpc");
      }
    }
  }

  @Test
  void handlerOfTheGuideKnowsItsRequest() throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/", HttpTour.whoami());
        Peer peer = Repartee.connect(server.endpoint() + "?room=blue")) {
      assertThat(peer.call("whoami", String.class)).isEqualTo("nobody in blue");
    }
  }
}
