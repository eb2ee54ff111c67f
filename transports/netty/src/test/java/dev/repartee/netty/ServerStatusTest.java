package dev.repartee.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.HttpRoutes;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The answer to {@code rpc.status} over HTTP, which counts calls over HTTP and WebSocket. */
@Timeout(60)
class ServerStatusTest {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  @AfterEach
  void release() {
    released.countDown();
  }

  private final Service service = Service.builder()
      .method("hold", call -> {
        begun.countDown();
        released.await();
        return null;
      })
      .method("one", call -> 1)
      .method("fail", call -> {
        throw new RpcException(7, "failed");
      })
      .build();

  private static Json server(Peer peer) {
    return peer.call("rpc.status", Json.class).get("server");
  }

  @Test
  void requestsAndWebSocketsOfAllPathsAreCountedTogether() throws Exception {
    HttpRoutes routes = HttpRoutes.builder()
        .at("/one", service)
        .at("/two", service.described("two", "2.0"))
        .build();
    try (Server server = Repartee.listen("http://127.0.0.1:0", routes);
        Peer one = Repartee.connect(server.endpoint() + "one");
        Peer two = Repartee.connect(server.endpoint() + "two");
        Peer socket =
            Repartee.connect(server.endpoint().toString().replace("http:", "ws:") + "one")) {
      assertThat(socket.call("one", int.class)).isEqualTo(1);
      CallFuture<Json> held = one.callAsync("hold", Json.class);
      assertThat(begun.await(30, SECONDS)).isTrue();
      assertThatThrownBy(() -> two.call("fail", Json.class)).isInstanceOf(RpcException.class);
      Json status = server(two);
      assertThat(status.get("version")).isEqualTo(Json.of("2.0"));
      assertThat(status.get("connections")).hasToString("{\"open\":1,\"total\":1}");
      assertThat(status.get("calls").get("total")).hasToString("4");
      assertThat(status.get("errors")).hasToString("{\"total\":1}");
      int total = 4;
      while (!status.get("calls").get("running").equals(Json.of(1))) {
        status = server(two); // the worker of the failed call ends it after its answer has left
        total++;
      }
      released.countDown();
      held.get(30, SECONDS);
      assertThat(server(socket).get("calls").get("total")).isEqualTo(Json.of(total + 1));
    }
  }

  @Test
  void aRequestThatIsNoMessageIsAnError() throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0", Service.NONE);
        RawConnection raw = new RawConnection(server);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(raw.send(RawConnection.post("not JSON")).answer()).contains("-32700");
      assertThat(server(peer).get("errors")).hasToString("{\"total\":1}");
    }
  }
}
