package dev.repartee.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerTest {
  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "mem:stop"})
  void inlineHandlerMayCloseItsServerWithoutWaitingForItself(String uri) throws Exception {
    CompletableFuture<Server> server = new CompletableFuture<>();
    Service service = Service.builder()
        .method("stop", Lane.INLINE, call -> {
          server.join().close();
          return true;
        })
        .build();
    Options patient = Options.builder()
        .limits(limits -> limits.closeTimeout(Duration.ofDays(1)))
        .build();
    server.complete(Repartee.listen(uri, service, patient));
    try (Peer peer = Repartee.connect(server.join().endpoint().toString())) {
      assertThat(peer.callAsync("stop", boolean.class).get(30, SECONDS)).isTrue();
      server.join().join();
    }
  }

  @Test
  void aFirstByteThatNothingBeginsWithIsAnsweredAndTheEnd() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.NONE);
        RawConnection raw = new RawConnection(server)) {
      raw.send("\u007f\u00ff\u00ff\u00ff{");
      assertThat(raw.rest())
          .startsWith("""
              {"jsonrpc":"2.0","error":{"code":-32700,""")
          .contains("at offset 0 of the stream: no framing begins with such a byte")
          .contains("\"id\":null}\n");
    }
  }

  @Test
  void closedServerCanBeClosedAgain() throws Exception {
    Server server = Repartee.listen("mem:again", Service.NONE);
    server.close();
    server.close();
    server.join();
  }
}
