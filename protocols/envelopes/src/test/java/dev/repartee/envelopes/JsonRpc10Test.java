package dev.repartee.envelopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.Call;
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
import dev.repartee.transport.DisconnectedException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON-RPC 1.0, with the texts that the other side sends and receives. */
class JsonRpc10Test {
  private static final CompletableFuture<Json> NOTED = new CompletableFuture<>();

  private static Service service() {
    return Service.builder()
        .method("echo", Lane.INLINE, call -> argument(call, 0))
        .method("nothing", call -> null)
        .method("note", call -> {
          NOTED.complete(argument(call, 0));
          return null;
        })
        .method("ask", call -> call.peer().call("answer", int.class, 6, 7))
        .method("fail", call -> {
          throw new RpcException(1001, "no more tea", Json.of(List.of(1, 2)));
        })
        .method("stream", call -> new SubmissionPublisher<Integer>())
        .build();
  }

  private static Json argument(Call call, int index) {
    Json params = call.params();
    Json argument = params == null ? null : params.at(index);
    return argument == null ? Json.NULL : argument;
  }

  private static Talk server() {
    return Talk.withServer(new JsonRpc10(), service());
  }

  private static Talk client() {
    return Talk.withClient(new JsonRpc10());
  }

  // ---------------------------------------------------------------- serving

  /** The example of the specification, section 3.1. */
  @Test
  void anAnswerHasResultAndErrorAndId() {
    try (Talk talk = server()) {
      talk.other.send("""
          { "method": "echo", "params": ["Hello JSON-RPC"], "id": 1}""");
      assertThat(talk.other.receive())
          .isEqualTo("{\"result\":\"Hello JSON-RPC\",\"error\":null,\"id\":1}");
    }
  }

  /** The example of the specification, section 3.2: a chat, in which both sides notify. */
  @Test
  void bothSidesNotifyWithTheIdNull() throws Exception {
    CountDownLatch posted = new CountDownLatch(1);
    Service chat = Service.builder()
        .method("postMessage", call -> {
          call.peer().notify("handleMessage", "user1", argument(call, 0));
          return 1;
        })
        .method("leave", call -> {
          posted.countDown();
          return null;
        })
        .build();
    try (Talk talk = Talk.withServer(new JsonRpc10(), chat)) {
      talk.other
          .send("""
              {"method":"postMessage","params":["Hello all!"],"id":99}""")
          .expect(
              "{\"method\":\"handleMessage\",\"params\":[\"user1\",\"Hello all!\"],\"id\":null}",
              "{\"result\":1,\"error\":null,\"id\":99}");
      talk.other.send("{\"method\":\"leave\",\"params\":[],\"id\":null}");
      assertThat(posted.await(60, TimeUnit.SECONDS)).isTrue();
      talk.other
          .send("{\"method\":\"postMessage\",\"params\":[],\"id\":101}")
          .expect(
              "{\"method\":\"handleMessage\",\"params\":[\"user1\",null],\"id\":null}",
              "{\"result\":1,\"error\":null,\"id\":101}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1", "-1.50", "\"a\"", "true", "false", "[1,[2]]", "{\"a\":{}}", "\"\\u0041\"", "0"
      })
  void anyIdIsReturnedAsItWas(String id) {
    try (Talk talk = server()) {
      talk.other.send("{\"id\":" + id + ",\"method\":\"nothing\",\"params\":[]}");
      assertThat(talk.other.receive())
          .isEqualTo("{\"result\":null,\"error\":null,\"id\":" + id + "}");
    }
  }

  @Test
  void theHandlerSeesAnyId() {
    Service service = Service.builder().method("id", call -> call.id().json()).build();
    try (Talk talk = Talk.withServer(new JsonRpc10(), service)) {
      talk.other.send("""
          {"id":{"a":1},"method":"id","params":[]}""");
      talk.other.expect("""
          {"result":{"a":1},"error":null,"id":{"a":1}}""");
    }
  }

  @Test
  void anErrorIsAnObjectAndTheResultNull() {
    try (Talk talk = server()) {
      talk.other
          .send("{\"method\":\"fail\",\"params\":[],\"id\":1}")
          .expect("""
              {"result":null,"error":{"code":1001,"message":"no more tea","data":[1,2]},"id":1}""")
          .send("{\"method\":\"rpc.cancel\",\"params\":[],\"id\":2}")
          .expect("""
              {"result":null,"error":{"code":-32601,"message":"Method not found",\
              "data":"rpc.discover lists the methods there are"},"id":2}""")
          .send("{\"method\":\"rpc.ping\",\"params\":[],\"id\":3}")
          .expect("{\"result\":\"pong\",\"error\":null,\"id\":3}");
    }
  }

  @Test
  void unknownMembersAreIgnoredAndClassHintsArePlainData() {
    try (Talk talk = server()) {
      talk.other.send("""
          {"jsonrpc":"1.0","method":"echo","id":1,\
          "params":[{"__jsonclass__":["java.lang.Thread",[]]}]}""");
      talk.other.expect("""
          {"result":{"__jsonclass__":["java.lang.Thread",[]]},"error":null,"id":1}""");
    }
  }

  @Test
  void namesMayHaveEscapes() {
    try (Talk talk = server()) {
      talk.other.send("""
          {"\\u006dethod":"ech\\u006f","params":["\\u00e9"],"id":1}\
          """);
      talk.other.expect("{\"result\":\"é\",\"error\":null,\"id\":1}");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'method':'echo','params':{'a':1},'id':1} | 1"
            + " | the member 'params' is an object, but has to be an array",
        "{'method':'echo','id':'x'} | 'x' | the member 'params' is missing, but has to be an array",
        "{'method':1,'params':[],'id':1} | 1 | the member 'method' is a number, but has to be a string",
        "{'params':[],'id':1} | 1 | the member 'method' is missing, but has to be a string",
        "{'method':'echo','params':[]} | null"
            + " | the member 'id' is missing, but has to be null in a notification",
        "{'method':'echo','params':[],'id':1,'result':3} | 1"
            + " | a message with the member 'method' has no result and no error",
        "{'method':'echo','method':'x','params':[],'id':1} | null | the member 'method' occurs twice",
        "[{'method':'echo','params':[],'id':1}] | null"
            + " | the message is an array, but has to be an object",
        "7 | null | the message is a number, but has to be an object",
      })
  void anInvalidMessageIsAnsweredAndEndsTheConnection(String message, String id, String reason)
      throws Exception {
    try (Talk talk = server()) {
      talk.other
          .send(message.replace('\'', '"'))
          .expect(
              refusal(RpcError.INVALID_REQUEST, "Invalid Request", reason, id.replace('\'', '"')))
          .expectEnd();
      assertThat(talk.violation()).isEqualTo("not a valid message, " + reason);
    }
  }

  private static String refusal(int code, String message, String reason, String id) {
    return """
        {"result":null,"error":{"code":%s,"message":"%s","data":%s},"id":%s}\
        """.formatted(code, message, Json.of(reason), id);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'method':'echo','params':[],'id':1 | expected ',' or '}' at byte 40",
        "{'method':'echo','params':[],'id':1} x | text after the message at byte 37",
        "`` | the text is empty at byte 0",
      })
  void whatIsNoJsonIsAnsweredAndEndsTheConnection(String text, String reason) {
    try (Talk talk = server()) {
      talk.other.send(text.replace('\'', '"'));
      assertThat(talk.other.receive()).startsWith("""
          {"result":null,"error":{"code":-32700,"message":"Parse error\"\
          """).endsWith(",\"id\":null}");
      talk.other.expectEnd();
    }
  }

  @Test
  void aRunningCallIsAnsweredBeforeAnInvalidMessageEndsTheConnection() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Service service = Service.builder()
        .method("slow", call -> release.await(60, TimeUnit.SECONDS))
        .build();
    try (Talk talk = Talk.withServer(new JsonRpc10(), service)) {
      talk.other.send("{\"method\":\"slow\",\"params\":[],\"id\":1}");
      talk.other.send("{}");
      assertThat(talk.other.receive()).endsWith(",\"id\":null}");
      release.countDown();
      talk.other.expect("{\"result\":true,\"error\":null,\"id\":1}").expectEnd();
    }
  }

  @Test
  void otherConnectionsDoNotNoticeAnInvalidMessage() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=jsonrpc-1.0", service());
        Peer good = Repartee.connect(server.endpoint());
        RawConnection bad = new RawConnection(server)) {
      assertThat(good.call("echo", int.class, 1)).isEqualTo(1);
      bad.send("""
          {"jsonrpc":"2.0","method":"echo","id":1}
          """);
      assertThat(bad.line()).contains("the member 'params' is missing");
      assertThat(bad.rest()).isEmpty();
      assertThat(good.call("echo", int.class, 2)).isEqualTo(2);
    }
  }

  @Test
  void aStreamIsRefused() {
    try (Talk talk = server()) {
      talk.other.send("{\"method\":\"stream\",\"params\":[],\"id\":1}");
      assertThat(talk.other.receive())
          .contains(
              "-32600", "the result of 'stream' is a stream of items, which needs JSON-RPC 2.0");
    }
  }

  // ---------------------------------------------------------------- calling

  @Test
  void aCallHasParamsByPosition() {
    try (Talk talk = client()) {
      CallFuture<Integer> one = talk.peer.callAsync("add", Integer.class, 1, "two");
      CallFuture<Integer> two = talk.peer.request("none").send(Integer.class);
      assertThat(talk.other.receive()).isEqualTo("""
          {"method":"add","params":[1,"two"],"id":1}""");
      assertThat(talk.other.receive()).isEqualTo("{\"method\":\"none\",\"params\":[],\"id\":2}");
      talk.other.send("{\"result\":5,\"error\":null,\"id\":2}");
      talk.other.send("{\"error\":null,\"id\":1,\"result\":null}");
      assertThat(two.await()).isEqualTo(5);
      assertThat(one.await()).isNull();
    }
  }

  @Test
  void paramsByNameAreNotSent() {
    try (Talk talk = client()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> talk.peer.request("add").arg("a", 1).send(int.class))
          .withMessage("JSON-RPC 1.0 has params by position only, so the params have to be an"
              + " array, not an object");
      talk.peer.notify("next");
      talk.other.expect("{\"method\":\"next\",\"params\":[],\"id\":null}");
    }
  }

  @Test
  void batchesAndStreamsAreNotSent() {
    try (Talk talk = client()) {
      assertThatThrownBy(talk.peer::batch)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage("a batch needs JSON-RPC 2.0, but this connection has another envelope;"
              + " make single calls");
      assertThatThrownBy(
              () -> talk.peer.request("s").stream(int.class).forEach(item -> {}).join())
          .hasCauseInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("a stream needs JSON-RPC 2.0");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "{'code':-1,'message':'m','data':[1]} | -1 | m | [1]",
        "{'code':-1,'message':'m'} | -1 | m | -",
        "{'message':'m'} | 0 | m | -",
        "'not today' | 0 | not today | -",
        "{'name':'JSONRPCError','code':123,'message':'m'} | 123 | m"
            + " | {'name':'JSONRPCError','code':123,'message':'m'}",
        "{'code':1.5,'message':'m'} | 0 | m | {'code':1.5,'message':'m'}",
        "{'code':'E1'} | 0 | an error without a message | {'code':'E1'}",
        "42 | 0 | an error without a message | 42",
        "[20,'Other/Unknown'] | 0 | an error without a message | [20,'Other/Unknown']",
        "true | 0 | an error without a message | true",
      })
  void anyErrorFailsTheCall(String error, int code, String message, String data) {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("m", Json.class);
      talk.other.receive();
      talk.other.send("{\"result\":null,\"error\":" + error.replace('\'', '"') + ",\"id\":1}");
      RemoteRpcException e = catchThrowableOfType(RemoteRpcException.class, call::await);
      assertThat(e.error())
          .isEqualTo(new RpcError(
              code, message, data == null ? null : Json.parse(data.replace('\'', '"'))));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'result':1,'id':1} | the member 'error' is missing,"
            + " but has to be present in a response, null if there is none",
        "{'result':1,'error':2,'id':1} | one of the members 'result' and 'error' has to be null",
      })
  void anInvalidResponseFailsItsCallAndEndsTheConnection(String response, String reason)
      throws Exception {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("m", Json.class);
      CallFuture<Json> other = talk.peer.callAsync("m", Json.class);
      talk.other.receive();
      talk.other.receive();
      talk.other.send(response.replace('\'', '"'));
      assertThatThrownBy(call::await)
          .isInstanceOf(ProtocolException.class)
          .hasMessage("the answer to 'm' is no response: " + reason);
      assertThatThrownBy(other::await).isInstanceOf(DisconnectedException.class);
      talk.other.expectEnd();
    }
  }

  @Test
  void anErrorWithoutIdIsReported() throws Exception {
    try (Talk talk = client()) {
      talk.other.send("{\"result\":null,\"error\":\"what?\",\"id\":null}");
      assertThat(talk.violation()).isEqualTo("an error without an id: \"what?\"");
      talk.other.send("""
          {"result":null,"error":"what?","id":{"a":1}}""");
      assertThat(talk.violation()).isEqualTo("a response to no pending call: id {\"a\":1}");
    }
  }

  @Test
  void aCallThatIsGivenUpIsNotCancelled() {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("m", Json.class);
      talk.other.receive();
      call.cancel(true);
      talk.peer.notify("next");
      talk.other.expect("{\"method\":\"next\",\"params\":[],\"id\":null}");
    }
  }

  @Test
  void theEndOfTheConnectionFailsUnansweredCalls() {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("m", Json.class);
      talk.other.receive();
      talk.other.close();
      assertThatThrownBy(call::await).isInstanceOf(DisconnectedException.class);
    }
  }

  // ---------------------------------------------------------------- both

  @Test
  void clientAndServerCallEachOtherOverTcp() throws Exception {
    Service answers = Service.builder()
        .method(
            "answer",
            call -> argument(call, 0).as(int.class) * argument(call, 1).as(int.class))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=jsonrpc-1.0", service());
        Peer client = Repartee.connect(server.endpoint(), answers, Options.DEFAULT)) {
      assertThat(client.call("ask", int.class)).isEqualTo(42);
      assertThat(client.call("echo", String.class, "é")).isEqualTo("é");
      assertThat(client.call("nothing", Json.class)).isEqualTo(Json.NULL);
      client.notify("note", 7);
      assertThat(NOTED.get(60, TimeUnit.SECONDS)).isEqualTo(Json.of(7));
      RemoteRpcException e =
          catchThrowableOfType(RemoteRpcException.class, () -> client.call("fail", Json.class));
      assertThat(e.error()).isEqualTo(new RpcError(1001, "no more tea", Json.parse("[1,2]")));
    }
  }

  @Test
  void overHttpAPostIsOneMessageAndAnErrorHasStatus200() throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/#envelope=jsonrpc-1.0", service())) {
      URI uri = URI.create(server.endpoint().bare().toString());
      HttpClient http = HttpClient.newHttpClient();
      assertThat(post(http, uri, "{\"method\":\"echo\",\"params\":[1],\"id\":1}"))
          .isEqualTo("200 {\"result\":1,\"error\":null,\"id\":1}");
      assertThat(post(http, uri, "{\"method\":\"nothing\",\"params\":[],\"id\":null}"))
          .isEqualTo("204 ");
      assertThat(post(http, uri, "{\"method\":\"fail\",\"params\":[],\"id\":[1]}"))
          .isEqualTo("200 {\"result\":null,\"error\":{\"code\":1001,\"message\":\"no more tea\","
              + "\"data\":[1,2]},\"id\":[1]}");
      assertThat(post(http, uri, "[]"))
          .contains("the message is an array, but has to be an object")
          .endsWith(",\"id\":null}");
    }
  }

  private static String post(HttpClient http, URI uri, String body) throws Exception {
    HttpResponse<String> response = http.send(
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(20))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
    return response.statusCode() + " " + response.body();
  }

  @Test
  void anErrorWithoutTheMemberResultIsAnError() {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("get_schema", Json.class, "nodb");
      talk.other.receive();
      talk.other.send("{\"id\":1,\"error\":\"unknown method\"}"); // of ovsdb-server
      RemoteRpcException failure = catchThrowableOfType(RemoteRpcException.class, call::await);
      assertThat(failure.error().message()).isEqualTo("unknown method");
    }
  }

  @Test
  void anErrorIsATextIfTheEnvelopeSaysSo() {
    try (Talk talk = Talk.withServer(new JsonRpc10Text(), service())) {
      talk.other
          .send("{\"method\":\"fail\",\"params\":[],\"id\":1}")
          .expect("{\"result\":null,\"error\":\"no more tea\",\"id\":1}")
          .send("{\"method\":\"nothing\",\"params\":[],\"id\":2}")
          .expect("{\"result\":null,\"error\":null,\"id\":2}");
    }
  }
}
