package dev.repartee.examples.everything;

import static dev.repartee.examples.everything.Client.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.examples.everything.Client.Reply;
import dev.repartee.json.Json;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests messages that do not answer a request directly: notifications of changes, and results after
 * a reconnection.
 */
class ChangesTest {
  private Server server;

  @BeforeEach
  void listen() throws IOException {
    server = Everything.server(null).listen("http://127.0.0.1:0/mcp");
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Client client(Era era) {
    return new Client(era, URI.create(server.endpoint().toString()), "{}");
  }

  /** Opens a stream of notifications, in the way of the era. */
  private Client.Stream listen(Client client, String filter) {
    if (client.era == Era.SESSIONS) {
      return client.listen(null);
    }
    Client.Stream stream =
        client.open("subscriptions/listen", Map.of("notifications", Json.parse(filter)), 1000);
    Json acknowledged = stream.next("subscriptions/listen");
    assertThat(at(acknowledged, "method"))
        .isEqualTo(Json.of("notifications/subscriptions/acknowledged"));
    assertThat(at(acknowledged, "params", "notifications")).isEqualTo(Json.parse(filter));
    return stream;
  }

  /** Returns the next message of the stream. */
  private static Json next(Client client, Client.Stream stream) {
    Json message = stream.next("subscriptions/listen");
    if (client.era == Era.STATELESS) {
      String kind = message.get("method") == null ? "result" : "params";
      assertThat(at(message, kind, "_meta", "io.modelcontextprotocol/subscriptionId"))
          .isEqualTo(Json.of(1000));
    }
    return message;
  }

  @ParameterizedTest
  @EnumSource
  void aListenerIsNotifiedThatTheListsHaveChanged(Era era) {
    try (Client client = client(era);
        Client.Stream stream = listen(
            client,
            "{\"toolsListChanged\":true,\"promptsListChanged\":true,\"resourcesListChanged\":true}")) {
      assertThat(client.tool("test_trigger_tool_change", "{}").text()).isEqualTo("Added");
      assertThat(at(next(client, stream), "method"))
          .isEqualTo(Json.of("notifications/tools/list_changed"));
      assertThat(client.tool("now_and_then", "{}").text()).isEqualTo("Now");

      assertThat(client.tool("test_trigger_prompt_change", "{}").text()).isEqualTo("Added");
      assertThat(at(next(client, stream), "method"))
          .isEqualTo(Json.of("notifications/prompts/list_changed"));

      Reply noted = client.tool("write_note", "{\"text\":\"Buy milk\"}");
      assertThat(at(next(client, stream), "method"))
          .isEqualTo(Json.of("notifications/resources/list_changed"));
      Json link = at(noted.result(), "content", 1);
      assertThat(at(link, "type")).isEqualTo(Json.of("resource_link"));
      Reply read = client.call("resources/read", Map.of("uri", at(link, "uri").as(String.class)));
      assertThat(at(read.result(), "contents", 0, "text")).isEqualTo(Json.of("Buy milk"));

      assertThat(client.tool("test_trigger_tool_change", "{}").text()).isEqualTo("Removed");
      assertThat(client.tool("now_and_then", "{}").code()).isEqualTo(-32602);
    }
  }

  @ParameterizedTest
  @EnumSource
  void notesAreLimitedInNumberAndLength(Era era) {
    try (Client client = client(era)) {
      Reply tooLong = client.tool("write_note", "{\"text\":\"" + "x".repeat(1_001) + "\"}");
      assertThat(at(tooLong.result(), "isError")).isEqualTo(Json.TRUE);
      for (int i = 0; i < 100; i++) {
        assertThat(client.tool("write_note", "{\"text\":\"x\"}").text()).isEqualTo("Noted:");
      }
      Reply tooMany = client.tool("write_note", "{\"text\":\"x\"}");
      assertThat(at(tooMany.result(), "isError")).isEqualTo(Json.TRUE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSubscriberIsNotifiedThatAResourceHasChanged(Era era) {
    Map<String, String> watched = Map.of("uri", "test://watched-resource");
    try (Client client = client(era);
        Client.Stream stream =
            listen(client, "{\"resourceSubscriptions\":[\"test://watched-resource\"]}")) {
      if (era == Era.SESSIONS) {
        client.call("resources/subscribe", watched).result();
      }
      assertThat(client.tool("change_watched_resource", "{}").text())
          .isEqualTo("It is version 2 now");

      Json message = next(client, stream);
      assertThat(at(message, "method")).isEqualTo(Json.of("notifications/resources/updated"));
      assertThat(at(message, "params", "uri")).isEqualTo(Json.of("test://watched-resource"));
      Reply read = client.call("resources/read", watched);
      assertThat(at(read.result(), "contents", 0, "text")).isEqualTo(Json.of("Version 2"));
    }
  }

  @Test
  void afterUnsubscribingOnlyOtherNotificationsArrive() {
    Map<String, String> watched = Map.of("uri", "test://watched-resource");
    try (Client client = client(Era.SESSIONS);
        Client.Stream stream = client.listen(null)) {
      client.call("resources/subscribe", watched).result();
      client.call("resources/unsubscribe", watched).result();
      client.tool("change_watched_resource", "{}");
      client.tool("test_trigger_tool_change", "{}");

      assertThat(at(next(client, stream), "method"))
          .isEqualTo(Json.of("notifications/tools/list_changed"));
    }
  }

  @Test
  void aStatelessClientGetsOnlyTheNotificationsItAskedFor() {
    Client client = client(Era.STATELESS);
    try (Client.Stream stream = listen(client, "{\"promptsListChanged\":true}")) {
      client.tool("test_trigger_tool_change", "{}");
      client.tool("test_trigger_prompt_change", "{}");

      assertThat(at(next(client, stream), "method"))
          .isEqualTo(Json.of("notifications/prompts/list_changed"));
    }
  }

  @Test
  void aClosingServerEndsTheListeningStreams() {
    Client client = client(Era.STATELESS);
    try (Client.Stream stream = listen(client, "{\"toolsListChanged\":true}")) {
      server.close();

      Json end = next(client, stream);
      assertThat(at(end, "id")).isEqualTo(Json.of(1000));
      assertThat(at(end, "result", "resultType")).isEqualTo(Json.of("complete"));
      assertThat(stream.event()).isNull();
    }
  }

  @Test
  void aClientWithASessionComesBackForTheAnswer() {
    try (Client client = client(Era.SESSIONS);
        Client.Stream stream = client.open(
            "tools/call", Map.of("name", "test_reconnection", "arguments", Map.of()), 7)) {
      Client.Event primed = stream.event();
      Client.Event retry = stream.event();

      assertThat(primed).isNotNull();
      assertThat(primed.id()).isNotNull();
      assertThat(primed.data()).isEmpty();
      assertThat(retry).isNotNull();
      assertThat(retry.retry()).isEqualTo("500");
      assertThat(stream.event()).isNull();
      try (Client.Stream again = client.listen(primed.id())) {
        Json answer = again.next("tools/call");
        assertThat(at(answer, "id")).isEqualTo(Json.of(7));
        assertThat(at(answer, "result", "content", 0, "text"))
            .isEqualTo(Json.of("Reconnection test completed"));
        assertThat(again.event()).isNull();
      }
    }
  }

  @Test
  void aSessionThatWasEndedIsNotKnownAnyMore() {
    Client client = client(Era.SESSIONS);
    client.close();

    Reply reply = client.once("tools/list", Map.of());

    assertThat(reply.status()).isEqualTo(404);
  }

  @Test
  void aCallThatIsCancelledStopsAndIsNotAnswered() {
    Map<String, Object> slow = Map.of(
        "name", "count_slowly",
        "arguments", Map.of("to", 1000),
        "_meta", Map.of("progressToken", 1));
    try (Client client = client(Era.SESSIONS);
        Client.Stream stream = client.open("tools/call", slow, 9)) {
      assertThat(at(stream.next("tools/call"), "params", "progress")).isEqualTo(Json.of(1));
      client.notify("notifications/cancelled", Map.of("requestId", 9));

      for (Client.Event event = stream.event(); event != null; event = stream.event()) {
        assertThat(event.data()).contains("notifications/progress");
      }
    }
  }
}
