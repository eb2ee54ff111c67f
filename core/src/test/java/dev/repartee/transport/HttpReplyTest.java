package dev.repartee.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.transport.http.HttpReply;
import org.junit.jupiter.api.Test;

class HttpReplyTest {
  @Test
  void anEventWithJsonHasItsDataOnOneLine() {
    HttpReply.Event event = HttpReply.Event.ofJson("{\"a\":\r\n[\n]}".getBytes(UTF_8))
        .withType("message")
        .withId("7");
    assertThat(event.data()).asString(UTF_8).isEqualTo("{\"a\":  [ ]}");
    assertThat(event.type()).isEqualTo("message");
    assertThat(event.id()).isEqualTo("7");
  }
}
