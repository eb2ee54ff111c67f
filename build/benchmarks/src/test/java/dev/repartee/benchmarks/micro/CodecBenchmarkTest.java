package dev.repartee.benchmarks.micro;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.ReparteeMethods;
import dev.repartee.json.Json;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CodecBenchmarkTest {
  static Stream<Arguments> codecs() {
    return Stream.of(
        codec("jacksonStreaming", CodecBenchmark::jacksonStreaming),
        codec("fastjson", CodecBenchmark::fastjson),
        codec("lsp4j", CodecBenchmark::lsp4j),
        codec("jsonrpc4j", CodecBenchmark::jsonrpc4j),
        codec("simpleJsonRpc", CodecBenchmark::simpleJsonRpc));
  }

  private static Arguments codec(String name, Codec codec) {
    return Arguments.of(name, codec);
  }

  private interface Codec {
    byte[] answer(CodecBenchmark benchmark) throws Exception;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("codecs")
  void everyCodecGivesTheSameAnswer(String name, Codec codec) throws Exception {
    Json answer = Json.parse(codec.answer(new CodecBenchmark()));
    Json expected = Json.parse(new CodecBenchmark().jacksonTree());
    assertThat(answer.members()).containsExactlyInAnyOrderEntriesOf(expected.members());
  }

  @Test
  void theChannelOfTheBenchmarkReturnsTheAnswersOfThePeer() {
    BenchChannel channel = new BenchChannel();
    Peer.open(channel, ReparteeMethods.inline(), Options.DEFAULT);
    byte[] request = Workload.SUBTRACT.request(0);
    assertThat(channel.answer(request)).isEqualTo(Workload.SUBTRACT.answer(0).length);
    assertThat(channel.last()).isEqualTo(new String(Workload.SUBTRACT.answer(0), UTF_8));
  }
}
