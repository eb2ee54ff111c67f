package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.examples.guides.TracedClient.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TracedClientTest {
  private final AtomicInteger logins = new AtomicInteger();
  private final AtomicInteger spans = new AtomicInteger();

  public static final class Orders {
    @Rpc
    public String cancel(String order, Call call) {
      return String.join(
          " ",
          order,
          call.header("authorization"),
          call.header("traceparent"),
          call.header("idempotency-key"));
    }
  }

  private String cancelTwice(Duration lifetime) throws Exception {
    Options options = TracedClient.options(
        () -> new Token("t" + logins.incrementAndGet(), Instant.now().plus(lifetime)),
        () -> "00-" + spans.incrementAndGet());
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.of(new Orders()));
        Peer peer = Repartee.connect(server.endpoint(), options)) {
      return TracedClient.cancel(peer, "a") + ", " + TracedClient.cancel(peer, "b");
    }
  }

  @Test
  void callsHaveATokenAndTheContextOfATrace() throws Exception {
    assertThat(cancelTwice(Duration.ofHours(1)))
        .isEqualTo("a Bearer t1 00-1 cancel-a, b Bearer t1 00-2 cancel-b");
  }

  @Test
  void aTokenThatExpiresIsReplaced() throws Exception {
    assertThat(cancelTwice(Duration.ZERO))
        .isEqualTo("a Bearer t1 00-1 cancel-a, b Bearer t2 00-2 cancel-b");
  }
}
