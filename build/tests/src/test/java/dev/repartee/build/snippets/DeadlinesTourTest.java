package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeadlinesTourTest {
  @Test
  void aCallHasAtMostTheTimeOfItsCallerAndOfItsServer() throws Exception {
    CompletableFuture<String> city = new CompletableFuture<>();
    Service prices = Service.builder()
        .method("price", call -> call.timeLeft() == null ? "no limit" : "limited")
        .build();
    try (Server backend = Repartee.listen("http://127.0.0.1:0/", prices);
        Peer toBackend = DeadlinesTour.connect(backend.endpoint().toString());
        Server server = Repartee.listen(
            "tcp://127.0.0.1:0",
            Service.builder()
                .method("report", call -> DeadlinesTour.report(call, toBackend, city))
                .build(),
            DeadlinesTour.server());
        Peer client = Repartee.connect(server.endpoint())) {
      CompletableFuture<String> report = client.callAsync("report", String.class);
      city.complete("Paris");
      assertThat(report.get(60, TimeUnit.SECONDS)).isEqualTo("limited");
    }
  }
}
