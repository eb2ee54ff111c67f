package dev.repartee.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The description of the subscriptions of a backend. */
@Timeout(60)
class SubscriptionMethodsTest {
  private final CountDownLatch runs = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);

  /** Returns a document of this size that describes the method "subscribe". */
  private static Json document(int bytes) {
    String head = """
        {"methods":[{"name":"subscribe","x-stream":{"form":"subscription",\
        "notification":"item","unsubscribe":"unsubscribe"}}],"x-rest":\"""";
    return Json.parse(head + "x".repeat(bytes - head.length() - 2) + "\"}");
  }

  private Object sleep(Call call) throws InterruptedException {
    runs.countDown();
    try {
      call.cancellation().sleep(Duration.ofHours(1));
      return false;
    } finally {
      cancelled.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aDocumentIsReadUpToItsLimitAndACancellationIsPassedOnInBothCases(int beyond)
      throws Exception {
    Json document = document(SubscriptionMethods.LARGEST + beyond);
    Service service = Service.builder()
        .others(Lane.CONCURRENT, call -> switch (call.method()) {
          case "rpc.discover" -> document;
          case "sleep" -> sleep(call);
          default -> "0x" + "0123456789abcdef".repeat(2);
        })
        .build();
    Options plain = Options.builder().builtins(Options.Builtin.CANCEL).build();
    try (Server backend = Repartee.listen("tcp://127.0.0.1:0", service, plain);
        Bridge bridge = Bridge.to(backend.endpoint().toString()).open();
        ScriptedPeer client = ScriptedPeer.on(Transport.open(
            Endpoint.parse(bridge.listen("tcp://127.0.0.1:0").endpoint().toString()),
            Limits.DEFAULT,
            Headers.NONE))) {
      client.send("""
          {"jsonrpc":"2.0","method":"sleep","id":1}""");
      assertThat(runs.await(60, TimeUnit.SECONDS)).isTrue();
      client.send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}""");
      assertThat(client.receive()).contains("-32800");
      assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();

      // The cancellation waits for the document; a subscription that is known needs a request.
      client.send("""
          [{"jsonrpc":"2.0","method":"subscribe","id":2}]""");
      assertThat(client.receive()).contains(beyond == 0 ? "-32600" : "\"result\"");
    }
  }
}
