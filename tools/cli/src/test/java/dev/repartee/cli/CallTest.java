package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code repartee call} against {@code repartee serve} in another process. The call runs in a
 * separate process where the streams and the exit code of a process matter.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallTest {
  private Child server;
  private String tcp;
  private String unix;

  @BeforeAll
  void serve(@TempDir Path directory) throws Exception {
    server = Child.start(
        "serve", "--listen", "tcp://127.0.0.1:0", "--listen", "unix:" + directory.resolve("s"));
    tcp = server.listening();
    unix = server.listening();
  }

  @AfterAll
  void end() {
    server.close();
  }

  private static Outcome run(String... words) {
    return Captured.run("", words);
  }

  private static void result(Outcome outcome, String result) {
    assertThat(outcome).isEqualTo(new Outcome(0, result + "\n", ""));
  }

  private static void failed(Outcome outcome, int exit, String... words) {
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(exit);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("repartee: ").contains(words).hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "subtract 42 23                                      | 19",
        "subtract --named minuend=42 --named subtrahend=23   | 19",
        "subtract --params {\"subtrahend\":23,\"minuend\":42} | 19",
        "add 3 -5                                            | -2",
        "sum                                                 | 0",
        "sum 1 2 4                                           | 7",
        "get_data                                            | [\"hello\",5]",
        "echo cat                                            | \"cat\"",
        "echo {\"n\":12345678901234567890.10,\"é\":\"\\u00e9\"} "
            + "| {\"n\":12345678901234567890.10,\"é\":\"\\u00e9\"}",
        "sleep 5                                             | 5",
        "update 1 a [2]                                      | null",
        "ask rpc.ping                                        | \"pong\""
      })
  void theResultGoesToStandardOutput(String words, String result) throws Exception {
    result(run(("call " + tcp + " " + words).split(" ")), result);
  }

  @Test
  void aUnixSocketAnswersTheSame() throws Exception {
    result(Child.run("call", unix, "subtract", "42", "23"), "19");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lines", "content-length", "length-prefix", "json-seq", "concatenated"})
  void everyFramingIsAnsweredInKind(String framing) throws Exception {
    result(run("call", tcp + "#framing=" + framing, "echo", "[1, \"é\"]"), "[1, \"é\"]");
  }

  @Test
  void whoamiReturnsTheConnectionAsTheServerSeesIt() throws Exception {
    Json whoami = Json.parse(run("call", tcp + "#framing=json-seq", "whoami").out());
    assertThat(whoami.get("transport")).hasToString("\"tcp\"");
    assertThat(whoami.get("framing")).hasToString("\"json-seq\"");
    assertThat(Objects.requireNonNull(whoami.get("remote")).toString())
        .matches("\"127\\.0\\.0\\.1:\\d+\"");
  }

  @Test
  void aProcessIsCalledThroughItsStreams() throws Exception {
    String exec = Child.execUri("serve", "--listen", "stdio:");
    Outcome outcome = Child.run("call", exec, "echo", "{\"n\":12345678901234567890.10}");
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEqualTo("{\"n\":12345678901234567890.10}\n");
  }

  @Test
  void aLanguageServerReturnsItsCapabilities() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/clangd")), "clangd is installed");
    Outcome outcome = run(
        "call",
        "exec:clangd#framing=content-length&stderr=discard",
        "initialize",
        "--params",
        "{\"processId\":null,\"rootUri\":null,\"capabilities\":{}}");
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    assertThat(Json.parse(outcome.out()).get("capabilities")).isNotNull();
  }

  @Test
  void paramsComeFromStandardInput() throws Exception {
    ByteArrayInputStream in = new ByteArrayInputStream("[\"é\"]\n".getBytes(UTF_8));
    result(Child.run(in, "call", tcp, "echo", "--params", "-"), "\"é\"");
  }

  @Test
  void anErrorGoesToStandardErrorAndExitsWithOne() throws Exception {
    Outcome outcome = Child.run("call", tcp, "fail", "7", "no way", "{\"n\":1.10}");
    assertThat(outcome).isEqualTo(new Outcome(1, "", """
        {"code":7,"message":"no way","data":{"n":1.10}}
        """));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "add 3 cat                 | -32602",
        "add 3                     | -32602",
        "sleep -1                  | -32602",
        "countdown 10001           | -32602",
        "dance                     | -32601",
        "ask dance                 | -32601"
      })
  void aMistakeIsAnErrorOfTheSpecification(String words, int code) throws Exception {
    Outcome outcome = run(("call " + tcp + " " + words).split(" "));
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(Json.parse(outcome.err()).get("code")).hasToString(String.valueOf(code));
  }

  @Test
  void rawShowsTheWholeResponse() throws Exception {
    Json response = Json.parse(run("call", tcp, "--raw", "sum", "1", "2").out());
    assertThat(response.members()).containsOnlyKeys("jsonrpc", "result", "id");
    assertThat(response.get("result")).hasToString("3");
  }

  @Test
  void rawShowsAnErrorOnStandardOutputToo() throws Exception {
    Outcome outcome = run("call", tcp, "dance", "--raw");
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.err()).isEmpty();
    assertThat(Json.parse(outcome.out()).members()).containsOnlyKeys("jsonrpc", "error", "id");
  }

  @Test
  void rawKeepsUnknownMembers() throws Exception {
    String answer = """
        {"jsonrpc":"2.0","id":%s,"result":1.0,"x-cost": 3}
        """;
    Outcome outcome = callScripted(answer, "--raw");
    assertThat(outcome.out()).contains("\"result\":1.0,\"x-cost\": 3}");
  }

  @Test
  void deviationsOfThePeerAreToleratedOnRequest() throws Exception {
    String answer = "{\"id\":%s,\"result\":7,\"error\":null}\n";
    failed(callScripted(answer), 5, "the member 'jsonrpc' is missing");
    for (String names : new String[] {"all", "missing-version,null-outcome"}) {
      result(callScripted(answer, "--lenient", names), "7");
    }
    result(
        callScripted(answer, "--lenient", "all", "--raw"),
        "{\"id\":1,\"result\":7,\"error\":null}");
    failed(run("call", tcp, "sum", "--lenient", "some"), 2, "unknown lenience 'some'");
  }

  @Test
  void paramsComeFromAFile(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("params.json"), "[42,\n23]\n");
    result(run("call", tcp, "subtract", "--params", "@" + file), "19");
    failed(run("call", tcp, "subtract", "--params", "@" + file + "x"), 2, "there is no file");
    Files.writeString(file, "[42,");
    failed(
        run("call", tcp, "subtract", "--params", "@" + file), 2, "'" + file + "' cannot be parsed");
  }

  @Test
  void progressGoesToStandardErrorLineByLine() throws Exception {
    assertThat(run("call", tcp, "countdown", "3"))
        .isEqualTo(new Outcome(0, "\"liftoff\"\n", "progress: 3\nprogress: 2\nprogress: 1\n"));
  }

  @Test
  void anUnreachableEndpointExitsWithThree() throws Exception {
    try (DeafPort port = new DeafPort()) {
      String address = "127.0.0.1:" + port.number();
      failed(run("call", "tcp://" + address, "sum"), 3, address);
    }
    failed(run("call", "unix:/nowhere/at/all", "sum"), 3, "/nowhere/at/all");
    failed(run("call", "exec:/nowhere/at/all", "sum"), 3, "/nowhere/at/all");
  }

  @Test
  void anInvalidUriExitsWithTwo() throws Exception {
    failed(run("call", "gopher://h:70", "sum"), 2, "gopher");
    failed(run("call", tcp + "#framing=morse", "sum"), 2, "morse");
    failed(run("call", "stdio:", "sum"), 2, "stdio:", "exec:COMMAND");
  }

  @Test
  void aCallThatTakesTooLongExitsWithFour() throws Exception {
    failed(run("call", tcp, "sleep", "60000", "--timeout", "300ms"), 4, "'sleep'", "--timeout");
  }

  @Test
  void aConnectionThatEndsExitsWithFour() throws Exception {
    failed(callScripted(""), 4, "ended before the answer");
  }

  @Test
  void aChildThatEndsExitsWithFour() throws Exception {
    failed(run("call", "exec:sh -c 'exit 3'", "sum"), 4, "3");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2\n",
        "{\"jsonrpc\":\"2.0\",\"id\":%s}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":1,\"error\":{\"code\":1,\"message\":\"\"}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":\"no\"}\n"
      })
  void aPeerThatBreaksTheProtocolExitsWithFive(String answer) throws Exception {
    failed(callScripted(answer), 5, "tcp://127.0.0.1:");
  }

  @Test
  void anErrorWithoutIdFailsTheOneCall() throws Exception {
    String answer = """
        {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}
        """;
    assertThat(callScripted(answer))
        .isEqualTo(new Outcome(1, "", "{\"code\":-32700,\"message\":\"?\"}\n"));
  }

  /** Calls a server that sends this answer, with the id of the request for %s, and closes. */
  private static Outcome callScripted(String answer, String... options) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listener.setSoTimeout(30_000);
      Thread peer = new Thread(() -> answerOnce(listener, answer), "scripted peer");
      peer.setDaemon(true);
      peer.start();
      String[] words = new String[options.length + 3];
      words[0] = "call";
      words[1] = "tcp://127.0.0.1:" + listener.getLocalPort();
      words[2] = "m";
      System.arraycopy(options, 0, words, 3, options.length);
      return run(words);
    }
  }

  private static void answerOnce(ServerSocket listener, String answer) {
    try (RawConnection caller = new RawConnection(listener.accept())) {
      Json request = Json.parse(caller.line());
      caller.send(answer.replace("%s", "" + request.get("id")));
    } catch (IOException e) {
      throw new AssertionError("the scripted peer lost its caller", e);
    }
  }
}
