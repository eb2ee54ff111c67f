package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.repartee.Channel;
import dev.repartee.Endpoint;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts of nst/JSONTestSuite, each sent as one frame: what must be read, refused, may be either. */
class JsonTestSuiteTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root", ".."));
  private static final Path TEXTS = ROOT.resolve("../shared/data/JSONTestSuite/test_parsing");

  private static List<Path> texts() throws IOException {
    assumeThat(TEXTS)
        .as("the texts of JSONTestSuite, which are not part of this project")
        .exists();
    try (Stream<Path> files = Files.list(TEXTS)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"content-length", "length-prefix"})
  void whatIsJsonIsReadWhatIsNotIsRefusedAndTheConnectionGoesOn(String framing) throws Exception {
    List<Path> texts = texts();
    assertThat(texts).hasSize(318);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Demo.SERVICE)) {
      Endpoint endpoint = Endpoint.parse(server.endpoint().bare() + "#framing=" + framing);
      Channel channel = Transport.of(endpoint).connect(endpoint, Options.DEFAULT);
      try (ScriptedPeer client = ScriptedPeer.on(channel)) {
        for (Path text : texts) {
          String name = text.getFileName().toString();
          channel.commit(channel.open().raw(Files.readAllBytes(text)));
          String answer = client.receive();
          switch (name.charAt(0)) {
            case 'y' -> assertThat(answer).as(name).doesNotContain("-32700");
            case 'n' -> assertThat(answer).as(name).contains("-32700");
            default -> assertThat(answer).as(name).containsAnyOf("-32700", "-32600");
          }
          client.expectSilence();
        }
      }
    }
  }

  /** What CONFORMANCE.md says of the texts that may be read or refused is what is done. */
  @Test
  void theTextsThatMayBeEitherAreTakenAsDocumented() throws Exception {
    TreeMap<String, String> taken = new TreeMap<>();
    for (Path text : texts()) {
      String name = text.getFileName().toString();
      if (name.startsWith("i_")) {
        boolean read;
        try {
          dev.repartee.Json.parse(Files.readAllBytes(text));
          read = true;
        } catch (dev.repartee.JsonException e) {
          read = false;
        }
        taken.put(name, "| `" + name + "` | " + (read ? "read" : "refused") + " |");
      }
    }
    String documented = Files.readString(ROOT.resolve("CONFORMANCE.md"), UTF_8);
    assertThat(documented).contains(taken.values());
  }
}
