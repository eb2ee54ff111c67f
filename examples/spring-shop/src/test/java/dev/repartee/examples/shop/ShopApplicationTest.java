package dev.repartee.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The whole shop, on free ports. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {
      "repartee.listen[0]=mem:shop-test",
      "pricing.uri=mem:shop-test",
      "pricing.timeout=1m" // a machine under load may stop for 2 s
    })
class ShopApplicationTest {
  @LocalServerPort
  private int port;

  private HttpResponse<String> restock(String user) throws Exception {
    String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"restock\",\"params\":[\"cake\",3]}";
    String login =
        Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/rpc"))
                .header("Content-Type", "application/json")
                .header("Authorization", "Basic " + login)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void onlyAClerkRestocks() throws Exception {
    assertThat(restock("ann").statusCode()).isEqualTo(200);
    assertThat(restock("bob").statusCode()).isEqualTo(403);
  }

  @Test
  void salesArePushedOverWebSocket() throws Exception {
    CompletableFuture<String> sold = new CompletableFuture<>();
    Service client = Service.builder()
        .method("sold", call -> sold.complete(String.valueOf(call.params())))
        .build();
    try (Peer peer = Repartee.connect("ws://127.0.0.1:" + port + "/rpc", client, Options.DEFAULT)) {
      assertThat(peer.call("order", Integer.class, "tea", 2)).isEqualTo(206);
      assertThat(sold.get(60, TimeUnit.SECONDS)).isEqualTo("[\"tea\",2]");
    }
  }
}
