package dev.repartee.benchmarks.micro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.benchmarks.load.Document;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MicroBenchmarksTest {
  @ParameterizedTest
  @ValueSource(strings = {"echo-1k", "echo-64k"})
  void everyBinderWritesTheDocumentItHasRead(String workload) {
    BindingBenchmark benchmark = new BindingBenchmark();
    benchmark.workload = workload;
    benchmark.open();
    Document document = Workload.of(workload).document();
    assertThat(result(benchmark.jackson())).isEqualTo(document);
    assertThat(result(benchmark.fastjson())).isEqualTo(document);
    assertThat(result(benchmark.lsp4j())).isEqualTo(document);
    assertThat(benchmark.repartee()).isEqualTo(Workload.of(workload).answer(0).length);
  }

  private static Document result(byte[] answer) {
    return Json.parse(answer).members().get("result").as(Document.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"subtract", "echo-1k"})
  void everyFramingFindsAllMessages(String messages) {
    FramingBenchmark benchmark = new FramingBenchmark();
    benchmark.messages = messages;
    benchmark.arrive();
    int lines = benchmark.byteByByte();
    assertThat(benchmark.lines()).isEqualTo(lines).isGreaterThan(50);
    assertThat(benchmark.contentLength()).isBetween(lines / 2, lines);
  }

  @Test
  void everyDispatchCallsTheNamedMethod() throws ReflectiveOperationException {
    DispatchBenchmark benchmark = new DispatchBenchmark();
    benchmark.methods = 1;
    benchmark.open();
    assertThat(benchmark.reflection()).isEqualTo(1);
    assertThat(benchmark.repartee()).isEqualTo("""
        {"jsonrpc":"2.0","result":1,"id":1}""".length());
  }
}
