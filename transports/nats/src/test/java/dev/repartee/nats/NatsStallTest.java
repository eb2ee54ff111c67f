package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.Server;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.limits.Limits;
import io.nats.client.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that keeps its connections open, but reads nothing. */
@Tag("ci")
class NatsStallTest extends Fixture {
  @Test
  void theThreadsOfAWorkerEndAlthoughTheServerTakesNothing() throws Exception {
    NatsServer nats = closing(Fixture.server(""));
    Large large = new Large(3 << 20);
    closing(large.goOn::countDown);
    Server server = serve(nats.uri("large"), large, Limits.DEFAULT);
    Connection plain = plain(nats);
    for (int i = 0; i < 8; i++) {
      plain.publish("large", "answers", """
          {"jsonrpc":"2.0","id":1,"method":"large"}""".getBytes(UTF_8));
      assertThat(large.began.poll(60, TimeUnit.SECONDS)).isEqualTo("large");
    }
    nats.signal("STOP");
    closing(() -> nats.signal("CONT"));
    large.goOn.countDown();
    server.close(Duration.ofSeconds(1));
    awaitEndOfThreads("repartee-nats-worker", 60);
  }

  @Test
  void deadLettersThatTheServerTakesTooSlowlyAreBounded() throws Exception {
    NatsServer nats = closing(Fixture.server(""));
    Proxy proxy = closing(new Proxy(nats.port()));
    Limits small = Limits.DEFAULT.toBuilder().outboundBytes(1 << 20).build();
    serve("nats://127.0.0.1:" + proxy.port() + "/slow", methods, small);
    CountDownLatch goOn = new CountDownLatch(1);
    closing(goOn::countDown);
    Connection plain = plain(nats);
    proxy.stall(goOn);
    byte[] poison = new byte[100_000];
    for (int i = 0; i < 400; i++) {
      plain.publish("slow", poison);
    }
    plain.flush(LONG);
    report("messages are dropped, because the server reads the answers");
    goOn.countDown();
    Peer client = client(nats.uri("slow"));
    for (int sum = 0; sum != 3; ) {
      try {
        sum = client.request("add").args(1, 2).timeout(Duration.ofSeconds(1)).call(int.class);
      } catch (CallTimeoutException e) {
        // It was dropped, too.
      }
    }
  }
}
