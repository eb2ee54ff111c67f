package dev.repartee.examples.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.client.EventStream;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example with clients of both versions. */
class PoetTest {
  private Server server;

  @BeforeEach
  void start() throws IOException {
    server = Main.server(true).listen("http://127.0.0.1:0/");
  }

  @AfterEach
  void stop() {
    server.close(Duration.ZERO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0", "0.3"})
  void aPoemArrivesLineByLineAfterItsTopic(String version) {
    try (A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), version)) {
      Task asked = (Task) client.send(Message.user("poem"));
      assertThat(asked.state()).isEqualTo(TaskState.INPUT_REQUIRED);
      try (EventStream events = client.stream(Message.user("toad").continuing(asked))) {
        Task done = (Task) events.last();
        assertThat(done.state()).isEqualTo(TaskState.COMPLETED);
        assertThat(done.artifacts().get(0).parts()).hasSize(5);
        assertThat(done.artifacts().get(0).text()).contains("a toad in spring");
      }
    }
  }

  @Test
  void theCardOffersMoreToAuthenticatedClients() {
    try (A2aClient client = A2aClient.connect(server.endpoint().toString())) {
      assertThat(client.card().skills()).hasSize(1);
      assertThat(client.extendedCard().skills()).hasSize(2);
      assertThat(client.send(Message.user("hello"))).isInstanceOf(Message.class);
    }
  }
}
