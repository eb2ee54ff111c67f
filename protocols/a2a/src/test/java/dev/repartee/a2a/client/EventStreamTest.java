package dev.repartee.a2a.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpRoutes;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.types.Message;
import dev.repartee.json.Json;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventStreamTest {
  @Test
  void aMessageWhoseTaskCannotBeFetchedMayHaveBeenHandled() throws Exception {
    HttpRoutes routes = HttpRoutes.builder().at("/", EventStreamTest::complete).build();
    try (Server server = Repartee.listen("http://127.0.0.1:0", routes);
        A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0");
        EventStream events = client.stream(Message.user("pay"))) {
      assertThatThrownBy(() -> events.last(completed -> server.close(Duration.ZERO)))
          .isInstanceOfSatisfying(
              DisconnectedException.class, lost -> assertThat(lost.unsent()).isNull());
    }
  }

  /** Sends the end of a task, but not the task. */
  private static void complete(HttpRequest request, HttpReply reply) {
    Json call = Json.parse(new String(request.body(), UTF_8));
    reply.stream(Map.of());
    reply.send(HttpReply.Event.of("""
        {"jsonrpc":"2.0","id":%s,"result":{"statusUpdate":{"taskId":"t","contextId":"c",\
        "status":{"state":"TASK_STATE_COMPLETED"}}}}""".formatted(call.get("id")).getBytes(UTF_8)));
    reply.end();
  }
}
