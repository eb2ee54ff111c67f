package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Lane;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import dev.repartee.trace.Entry;
import dev.repartee.trace.Recording;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands with {@code #envelope=}. */
class EnvelopesTest {
  private static final String OLD = "jsonrpc-1.0";

  private final CompletableFuture<Json> noted = new CompletableFuture<>();
  private final Captured captured = new Captured("next {\"threadId\":1}\nnotify note {\"a\":1}\n");

  private Server serve(String envelope) throws Exception {
    Service service = Service.builder()
        .method("subtract", call -> 19)
        .method("next", call -> {
          call.peer().request("stopped").arg("reason", "step").sendNotification();
          return Map.of("allThreadsContinued", true);
        })
        .method("fail", call -> {
          throw new RpcException(7, "no such thread");
        })
        .method("note", Lane.INLINE, call -> {
          noted.complete(call.params());
          return null;
        })
        .build();
    return Repartee.listen("tcp://127.0.0.1:0#envelope=" + envelope, service);
  }

  private int run(String... words) {
    return Main.run(captured.stdio(), words);
  }

  @Test
  void callSpeaksJsonRpc10() throws Exception {
    try (Server server = serve(OLD)) {
      String uri = server.endpoint().toString();
      assertThat(run("call", uri, "subtract", "42", "23")).isZero();
      assertThat(run("call", uri, "subtract", "42", "23", "--raw")).isZero();
      assertThat(captured.out()).isEqualTo("19\n{\"result\":19,\"error\":null,\"id\":1}\n");
      assertThat(run("call", uri, "fail")).isEqualTo(1);
      assertThat(captured.err()).isEqualTo("{\"code\":7,\"message\":\"no such thread\"}\n");
    }
  }

  @Test
  void callSpeaksDap() throws Exception {
    try (Server server = serve("dap")) {
      String uri = server.endpoint().toString();
      assertThat(run("call", uri, "subtract")).isZero();
      assertThat(run("call", uri, "subtract", "--raw")).isZero();
      assertThat(captured.out())
          .isEqualTo("19\n{\"type\":\"response\",\"request_seq\":1,\"success\":true,"
              + "\"command\":\"subtract\",\"body\":19,\"seq\":1}\n");
      assertThat(run("call", uri, "fail", "--named", "threadId=1")).isEqualTo(1);
      assertThat(captured.err()).isEqualTo("""
          {"code":7,"message":"no such thread",\
          "data":{"error":{"id":7,"format":"no such thread"}}}
          """);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "lazydap | {'version':10,'id':1,'payload':{'Response':19}} | {'code':7,"
            + "'message':'no such thread','data':{'code':'DaemonInternalError',"
            + "'details':{'rpc_code':7}}}",
        "mxr | {'id':1,'source':'daemon','payload':{'type':'Response','status':'Ok','data':19}}"
            + " | {'code':7,'message':'no such thread','data':{'kind':'internal',"
            + "'code':'internal','retryable':false,'details':{'rpc_code':7}}}",
      })
  void callSpeaksTheMessagesOfADaemon(String envelope, String raw, String error) throws Exception {
    try (Server server = serve(envelope)) {
      String uri = server.endpoint().toString();
      assertThat(run("call", uri, "subtract")).isZero();
      assertThat(run("call", uri, "subtract", "--raw")).isZero();
      assertThat(captured.out()).isEqualTo("19\n" + raw.replace('\'', '"') + "\n");
      assertThat(run("call", uri, "fail", "--named", "threadId=1")).isEqualTo(1);
      assertThat(captured.err()).isEqualTo(error.replace('\'', '"') + "\n");
    }
  }

  @Test
  void callMakesTheFirstCalls() throws Exception {
    try (Server server = serve("mxr")) {
      String uri = server.endpoint().toString();
      assertThat(run("call", uri, "subtract", "--first", "note {\"a\":1}")).isZero();
      assertThat(noted.get(60, TimeUnit.SECONDS)).hasToString("{\"a\":1}");
      assertThat(run("call", uri, "subtract", "--first", "fail {\"token\":\"hush\"}"))
          .isEqualTo(3);
      assertThat(captured.err())
          .contains("a first call failed: 'fail' of ", "no such thread")
          .doesNotContain("hush")
          .hasLineCount(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dap", "lazydap", "mxr"})
  void sessionShowsTheEventsOfADaemon(String envelope) throws Exception {
    try (Server server = serve(envelope)) {
      assertThat(run("session", server.endpoint().toString())).isZero();
      assertThat(captured.err()).contains("notified: stopped {\"reason\":\"step\"}");
      assertThat(captured.out()).isEqualTo("{\"allThreadsContinued\":true}\n");
      assertThat(noted.get(60, TimeUnit.SECONDS)).hasToString("{\"a\":1}");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "jsonrpc-1.0, 7, [7]",
    "dap, --named a=7, '{\"a\":7}'",
    "lazydap, --named a=7, '{\"a\":7}'",
    "mxr, --named a=7, '{\"a\":7}'"
  })
  void notifySpeaksTheEnvelope(String envelope, String words, String params) throws Exception {
    try (Server server = serve(envelope)) {
      String[] all = ("notify " + server.endpoint() + " note " + words).split(" ");
      assertThat(run(all)).as(captured.err()).isZero();
      assertThat(noted.get(60, TimeUnit.SECONDS)).hasToString(params);
    }
  }

  @Test
  void paramsThatTheEnvelopeCannotCarryAreAUsageError() throws Exception {
    try (Server server = serve(OLD)) {
      String uri = server.endpoint().toString();
      assertThat(run("call", uri, "subtract", "--named", "a=1")).isEqualTo(2);
      assertThat(run("notify", uri, "subtract", "--named", "a=1")).isEqualTo(2);
      assertThat(captured.err().lines())
          .hasSize(2)
          .allMatch(line -> line.startsWith("repartee: JSON-RPC 1.0 has params by position only"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a batch, batch URI",
    "a stream, call URI numbers 3 --stream",
    "the check, check URI",
  })
  void whatNeedsJsonRpc2IsRefused(String what, String words) {
    String uri = "tcp://127.0.0.1:1#envelope=dap";
    assertThat(run(words.replace("URI", uri).split(" "))).isEqualTo(2);
    assertThat(captured.err())
        .isEqualTo("repartee: " + what + " needs JSON-RPC 2.0; leave out #envelope=\n");
  }

  @Test
  void anUnknownEnvelopeIsRefusedWithTheKnownOnes() {
    assertThat(run("call", "tcp://127.0.0.1:1#envelope=soap", "subtract")).isEqualTo(2);
    assertThat(captured.err())
        .contains(
            "unknown envelope 'soap'; known are dap, jsonrpc-1.0, jsonrpc-1.0-text, lazydap, lsp, mxr,")
        .hasLineCount(1);
  }

  @Test
  void messagesAreShownAndRecordedAsTheyAre(@TempDir Path temp) throws Exception {
    Path file = temp.resolve("dap.jsonl");
    try (Server server = serve("dap")) {
      String uri = server.endpoint().toString();
      assertThat(run("call", uri, "next", "--named", "token=secret", "-v", "-v"))
          .isZero();
      assertThat(captured.err())
          .contains("(content-length)")
          .contains("""
              {"type":"request","command":"next","arguments":{"token":"…"},"seq":1}""")
          .contains("{\"type\":\"event\",\"event\":\"stopped\"");
      try (Child child =
          Child.start(List.of("-Drepartee.trace=" + file), "call", uri, "subtract")) {
        assertThat(child.outcome().exit()).isZero();
      }
    }
    try (Recording recording = Recording.read(file)) {
      assertThat(recording.entries().filter(Entry.Frame.class::isInstance)).hasSize(2);
    }
  }

  @Test
  void serveSpeaksTheEnvelopeOfItsUri() throws Exception {
    String uri = "stdio:#envelope=" + OLD;
    String call = "{\"method\":\"subtract\",\"params\":[42,23],\"id\":[1]}\n";
    Outcome outcome =
        Child.run(new ByteArrayInputStream(call.getBytes(UTF_8)), "serve", "--listen", uri);
    assertThat(outcome)
        .isEqualTo(new Outcome(
            0, "{\"result\":19,\"error\":null,\"id\":[1]}\n", "listening on " + uri + "\n"));
  }
}
