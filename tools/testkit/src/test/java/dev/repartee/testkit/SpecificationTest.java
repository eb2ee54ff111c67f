package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.examples.ClassificationTable;
import dev.repartee.testkit.examples.WorkedExamples;
import dev.repartee.testkit.examples.WorkedExamples.Example;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The examples of JSON-RPC 2.0 section 7 and the messages of {@link ClassificationTable} get
 * exactly their answers over every transport.
 */
class SpecificationTest {
  @TempDir
  Path folder;

  static Stream<Example> examples(boolean oneWay) {
    return Stream.of(
            WorkedExamples.all(), ClassificationTable.all(), ClassificationTable.responses(oneWay))
        .flatMap(List::stream);
  }

  static Stream<Example> oneWay() {
    return examples(true);
  }

  @ParameterizedTest
  @MethodSource("oneWay")
  void withoutAnyChannel(Example example) throws InterruptedException {
    byte[] reply = FrameResponder.of(
            Demo.SERVICE, Options.DEFAULT, new ChannelInfo("test", "", "message"))
        .respond(example.sent().getBytes(UTF_8));
    assertThat(reply == null ? null : new String(reply, UTF_8)).isEqualTo(example.answer());
  }

  static Stream<Example> refused() {
    return ClassificationTable.refused().stream();
  }

  @ParameterizedTest
  @MethodSource("refused")
  void nothingRunsOfARefusedMessage(Example example) throws InterruptedException {
    Queue<String> ran = new ConcurrentLinkedQueue<>();
    Service service =
        Service.builder().method("get_data", call -> ran.add(call.method())).build();
    FrameResponder.of(service, Options.DEFAULT, new ChannelInfo("test", "", "message"))
        .respond(example.sent().getBytes(UTF_8));
    assertThat(ran).isEmpty();
  }

  @Test
  void inThisProcess() throws Exception {
    overAServerAt("mem:specification", "");
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void overTcpWithTheFramingDetectedFromTheClient(Framing framing) throws Exception {
    overAServerAt("tcp://127.0.0.1:0", "#framing=" + framing.label());
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void overTcpWithAFramingConfiguredAtBothEnds(Framing framing) throws Exception {
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
    Channel channel = Transport.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE);
    try (ScriptedPeer client = ScriptedPeer.on(channel)) {
      String framing = channel.info().framing();
      examples(false).filter(example -> carries(framing, example)).forEach(client::play);
    }
  }

  /** Returns whether a text can be one frame; some framings find frames by parsing the text. */
  private static boolean carries(String framing, Example example) {
    String text = example.sent();
    return switch (framing) {
      case "lines" -> !text.isBlank() && !text.contains("\n");
      // A record that is not complete ends at the start of the next one.
      case "json-seq" -> !text.isBlank() && count(text, "{[") <= count(text, "}]");
      // A server that detects the framing takes a line for lines framing. Invalid text ends a
      // connection with concatenated messages, see below.
      case "concatenated" ->
        text.matches(" ?[\\[{].*") && !String.valueOf(example.answer()).contains("-32700");
      default -> true;
    };
  }

  private static long count(String text, String brackets) {
    return text.chars().filter(c -> brackets.indexOf(c) >= 0).count();
  }

  @Test
  void invalidTextAmongConcatenatedMessagesIsAnsweredAndEndsTheConnection() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Demo.SERVICE)) {
      Endpoint endpoint = Endpoint.parse(server.endpoint().bare() + "#framing=concatenated");
      Channel channel = Transport.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE);
      try (ScriptedPeer client = ScriptedPeer.on(channel)) {
        client.send("""
            {"jsonrpc":"2.0","method":"rpc.ping","id":1}{"jsonrpc":}""");
        client.expect("""
            {"jsonrpc":"2.0","result":"pong","id":1}""");
        assertThat(client.receive()).contains("-32700");
        client.expectEnd();
      }
    }
  }
}
