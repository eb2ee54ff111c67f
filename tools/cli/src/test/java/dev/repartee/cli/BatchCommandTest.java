package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code repartee batch} in this process. */
class BatchCommandTest {
  private static final String SUM = """
      {"jsonrpc":"2.0","method":"sum","params":[1, 2],"id":1}
      """;

  private static Outcome batch(String uri, String input, String... options) {
    String[] words = new String[options.length + 2];
    words[0] = "batch";
    words[1] = uri;
    System.arraycopy(options, 0, words, 2, options.length);
    return Captured.run(input, words);
  }

  private static Outcome served(String input, String... options) throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Demo()))) {
      return batch(server.endpoint().toString(), input, options);
    }
  }

  private static Outcome answered(String input, String... answers) throws Exception {
    try (Answering peer = new Answering("mem:batch", answers)) {
      return batch(peer.uri(), input);
    }
  }

  private static void failed(Outcome outcome, int exit, String... words) {
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(exit);
    assertThat(outcome.err()).startsWith("repartee: ").contains(words).hasLineCount(1);
  }

  @Test
  void eachResponseIsOneLine() throws Exception {
    Outcome outcome = served("""

        %s{"jsonrpc":"2.0","method":"update"}\r
        \r
        """.formatted(SUM));
    assertThat(outcome).isEqualTo(new Outcome(0, """
        {"jsonrpc":"2.0","result":3,"id":1}
        """, ""));
  }

  @Test
  void oneErrorExitsWithOne() throws Exception {
    Outcome outcome = served(SUM + """
        {"jsonrpc":"2.0","method":"dance","id":"b"}
        """);
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out().lines()).hasSize(2).last().asString().contains("-32601", "\"b\"");
  }

  @Test
  void aTextThatIsNoMessageIsSentAndRejected() throws Exception {
    Outcome outcome = served("{\"foo\":\"boo\"}\n1\n");
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out().lines()).hasSize(2).allMatch(line -> line.contains("-32600"));
  }

  @Test
  void notificationsAloneAreSentAndNothingIsWaitedFor() throws Exception {
    try (Answering peer = new Answering("mem:batch-notify")) {
      String update = """
          {"jsonrpc":"2.0","method":"update"}""";
      assertThat(batch(peer.uri(), update)).isEqualTo(new Outcome(0, "", ""));
      assertThat(peer.heard()).containsExactly("[" + update + "]");
    }
  }

  @Test
  void textsGoAsTheyAreInOneMessage() throws Exception {
    try (Answering peer = new Answering("mem:batch-as-is", Answering.END)) {
      batch(peer.uri(), "{\"id\" : 1.0}\n 5 \n");
      assertThat(peer.heard()).containsExactly("[{\"id\" : 1.0}, 5 ]");
    }
  }

  @Test
  void aFileIsReadToo(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("requests.jsonl"), SUM.getBytes(UTF_8));
    assertThat(served("", file.toString()).out()).contains("\"result\":3");
  }

  @Test
  void progressAndQuestionsOfThePeerAreNoResponses() throws Exception {
    Outcome outcome = served("""
        {"jsonrpc":"2.0","method":"countdown","params":[2],"id":1}
        {"jsonrpc":"2.0","method":"ask","params":["x"],"id":2}
        """);
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out().lines()).hasSize(2);
    assertThat(outcome.err()).isEqualToNormalizingNewlines("progress: 2\nprogress: 1\n");
  }

  @Test
  void responsesThatComeOneByOneCountToo() throws Exception {
    assertThat(answered(
            SUM + SUM,
            "{\"jsonrpc\":\"2.0\",\"result\": 1.0,\"id\":1}",
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":2,\"x\":0}]"))
        .isEqualTo(new Outcome(0, """
            {"jsonrpc":"2.0","result":1.0,"id":1}
            {"jsonrpc":"2.0","id":1,"result":2,"x":0}
            """, ""));
  }

  @Test
  void aBatchThatIsRefusedAsAWholeHasItsAnswer() throws Exception {
    Outcome outcome = answered(SUM, """
        {"jsonrpc":"2.0","error":{"code":-32700,"message":"?"},"id":null}""");
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void silenceExitsWithFour() throws Exception {
    try (Answering peer = new Answering("mem:batch-silence")) {
      Outcome outcome = batch(peer.uri(), SUM, "--timeout", "300ms");
      failed(outcome, 4, "1 of 1 requests (such as id 1)", "300 ms", "--timeout");
    }
  }

  @Test
  void aConnectionThatEndsExitsWithFour() throws Exception {
    failed(answered(SUM, Answering.END), 4, "1 of 1 requests", "ended");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SSH-2.0                                       | SSH-2.0",
        "[5]                                           | JSON-RPC message: 5",
        "{\"jsonrpc\":\"2.0\",\"id\":1}                | JSON-RPC message: {",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"} | member 'code' of the error is missing",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}   | with id 7"
      })
  void aPeerThatBreaksTheProtocolExitsWithFive(String answer, String how) throws Exception {
    failed(answered(SUM, answer, Answering.END), 5, "mem:batch", how);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''      | contains no request",
        "[]      | line 1 of standard input is a batch itself",
        "{       | line 1 of standard input is not JSON"
      })
  void aTextThatCannotBePartOfABatchIsNotSent(String input, String sentence) {
    failed(batch("mem:nobody", input), 2, sentence);
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void aClosedStandardOutputEndsTheCommand() throws Exception {
    String other = """
        {"jsonrpc":"2.0","result":3,"id":2}
        """;
    try (Pushing peer = new Pushing(other)) {
      assertThat(peer.exitAfterReadingOneLine("batch", "--timeout", "1h")).isZero();
    }
  }

  @Test
  void aMissingFileExitsWithTwo() {
    failed(batch("mem:nobody", "", "no/such/file"), 2, "no/such/file");
  }

  @Test
  void timesAreReportedOnRequest() throws Exception {
    assertThat(served(SUM, "-v").err())
        .matches("connected in \\d+\\.\\d ms\\Ranswered in \\d+\\.\\d ms\\R");
  }
}
