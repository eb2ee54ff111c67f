package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code repartee bridge} as a process, before a server of this process. */
@Timeout(120)
class BridgeCommandTest {
  private static Server backend;
  private static Child bridge;
  private static String http;
  private static String tcp;
  private static String old;

  @BeforeAll
  static void start() throws Exception {
    backend = Repartee.listen("tcp://127.0.0.1:0#framing=content-length", Service.of(new Demo()));
    bridge = Child.start(
        "bridge",
        "--listen",
        "http://127.0.0.1:0/",
        "--listen",
        "tcp://127.0.0.1:0",
        "--listen",
        "tcp://127.0.0.1:0#envelope=jsonrpc-1.0",
        "--to",
        backend.endpoint().toString());
    http = bridge.listening();
    tcp = bridge.listening();
    old = bridge.listening();
  }

  @AfterAll
  static void stop() {
    bridge.close();
    backend.close();
  }

  private static Outcome run(String... words) {
    return Captured.run("", words);
  }

  @Test
  void theConformanceCasesPassThroughABridge() {
    for (String uri : List.of(http, tcp)) {
      // A loaded machine may need more time than the default for a response.
      Outcome outcome = run("check", uri, "--timeout", "60s");
      assertThat(outcome.exit()).as(outcome.out() + outcome.err()).isZero();
    }
  }

  @Test
  void callsOfEachEnvelopePassThroughABridge() {
    for (String uri : List.of(http, http.replace("http:", "ws:"), tcp, old)) {
      assertThat(run("call", uri, "subtract", "42", "23").out()).as(uri).isEqualTo("19\n");
      Outcome failed = run("call", uri, "fail", "7", "\"why\"");
      assertThat(failed.exit()).isEqualTo(1);
      assertThat(failed.err()).as(uri).contains("{\"code\":7,\"message\":\"why\"");
    }
  }

  @Test
  void rulesHideMethodsOfTheBackend() throws Exception {
    String to = backend.endpoint().toString();
    String[] words = {"bridge", "--listen", "http://127.0.0.1:0/", "--to", to, "--allow", "*=s*"};
    try (Child guarded = Child.start(words)) {
      String uri = guarded.listening();
      assertThat(run("call", uri, "sum", "1", "2").out()).isEqualTo("3\n");
      assertThat(run("call", uri, "add", "1", "2").err()).contains("\"code\":401");
      assertThat(run("list", uri).out()).contains("subtract").doesNotContain("add(", "countdown");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"%s", "%s|%s"})
  void aBridgeServesStandardInput(String backends) throws Exception {
    String request = """
        {"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"}
        """;
    Outcome outcome = Child.run(
        new ByteArrayInputStream(request.getBytes(UTF_8)),
        "bridge",
        "--listen",
        "stdio:",
        "--to",
        backends.replace("%s", backend.endpoint().toString()));
    assertThat(outcome.out()).isEqualTo("""
        {"jsonrpc":"2.0","result":7,"id":"1"}
        """);
    assertThat(outcome.exit()).isZero();
  }

  @Test
  void aCallWithoutAnAnswerInTimeIsGivenUp() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    Service silent = Service.builder()
        .method("wait", call -> {
          call.cancellation().onCancel(cancelled::countDown);
          return new CompletableFuture<>();
        })
        .build();
    try (Server slow = Repartee.listen("tcp://127.0.0.1:0", silent);
        Child limited = Child.start(
            "bridge",
            "--timeout",
            "300ms",
            "--listen",
            "tcp://127.0.0.1:0",
            "--to",
            slow.endpoint().toString())) {
      Outcome outcome = run("call", limited.listening(), "wait");
      assertThat(outcome.exit()).isEqualTo(1);
      assertThat(outcome.err()).contains("-32006", "No answer", "in time");
      assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aBackendThatCannotBeReachedIsThree() throws Exception {
    try (DeafPort port = new DeafPort()) {
      String address = "127.0.0.1:" + port.number();
      Outcome outcome = run("bridge", "--listen", "tcp://127.0.0.1:0", "--to", "tcp://" + address);
      assertThat(outcome.exit()).isEqualTo(3);
      assertThat(outcome.err()).startsWith("repartee: cannot connect to ").contains(address);
    }
  }

  @Test
  void mistakesAreTwo() {
    assertThat(run("bridge").err()).contains("--to");
    for (List<String> words : List.of(
        List.of("bridge"),
        List.of("bridge", "--to", "stdio:"),
        List.of("bridge", "--to", "gopher://x"),
        List.of("bridge", "--to", "tcp://127.0.0.1:1#envelope=soap"),
        List.of("bridge", "--to", "tcp://127.0.0.1:1", "--per-client", "--clients", "0"))) {
      assertThat(run(words.toArray(String[]::new)).exit()).as(words.toString()).isEqualTo(2);
    }
  }
}
