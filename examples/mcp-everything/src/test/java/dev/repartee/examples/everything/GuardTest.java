package dev.repartee.examples.everything;

import static dev.repartee.examples.everything.Client.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the example with a token. */
class GuardTest {
  private static HttpResponse<String> send(URI uri, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{}"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void withoutTheTokenAClientGetsTheUrlOfTheMetadata() throws Exception {
    try (Server server = Everything.server("secret").listen("http://127.0.0.1:0/mcp")) {
      URI uri = URI.create(server.endpoint().toString());
      URI metadata = uri.resolve("/.well-known/oauth-protected-resource/mcp");

      HttpResponse<String> none = send(uri);
      HttpResponse<String> wrong = send(uri, "Authorization", "Bearer guess");
      String metadataText = HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(metadata).build(), BodyHandlers.ofString())
          .body();

      assertThat(none.statusCode()).isEqualTo(401);
      assertThat(none.headers().firstValue("www-authenticate"))
          .hasValue("Bearer resource_metadata=\"" + metadata + "\"");
      assertThat(wrong.statusCode()).isEqualTo(401);
      assertThat(wrong.headers().firstValue("www-authenticate").orElseThrow())
          .contains("error=\"invalid_token\"");
      assertThat(at(Json.parse(metadataText), "resource")).isEqualTo(Json.of(uri.toString()));
      assertThat(at(Json.parse(metadataText), "authorization_servers", 0))
          .isEqualTo(Json.of("https://auth.example.com"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void withTheTokenAClientIsServed(Era era) throws Exception {
    try (Server server = Everything.server("secret").listen("http://127.0.0.1:0/mcp");
        Client client = new Client(
            era,
            URI.create(server.endpoint().toString()),
            "{}",
            Map.of("Authorization", "Bearer secret"))) {
      assertThat(client.tool("write_note", "{\"text\":\"Buy milk\"}").text()).isEqualTo("Noted:");
    }
  }
}
