package dev.repartee.envelopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.CallFuture;
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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of mxr, as texts and between our client and daemon. */
class MxrTest {
  private static final String PING = """
      {"id":7,"source":"cli","payload":{"type":"Request","cmd":"Ping"}}""";
  private static final String PONG = ok(7, "{\"kind\":\"Pong\"}");

  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch slow = new CountDownLatch(1);

  private Service daemon() {
    return Service.builder()
        .method("Ping", call -> Map.of("kind", "Pong"))
        .method("Search", call -> {
          call.peer().request("EventsLagged").arg("skipped", 144).sendNotification();
          return Map.of("kind", call.params());
        })
        .method("Slow", call -> {
          slow.countDown();
          return Map.of("kind", go.await(60, TimeUnit.SECONDS) ? "Ack" : "Late");
        })
        .method("GetBody", call -> {
          throw new RpcException(RpcError.NO_CODE, "no such message", Json.parse("""
              {"kind":"not_found","code":"not_found","retryable":false}"""));
        })
        .method("Fail", call -> {
          throw new RpcException(7, "sorry");
        })
        .build();
  }

  private Talk server() {
    return Talk.withServer(new Mxr(), daemon());
  }

  private static Talk client() {
    return Talk.withClient(new Mxr());
  }

  private static String request(int id, String members) {
    return """
        {"id":%s,"source":"cli","payload":{"type":"Request",%s}}""".formatted(id, members);
  }

  private static String ok(int id, String data) {
    return """
        {"id":%s,"source":"daemon","payload":{"type":"Response","status":"Ok","data":%s}}\
        """.formatted(id, data);
  }

  private static String error(int id, String members) {
    return """
        {"id":%s,"source":"daemon","payload":{"type":"Response","status":"Error",%s}}\
        """.formatted(id, members);
  }

  // ---------------------------------------------------------------- a daemon

  @Test
  void requestsAreAnsweredAndEventsHaveTheIdZero() {
    try (Talk talk = server()) {
      talk.other
          .send(PING)
          .expect(PONG)
          .send("""
              {"id":8,"payload":{"limit":10,"cmd":"Search","query":"a \\"b\\"",\
              "type":"Request","mode":null}}""")
          .expect(
              "{\"id\":0,\"source\":\"cli\",\"payload\":{\"type\":\"Event\","
                  + "\"event\":\"EventsLagged\",\"skipped\":144}}",
              ok(8, """
                  {"kind":{"limit":10,"query":"a \\"b\\"","mode":null}}"""));
    }
  }

  @Test
  void requestsAreAnsweredInAnyOrder() throws Exception {
    try (Talk talk = server()) {
      talk.other.send(request(1, "\"cmd\":\"Slow\"")).send(PING).expect(PONG);
      assertThat(slow.await(60, TimeUnit.SECONDS)).isTrue();
      go.countDown();
      talk.other.expect(ok(1, "{\"kind\":\"Ack\"}"));
    }
  }

  @Test
  void anErrorHasAKindACodeAndDetails() {
    try (Talk talk = server()) {
      talk.other
          .send(request(8, "\"cmd\":\"GetBody\",\"message_id\":\"x\""))
          .expect(error(
              8,
              "\"message\":\"no such message\",\"kind\":\"not_found\",\"code\":\"not_found\","
                  + "\"retryable\":false"))
          .send(request(9, "\"cmd\":\"Fail\""))
          .expect(error(
              9,
              "\"message\":\"sorry\",\"kind\":\"internal\",\"code\":\"internal\","
                  + "\"retryable\":false,\"details\":{\"rpc_code\":7}"))
          .send(request(10, "\"cmd\":\"Nothing\""))
          .expect(error(
              10,
              "\"message\":\"Method not found\",\"kind\":\"unsupported\",\"code\":\"unsupported\","
                  + "\"retryable\":false,\"details\":{\"data\":"
                  + "\"rpc.discover lists the methods there are\"}"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'id':7,'payload':{'type':'Request','cmd':'Ping'}",
        "{'id':7,'payload':{'type':'Request'}}",
        "{'id':7,'payload':{'type':'Request','cmd':7}}",
        "{'id':7,'payload':{'type':'Request','cmd':'Ping','cmd':'Slow'}}",
        "{'id':7,'payload':{'type':'Question','cmd':'Ping'}}",
        "{'id':7,'payload':'Ping'}",
        "{'id':'7','payload':{'type':'Request','cmd':'Ping'}}",
        "{'payload':{'type':'Request','cmd':'Ping'}}",
        "[]",
        ""
      })
  void anUnreadableFrameEndsTheConnectionWithoutAnAnswer(String frame) throws Exception {
    try (Talk talk = server()) {
      talk.other.send(PING).expect(PONG);
      talk.other.send(frame.replace('\'', '"'));
      talk.other.expectEnd();
    }
  }

  @Test
  void theFirstRequestOverTcpCarriesTheToken() throws Exception {
    Service gate = Service.builder()
        .method("Authenticate", call -> Map.of("kind", "Authenticated"))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=mxr", gate);
        RawConnection client = new RawConnection(server)) {
      String text = request(1, "\"cmd\":\"Authenticate\",\"token\":\"t\"");
      String answer = ok(1, "{\"kind\":\"Authenticated\"}");
      client.send(new byte[] {0, 0, 0, (byte) text.length()}).send(text);
      assertThat(client.bytes(4 + answer.length())).endsWith(answer);
    }
  }

  // ---------------------------------------------------------------- a client

  @Test
  void paramsAreMembersOfThePayload() {
    try (Talk talk = client()) {
      CallFuture<Json> ping = talk.peer.callAsync("Ping", Json.class);
      talk.peer.request("Search").arg("query", "x").arg("limit", 5).send(Json.class);
      talk.peer.request("Count").params(Json.parse("{ }")).send(Json.class);
      talk.other.expect(
          request(1, "\"cmd\":\"Ping\""),
          request(2, "\"cmd\":\"Search\",\"query\":\"x\",\"limit\":5"),
          request(3, "\"cmd\":\"Count\""));
      talk.other.send(ok(1, "{\"kind\":\"Pong\"}"));
      assertThat(ping.await()).isEqualTo(Json.parse("{\"kind\":\"Pong\"}"));
    }
  }

  @Test
  void aClientMayIntroduceItself() {
    try (Talk talk = Talk.withClient(new Mxr("agent"))) {
      talk.peer.callAsync("Ping", Json.class);
      talk.other.expect(PING.replace("cli", "agent").replace("7", "1"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"type", "cmd", "event", "c\\u006dd"})
  void aParamCannotReplaceATag(String name) {
    try (Talk talk = client()) {
      Json params = Json.parse("{\"query\":\"x\",\"" + name + "\":\"Shutdown\"}");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> talk.peer.request("Search").params(params).call(Json.class))
          .withMessageEndingWith(
              "has the name of a member that mxr messages have themselves; leave it out");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> talk.peer.call("Search", Json.class, "x"))
          .withMessage(
              "mxr has params by name only, so the params have to be an object, not an array");
      talk.peer.callAsync("Ping", Json.class);
      assertThat(talk.other.receive()).contains("\"cmd\":\"Ping\"");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'message':'m','kind':'not_found','code':'not_found','retryable':false | 0 | m"
            + " | {'kind':'not_found','code':'not_found','retryable':false}",
        "'message':'m','kind':'rate_limited','retryable':true,'details':{'s':3} | -32000 | m"
            + " | {'kind':'rate_limited','retryable':true,'details':{'s':3}}",
        "'message':'m','kind':'internal','details':{'rpc_code':7} | 7 | m"
            + " | {'kind':'internal','details':{'rpc_code':7}}",
        "'message':'m' | -32603 | m | {}",
        "'kind':'auth' | 0 | an error without a message | {'kind':'auth'}",
      })
  void anErrorFailsTheCall(String members, int code, String message, String data) {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("GetBody", Json.class);
      talk.other.receive();
      talk.other.send(error(1, members.replace('\'', '"')));
      RemoteRpcException e = catchThrowableOfType(RemoteRpcException.class, call::await);
      assertThat(e.error())
          .isEqualTo(new RpcError(code, message, Json.parse(data.replace('\'', '"'))));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'status':'Maybe' | the member 'status' is neither 'Ok' nor 'Error'",
        "'status':'Ok'"
            + " | the member 'data' is missing, but has to be present in a response without an"
            + " error",
      })
  void anInvalidResponseFailsItsCall(String members, String reason) {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("GetBody", Json.class);
      talk.other.receive();
      talk.other.send(
          "{\"id\":1,\"payload\":{\"type\":\"Response\"," + members.replace('\'', '"') + "}}");
      assertThatThrownBy(call::await)
          .isInstanceOf(ProtocolException.class)
          .hasMessage("the answer to 'GetBody' is no response: " + reason);
    }
  }

  @Test
  void anErrorKeepsItsKindAndDetailsOnTheWay() throws Exception {
    for (RpcError error : List.of(
        new RpcError(RpcError.NO_CODE, "m", Json.parse("""
            {"kind":"auth","code":"no_token","retryable":false,"details":{"a":[1]}}""")),
        new RpcError(7, "m", Json.parse("""
            {"kind":"provider","retryable":true,"details":{"rpc_code":7}}""")),
        new RpcError(
            RpcError.INVALID_REQUEST, "m", Json.parse("{\"kind\":\"invalid_request\"}")))) {
      Service service = Service.builder()
          .method("GetBody", call -> {
            throw new RpcException(error);
          })
          .build();
      try (Server server = Repartee.listen("mem:mxr#envelope=mxr", service);
          Peer peer = Repartee.connect(server.endpoint())) {
        RemoteRpcException e =
            catchThrowableOfType(RemoteRpcException.class, () -> peer.call("GetBody", Json.class));
        assertThat(e.error()).isEqualTo(error);
      }
    }
  }

  // ---------------------------------------------------------------- both

  @Test
  void clientAndDaemonSpeakOverTcp() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    Service client = Service.builder()
        .method("EventsLagged", call -> events.add(String.valueOf(call.params())))
        .build();
    byte[] large = new byte[100_000];
    Arrays.fill(large, (byte) 'q');
    String query = new String(large, java.nio.charset.StandardCharsets.US_ASCII);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=mxr", daemon());
        Peer peer = Repartee.connect(server.endpoint(), client, Options.DEFAULT)) {
      assertThat(peer.channel().framing()).isEqualTo("length-prefix");
      assertThat(peer.request("Search").arg("query", query).call(Json.class))
          .isEqualTo(Json.of(Map.of("kind", Map.of("query", query))));
      assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo("{\"skipped\":144}");
    }
  }
}
