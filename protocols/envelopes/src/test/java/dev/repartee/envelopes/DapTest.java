package dev.repartee.envelopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.RawConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of the Debug Adapter Protocol, as texts and between our client and adapter. */
class DapTest {
  private static final String INITIALIZE = """
      {"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"demo"}}""";

  private static final Json CAPABILITIES =
      Json.parse("{\"supportsConfigurationDoneRequest\":true,\"supportsCancelRequest\":true}");

  private static Service.Builder adapter() {
    return Service.builder()
        .method("initialize", Lane.INLINE, call -> CAPABILITIES)
        .method("configurationDone", Lane.INLINE, call -> null)
        .method("launch", call -> {
          call.peer().notify("initialized");
          call.peer().request("output").arg("output", "hi\n").sendNotification();
          return null;
        })
        .method("threads", Lane.INLINE, call -> Map.of("threads", List.of()))
        .method(
            "run",
            call -> call.peer()
                .request("runInTerminal")
                .arg("args", List.of("sh"))
                .call(Json.class)
                .get("processId"))
        .method("evaluate", call -> {
          throw new RpcException(7, "no such variable: x", Json.of(List.of("y")));
        })
        .method("setVariable", call -> {
          throw new RpcException(1, "read-only", Json.parse("""
              {"error":{"id":9,"format":"{name} is read-only","variables":{"name":"x"}}}"""));
        })
        .method("wait", call -> {
          CountDownLatch cancelled = new CountDownLatch(1);
          call.cancellation().onCancel(cancelled::countDown);
          return cancelled.await(60, TimeUnit.SECONDS);
        });
  }

  private static Talk server() {
    return Talk.withServer(new Dap(), adapter().build());
  }

  private static Talk client() {
    return Talk.withClient(new Dap());
  }

  // ---------------------------------------------------------------- an adapter

  @Test
  void allMessagesOfTheAdapterAreNumberedTogether() {
    try (Talk talk = server()) {
      talk.other
          .send(INITIALIZE)
          .expect("""
              {"seq":1,"type":"response","request_seq":1,"success":true,\
              "command":"initialize","body":%s}""".formatted(CAPABILITIES))
          .send("""
              {"seq":2,"type":"request","command":"launch","arguments":{}}""")
          .expect(
              "{\"seq\":2,\"type\":\"event\",\"event\":\"initialized\"}",
              "{\"seq\":3,\"type\":\"event\",\"event\":\"output\",\"body\":{\"output\":\"hi\\n\"}}",
              "{\"seq\":4,\"type\":\"response\",\"request_seq\":2,\"success\":true,"
                  + "\"command\":\"launch\"}")
          .send("""
              {"seq":3,"type":"request","command":"configurationDone"}""")
          .expect("""
              {"seq":5,"type":"response","request_seq":3,"success":true,\
              "command":"configurationDone"}""");
    }
  }

  @Test
  void eachConnectionIsNumberedFromOne() {
    for (int i = 0; i < 2; i++) {
      try (Talk talk = server()) {
        talk.other.send(INITIALIZE);
        assertThat(talk.other.receive()).endsWith(",\"seq\":1}");
      }
    }
  }

  @Test
  void aReverseRequestIsMatchedByTheNumberOfTheAdapter() {
    try (Talk talk = server()) {
      talk.other
          .send(INITIALIZE)
          .expect("""
              {"seq":1,"type":"response","request_seq":1,"success":true,\
              "command":"initialize","body":%s}""".formatted(CAPABILITIES))
          .send("""
              {"seq":2,"type":"request","command":"run"}""")
          .expect("""
              {"seq":2,"type":"request","command":"runInTerminal","arguments":{"args":["sh"]}}""")
          .send("""
              {"seq":3,"type":"response","request_seq":2,"success":true,\
              "command":"runInTerminal","body":{"processId":4711}}""")
          .expect("""
              {"seq":3,"type":"response","request_seq":2,"success":true,\
              "command":"run","body":4711}""");
    }
  }

  @Test
  void anErrorHasAMessageAndABody() {
    try (Talk talk = server()) {
      talk.other.send("""
          {"seq":5,"type":"request","command":"evaluate"}""");
      talk.other.expect("""
          {"seq":1,"type":"response","request_seq":5,"success":false,\
          "command":"evaluate","message":"no such variable: x","body":{\
          "error":{"id":7,"format":"no such variable: x"},"data":["y"]}}""");
      talk.other.send("""
          {"seq":6,"type":"request","command":"setVariable"}""");
      talk.other.expect("""
          {"seq":2,"type":"response","request_seq":6,"success":false,\
          "command":"setVariable","message":"read-only","body":{"error":{\
          "id":9,"format":"{name} is read-only","variables":{"name":"x"}}}}""");
    }
  }

  @Test
  void anUnknownCommandIsAnsweredByAnError() {
    try (Talk talk = server()) {
      talk.other.send("""
          {"seq":1,"type":"request","command":"rpc.cancel"}""");
      assertThat(talk.other.receive()).startsWith("""
          {"type":"response","request_seq":1,"success":false,\
          "command":"rpc.cancel","message":"Method not found\"""");
    }
  }

  @Test
  void cancelIsAnsweredAndSoIsTheCancelledRequest() {
    try (Talk talk = server()) {
      talk.other.send("""
          {"seq":1,"type":"request","command":"wait"}""");
      talk.other.send("""
          {"seq":2,"type":"request","command":"cancel","arguments":{"requestId":1}}""");
      assertThat(List.of(withoutSeq(talk.other.receive()), withoutSeq(talk.other.receive())))
          .containsExactlyInAnyOrder(
              "{\"type\":\"response\",\"request_seq\":2,\"success\":true,\"command\":\"cancel\"}",
              "{\"type\":\"response\",\"request_seq\":1,\"success\":false,\"command\":\"wait\","
                  + "\"message\":\"cancelled\",\"body\":{\"error\":{\"id\":-32800,"
                  + "\"format\":\"cancelled\"}}}");
    }
  }

  private static String withoutSeq(String message) {
    return message.replaceFirst(",\"seq\":[12]}$", "}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"requestId\":99}", "{\"progressId\":\"p\"}", "{}"})
  void cancelOfSomethingUnknownIsAnswered(String arguments) {
    try (Talk talk = server()) {
      talk.other.send("""
          {"seq":1,"type":"request","command":"cancel","arguments":%s}\
          """.formatted(arguments));
      talk.other.expect("""
          {"seq":1,"type":"response","request_seq":1,"success":true,"command":"cancel"}""");
    }
  }

  @Test
  void anInvalidRequestIsAnsweredByAnError() throws Exception {
    try (Talk talk = server()) {
      talk.other.send("""
          {"seq":1,"type":"request","command":"threads","arguments":[1]}""");
      talk.other.expect("""
          {"seq":1,"type":"response","request_seq":1,"success":false,"command":"",\
          "message":"Invalid Request","body":{"error":{"id":-32600,\
          "format":"Invalid Request"},"data":"the member 'arguments' is an array,\
           but has to be an object"}}""");
      assertThat(talk.violation()).contains("the member 'arguments' is an array");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'request','command':'threads'}"
            + " | the member 'seq' is missing, but has to be an integer from 1 on",
        "{'seq':'1','type':'request','command':'threads'}"
            + " | the member 'seq' is a string, but has to be an integer from 1 on",
        "{'seq':1,'command':'threads'} | the member 'type' is missing,"
            + " but has to be 'request', 'response' or 'event'",
        "{'seq':1,'type':'question'}"
            + " | the member 'type' is none of 'request', 'response' and 'event'",
        "{'seq':1,'type':'event','event':'x','body':7}"
            + " | the member 'body' is a number, but has to be an object",
        "{'seq':1,'type':'response','success':true,'command':'x'}"
            + " | the member 'request_seq' is missing, but has to be the seq of a request",
        "{'jsonrpc':'2.0','id':1,'method':'threads'} | the member 'type' is missing,"
            + " but has to be 'request', 'response' or 'event'",
        "[] | the message is an array, but has to be an object",
        "{'seq':1,'seq':2,'type':'request','command':'threads'} | the member 'seq' occurs twice",
        "{'seq':1, | expected a member name in quotes",
      })
  void anythingElseIsReportedAndTheConnectionGoesOn(String message, String reason)
      throws Exception {
    try (Talk talk = server()) {
      talk.other.send(message.replace('\'', '"'));
      assertThat(talk.violation()).contains(reason);
      talk.other.send("""
          {"seq":7,"type":"request","command":"threads","extra":1}""");
      talk.other.expect("""
          {"seq":1,"type":"response","request_seq":7,"success":true,\
          "command":"threads","body":{"threads":[]}}""");
    }
  }

  @Test
  void aWrongHeaderIsReportedAndTheConnectionGoesOn() throws Exception {
    try (Server server =
            Repartee.listen("tcp://127.0.0.1:0#envelope=dap", adapter().build());
        RawConnection client = new RawConnection(server)) {
      String threads = """
          {"seq":1,"type":"request","command":"threads"}""";
      client.send("Content-Type: x\r\n\r\n");
      client.send("Content-Length: " + threads.length() + "\r\n\r\n" + threads);
      assertThat(client.line()).startsWith("Content-Length: ");
      assertThat(client.line()).isBlank();
      assertThat(client.bytes(60))
          .startsWith("{\"type\":\"response\",\"request_seq\":1,\"success\":true");
    }
  }

  // ---------------------------------------------------------------- a client

  @Test
  void requestsAreNumberedFromOne() {
    try (Talk talk = client()) {
      CallFuture<Json> first =
          talk.peer.request("initialize").arg("adapterID", "demo").send(Json.class);
      CallFuture<Json> second = talk.peer.callAsync("threads", Json.class);
      talk.other.expect(INITIALIZE, """
          {"seq":2,"type":"request","command":"threads"}""");
      talk.other.send("""
          {"seq":1,"type":"response","request_seq":2,"success":true,\
          "command":"threads","body":{"threads":[]}}""");
      talk.other.send("""
          {"seq":2,"type":"response","request_seq":1,"success":true,"command":"initialize"}""");
      assertThat(second.await()).isEqualTo(Json.parse("{\"threads\":[]}"));
      assertThat(first.await()).isEqualTo(Json.NULL);
    }
  }

  @Test
  void argumentsByPositionAreNotSent() {
    try (Talk talk = client()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> talk.peer.call("threads", Json.class, 1))
          .withMessage(
              "the Debug Adapter Protocol has params by name only, so the params have to be"
                  + " an object, not an array");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "'message':'notStopped' | 0 | notStopped | -",
        "'message':'cancelled' | -32800 | cancelled | -",
        "'message':'m','body':{'error':{'id':7,'format':'f'}} | 7 | m"
            + " | {'error':{'id':7,'format':'f'}}",
        "'body':{'error':{'id':7,'format':'f'},'data':[1]} | 7 | f | [1]",
        "'body':'text' | 0 | an error without a message | 'text'",
        "'x':1 | 0 | an error without a message | -",
      })
  void anErrorFailsTheCall(String members, int code, String message, String data) {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("next", Json.class);
      talk.other.receive();
      talk.other.send("""
          {"seq":1,"type":"response","request_seq":1,"success":false,"command":"next",%s}\
          """.formatted(members.replace('\'', '"')));
      RemoteRpcException e = catchThrowableOfType(RemoteRpcException.class, call::await);
      assertThat(e.error())
          .isEqualTo(new RpcError(
              code, message, data == null ? null : Json.parse(data.replace('\'', '"'))));
    }
  }

  @Test
  void anInvalidResponseFailsItsCallAndTheConnectionGoesOn() {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("next", Json.class);
      CallFuture<Json> other = talk.peer.callAsync("pause", Json.class);
      talk.other.send("""
          {"seq":1,"type":"response","request_seq":1,"success":"yes"}""");
      assertThatThrownBy(call::await)
          .isInstanceOf(ProtocolException.class)
          .hasMessage(
              "the answer to 'next' is no response: the member 'success' is a string, but has"
                  + " to be true or false");
      talk.other.send("""
          {"seq":2,"type":"response","request_seq":2,"success":true}""");
      assertThat(other.await()).isEqualTo(Json.NULL);
    }
  }

  @Test
  void aCallThatIsGivenUpIsCancelledIfTheAdapterSupportsIt() throws Exception {
    try (Talk talk = client()) {
      CallFuture<Json> early = talk.peer.callAsync("attach", Json.class);
      early.cancel(true); // the adapter has not said yet that it serves cancel
      CallFuture<Json> initialize = talk.peer.callAsync("initialize", Json.class);
      talk.other.expect(
          "{\"seq\":1,\"type\":\"request\",\"command\":\"attach\"}",
          "{\"seq\":2,\"type\":\"request\",\"command\":\"initialize\"}");
      talk.other.send("""
          {"seq":1,"type":"response","request_seq":2,"success":true,\
          "command":"initialize","body":%s}""".formatted(CAPABILITIES));
      initialize.await();
      CallFuture<Json> next = talk.peer.callAsync("evaluate", Json.class);
      talk.other.expect("""
          {"seq":3,"type":"request","command":"evaluate"}""");
      next.cancel(true);
      talk.other.expect("""
          {"seq":4,"type":"request","command":"cancel","arguments":{"requestId":3}}""");
      CallFuture<Json> last = talk.peer.callAsync("threads", Json.class);
      talk.other.expect("""
          {"seq":5,"type":"request","command":"threads"}""");
      for (int seq : new int[] {4, 3, 1, 5}) {
        talk.other.send("""
            {"seq":%s,"type":"response","request_seq":%s,"success":true,"command":"x"}\
            """.formatted(10 - seq, seq));
      }
      assertThat(last.await()).isEqualTo(Json.NULL);
      talk.other.send("""
          {"seq":11,"type":"response","request_seq":99,"success":true}""");
      assertThat(talk.violation()).isEqualTo("a response to no pending call: id 99");
    }
  }

  // ---------------------------------------------------------------- both

  /** The commands that end in an event, in the order of a session, over a socket. */
  @Test
  void clientAndAdapterSpeakOverTcp() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    Service client = Service.builder()
        .method("initialized", call -> events.add("initialized"))
        .method("output", call -> events.add("output " + call.params()))
        .method("runInTerminal", call -> Map.of("processId", 4711))
        .build();
    try (Server server =
            Repartee.listen("tcp://127.0.0.1:0#envelope=dap", adapter().build());
        Peer peer = Repartee.connect(server.endpoint(), client, Options.DEFAULT)) {
      assertThat(peer.request("initialize").arg("adapterID", "demo").call(Json.class))
          .isEqualTo(CAPABILITIES);
      assertThat(peer.request("launch").call(Json.class)).isEqualTo(Json.NULL);
      assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo("initialized");
      assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo("output {\"output\":\"hi\\n\"}");
      assertThat(peer.call("run", int.class)).isEqualTo(4711);
      RemoteRpcException e =
          catchThrowableOfType(RemoteRpcException.class, () -> peer.call("evaluate", Json.class));
      assertThat(e.error())
          .isEqualTo(new RpcError(7, "no such variable: x", Json.parse("[\"y\"]")));

      CallFuture<Json> waiting = peer.callAsync("wait", Json.class);
      waiting.cancel(true);
      assertThat(peer.call("threads", Json.class)).isEqualTo(Json.parse("{\"threads\":[]}"));
    }
  }

  /** Messages of many threads: none of the numbers is left out or used twice. */
  @Test
  void concurrentMessagesHaveDifferentNumbers() throws Exception {
    int calls = 200;
    Set<Long> numbers = new ConcurrentSkipListSet<>();
    Service.Builder adapter = adapter();
    adapter.method("tick", call -> {
      call.peer().notify("ticked");
      return null;
    });
    try (Talk talk = Talk.withServer(new Dap(), adapter.build())) {
      List<String> sent = new ArrayList<>();
      for (int i = 1; i <= calls; i++) {
        sent.add("""
            {"seq":%s,"type":"request","command":"tick"}""".formatted(i));
      }
      sent.forEach(talk.other::send);
      for (int i = 0; i < 2 * calls; i++) {
        numbers.add(Json.parse(talk.other.receive()).get("seq").as(long.class));
      }
    }
    Set<Long> all = new TreeSet<>();
    for (long i = 1; i <= 2 * calls; i++) {
      all.add(i);
    }
    assertThat(numbers).containsExactlyElementsOf(all);
  }
}
