package dev.repartee.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.message.RpcError;
import java.util.List;
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
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("bridge null");
    }
  }

  @Test
  void onlyNamedHeadersOfAClientAreForwarded() throws Exception {
    Service service = Service.builder()
        .method("headers", call -> call.header("Authorization") + " " + call.header("X-Client"))
        .build();
    Options backend = Options.builder().header("Authorization", "bridge").build();
    try (Server server = Repartee.listen(ANY, service);
        Bridge bridge = Bridge.to(server.endpoint().toString())
            .backendOptions(backend)
            .passHeaders("x-client")
            .open();
        Peer client = Repartee.connect(bridge.listen(ANY).endpoint())) {
      assertThat(client
              .request("headers")
              .header("Authorization", "client")
              .header("X-Client", "1")
              .call(String.class))
          .isEqualTo("bridge 1");
      assertThat(client.call("headers", String.class)).isEqualTo("bridge null");
    }
  }

  @Test
  void headersThatDelimitAMessageAreRefused() throws Exception {
    Service service = Service.builder().method("m", call -> 1).build();
    try (Server server = Repartee.listen(ANY, service);
        Bridge bridge = Bridge.to(server.endpoint().toString())
            .passHeaders("Content-Length", "Host")
            .open();
        Peer client = Repartee.connect(bridge.listen(ANY).endpoint())) {
      assertThatExceptionOfType(RpcException.class)
          .isThrownBy(() -> client.call("m", int.class))
          .satisfies(e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_REQUEST));
    }
  }

  @Test
  void aNameThatIsNoneAndABackendWithoutHeadersAreRefused() {
    for (String name : List.of("", "X-Client: 1", "X\r\nHost")) {
      assertThatIllegalArgumentException().isThrownBy(() -> Bridge.to(ANY).passHeaders(name));
    }
    for (String uri : List.of("tcp://127.0.0.1:1", "ws://127.0.0.1:1/")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Bridge.to(uri).passHeaders("X-Client"))
          .withMessageContaining("gets no header fields with calls");
    }
  }
}
