package dev.repartee.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The headers of a client are for the bridge; the backend gets those of the bridge. */
@Timeout(60)
class HeadersTest {
  private static final String ANY = "http://127.0.0.1:0/";

  @Test
  void theHeadersOfAClientAreNotForwarded() throws Exception {
    Service service = Service.builder()
        .method("headers", call -> call.header("Authorization") + " " + call.header("X-Client"))
        .build();
    Options backend =
        Options.builder().headers(() -> Map.of("Authorization", "bridge")).build();
    try (Server server = Repartee.listen(ANY, service);
        Bridge bridge =
            Bridge.to(server.endpoint().toString()).backendOptions(backend).open();
        Peer client = Repartee.connect(bridge.listen(ANY).endpoint())) {
      assertThat(client
              .request("headers")
              .header("Authorization", "client")
              .header("X-Client", "1")
              .call(String.class))
          .isEqualTo("bridge null");
      var batch = client.batch().header("Authorization", "client").header("X-Client", "1");
      CallFuture<String> call = batch.callAsync("headers", String.class);
      batch.send();
      assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo("bridge null");
    }
  }
}
