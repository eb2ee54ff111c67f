package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Channel;
import dev.repartee.ChannelInfo;
import dev.repartee.Endpoint;
import dev.repartee.Framing;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Responder;
import dev.repartee.Server;
import dev.repartee.Transport;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked examples of JSON-RPC 2.0 section 7 give exactly their answers, over every transport. */
class SpecificationTest {
  @TempDir
  Path folder;

  static Stream<WorkedExamples.Example> examples() {
    return WorkedExamples.all().stream();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void withoutAnyChannel(WorkedExamples.Example example) throws InterruptedException {
    byte[] reply = Responder.of(
            Demo.SERVICE, Options.DEFAULT, new ChannelInfo("test", "", "message"))
        .respond(example.sent().getBytes(UTF_8));
    assertThat(reply == null ? null : new String(reply, UTF_8)).isEqualTo(example.answer());
  }

  @Test
  void inThisProcess() throws Exception {
    overAServerAt("mem:specification", "");
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void overTcpWithTheFramingThatTheClientShows(Framing framing) throws Exception {
    overAServerAt("tcp://127.0.0.1:0", "#framing=" + framing.label());
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void overTcpWithTheFramingBothWereTold(Framing framing) throws Exception {
    overAServerAt("tcp://127.0.0.1:0#framing=" + framing.label(), "#framing=" + framing.label());
  }

  @Test
  void overAUnixSocket() throws Exception {
    overAServerAt("unix:" + folder.resolve("s.sock"), "");
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void overTheStandardStreamsOfAChildProcess(Framing framing) throws Exception {
    examplesOver(Demo.exec("stdio:") + "#framing=" + framing.label());
  }

  private static void overAServerAt(String uri, String clientOptions) throws Exception {
    try (Server server = Repartee.listen(uri, Demo.SERVICE)) {
      examplesOver(server.endpoint().bare() + clientOptions);
    }
  }

  private static void examplesOver(String uri) throws Exception {
    Endpoint endpoint = Endpoint.parse(uri);
    Channel channel = Transport.of(endpoint).connect(endpoint, Options.DEFAULT);
    try (ScriptedPeer client = ScriptedPeer.on(channel)) {
      for (WorkedExamples.Example example : WorkedExamples.all()) {
        boolean splits = channel.info().framing().equals("concatenated");
        String answer = example.answer();
        if (splits && answer != null && answer.contains("-32700")) {
          continue; // ends a connection whose messages nothing else tells apart: see below
        }
        client.send(example.sent());
        if (answer == null) {
          client.expectSilence();
        } else {
          assertThat(client.receive()).as(example.name()).isEqualTo(answer);
        }
      }
    }
  }

  @Test
  void invalidTextAmongConcatenatedMessagesIsAnsweredAndEndsTheConnection() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Demo.SERVICE)) {
      Endpoint endpoint = Endpoint.parse(server.endpoint().bare() + "#framing=concatenated");
      Channel channel = Transport.of(endpoint).connect(endpoint, Options.DEFAULT);
      try (ScriptedPeer client = ScriptedPeer.on(channel)) {
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.ping\",\"id\":1}{\"jsonrpc\":}");
        client.expect("{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":1}");
        assertThat(client.receive()).contains("-32700");
        client.expectEnd();
      }
    }
  }
}
