package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.examples.JsonTestSuite;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends each text of nst/JSONTestSuite as one frame and checks the answer. */
class JsonTestSuiteTest {
  @ParameterizedTest
  @ValueSource(strings = {"content-length", "length-prefix"})
  void jsonIsAcceptedOtherTextIsRefusedAndTheConnectionGoesOn(String framing) throws Exception {
    List<JsonTestSuite.Text> texts = JsonTestSuite.texts();
    assertThat(texts).hasSize(318);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Demo.SERVICE)) {
      Endpoint endpoint = Endpoint.parse(server.endpoint().bare() + "#framing=" + framing);
      Channel channel = Transport.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE);
      try (ScriptedPeer client = ScriptedPeer.on(channel)) {
        for (JsonTestSuite.Text text : texts) {
          channel.send(text.bytes());
          text.assertMayBeAnswered(client.receive());
          client.expectSilence();
        }
      }
    }
  }

  /** The texts that may be accepted or rejected are handled as documented in docs/conformance.md. */
  @Test
  void theTextsThatMayBeEitherAreTakenAsDocumented() throws Exception {
    TreeMap<String, String> taken = new TreeMap<>();
    for (JsonTestSuite.Text text : JsonTestSuite.texts()) {
      String name = text.name();
      if (name.startsWith("i_")) {
        boolean read;
        try {
          Json.parse(text.bytes());
          read = true;
        } catch (JsonException e) {
          read = false;
        }
        taken.put(name, "| `" + name + "` | " + (read ? "read" : "refused") + " |");
      }
    }
    String documented = Files.readString(
        Path.of(System.getProperty("repartee.root", "../.."), "docs/conformance.md"), UTF_8);
    assertThat(documented).contains(taken.values());
  }
}
