package dev.repartee.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Json;
import dev.repartee.Options;
import dev.repartee.Peer;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CodecBenchmarkTest {
  @Test
  void everyCodecGivesTheSameAnswer() {
    List<Function<CodecBenchmark, byte[]>> others = List.of(
        CodecBenchmark::jacksonTree, CodecBenchmark::jacksonStreaming, CodecBenchmark::fastjson);
    List<Json> answers = others.stream()
        .map(codec -> Json.parse(codec.apply(new CodecBenchmark())))
        .toList();
    assertThat(answers)
        .allMatch(answer -> answer.members().equals(answers.get(0).members()));
  }

  @Test
  void theChannelOfTheBenchmarkHandsOutWhatThePeerAnswers() {
    BenchChannel channel = new BenchChannel();
    Peer.open(channel, ReparteeMethods.inline(), Options.DEFAULT);
    byte[] request = Workload.SUBTRACT.request(0);
    assertThat(channel.answer(request)).isEqualTo(Workload.SUBTRACT.answer(0).length);
    assertThat(channel.last()).isEqualTo(new String(Workload.SUBTRACT.answer(0), UTF_8));
  }
}
