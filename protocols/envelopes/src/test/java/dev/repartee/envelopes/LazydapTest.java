package dev.repartee.envelopes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.DisconnectedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of lazydap, as texts and between our client and daemon. */
class LazydapTest {
  private static final String PING = """
      {"version":10,"id":1,"payload":{"Request":"Ping"}}""";
  private static final Json PONG = Json.parse("""
      {"Pong":{"version":10,"instance":"hello-13cc8efcde46","uptime_ms":12}}""");
  private static final String SESSION = "2f0c0e6e-0d4b-4a55-9a52-6a0a5a0b5a11";

  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch slow = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);

  private Service daemon() {
    return Service.builder()
        .method("Ping", call -> PONG)
        .method("Shutdown", call -> Map.of("ShuttingDown", Map.of("sessions", List.of())))
        .method("Threads", call -> Map.of("Threads", List.of()))
        .method("Slow", call -> {
          slow.countDown();
          return go.await(60, TimeUnit.SECONDS) ? "Done" : "Late";
        })
        .method("Quick", call -> {
          begun.countDown();
          return "Done";
        })
        .method(
            "Later",
            call -> CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return go.await(60, TimeUnit.SECONDS) ? "Done" : "Late";
                  } catch (InterruptedException e) {
                    return "Interrupted";
                  }
                },
                work -> new Thread(work).start()))
        .method("Subscribe", call -> {
          call.peer()
              .request("Continued")
              .arg("session_id", SESSION)
              .arg("thread_id", 27982711)
              .arg("all_threads_continued", true)
              .sendNotification();
          return Map.of("Status", call.params() == null ? Map.of() : call.params());
        })
        .method("Launch", call -> {
          throw new RpcException(RpcError.NO_CODE, "no codelldb", Json.parse("""
              {"code":"AdapterNotFound","details":{"searched":["/usr/bin"]}}"""));
        })
        .method("Fail", call -> {
          throw new RpcException(7, "sorry", Json.of(List.of("y")));
        })
        .build();
  }

  private Talk server() {
    return Talk.withServer(new Lazydap(), daemon());
  }

  private static Talk client() {
    return Talk.withClient(new Lazydap());
  }

  private static String request(int id, String request) {
    return "{\"version\":10,\"id\":" + id + ",\"payload\":{\"Request\":" + request + "}}";
  }

  private static String response(int id, Object response) {
    return "{\"version\":10,\"id\":" + id + ",\"payload\":{\"Response\":" + response + "}}";
  }

  private static String error(int id, String code, String message, String details) {
    return """
        {"version":10,"id":%s,"payload":{"Error":{"code":"%s","message":"%s","details":%s}}}\
        """.formatted(id, code, message, details);
  }

  // ---------------------------------------------------------------- a daemon

  @Test
  void requestsAreAnsweredAndEventsHaveTheIdZero() {
    try (Talk talk = server()) {
      talk.other
          .send(PING)
          .expect(response(1, PONG))
          .send(request(9, "{\"Subscribe\":{\"channels\":[\"stopped\",\"output\"]}}"))
          .expect(
              "{\"version\":10,\"id\":0,\"payload\":{\"Event\":{\"Continued\":{\"session_id\":\""
                  + SESSION + "\",\"thread_id\":27982711,\"all_threads_continued\":true}}}}",
              response(9, "{\"Status\":{\"channels\":[\"stopped\",\"output\"]}}"))
          .send(request(10, "\"Quick\""))
          .expect(response(10, "\"Done\""));
    }
  }

  @Test
  void anIdOfTwentyDigitsIsRepeated() {
    try (Talk talk = server()) {
      talk.other
          .send(PING.replace("\"id\":1", "\"id\":18446744073709551615"))
          .expect(response(1, PONG).replace("\"id\":1", "\"id\":18446744073709551615"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Slow", "Later"})
  void requestsAreServedOneAtATimeInOrder(String first) {
    try (Talk talk = server()) {
      talk.other
          .send(request(1, "\"" + first + "\""))
          .send(request(2, "\"Quick\""))
          .send(request(3, "\"Nothing\""))
          .send("""
              {"version":9,"id":4,"payload":{"Request":"Quick"}}""")
          .send("""
              {"version":10,"id":5,"payload":{"Event":"Quick"}}""")
          .send(request(6, "\"Quick\""));
      assertThat(begun.getCount()).isEqualTo(1);
      go.countDown();
      talk.other.expect(response(1, "\"Done\""), response(2, "\"Done\""));
      assertThat(talk.other.receive()).contains("\"id\":3,", "Method not found");
      assertThat(talk.other.receive()).contains("\"id\":4,", "VersionMismatch");
      assertThat(talk.other.receive()).contains("\"id\":5,", "BadRequest");
      talk.other.expect(response(6, "\"Done\""));
    }
  }

  @Test
  void anErrorHasAStringCodeAndDetails() {
    try (Talk talk = server()) {
      talk.other
          .send(request(4, "{\"Launch\":{}}"))
          .expect(error(4, "AdapterNotFound", "no codelldb", "{\"searched\":[\"/usr/bin\"]}"))
          .send(request(5, "\"Fail\""))
          .expect(error(5, "DaemonInternalError", "sorry", "{\"data\":[\"y\"],\"rpc_code\":7}"))
          .send(request(6, "\"Nothing\""))
          .expect(error(
              6,
              "BadRequest",
              "Method not found",
              "{\"data\":\"rpc.discover lists the methods there are\",\"rpc_code\":-32601}"));
    }
  }

  @Test
  void anotherVersionIsRefusedExceptForTheFrozenRequests() throws Exception {
    try (Talk talk = server()) {
      talk.other
          .send("""
              {"version":7,"id":1,"payload":{"Request":"Ping"}}""")
          .expect(response(1, PONG))
          .send("""
              {"version":7,"id":2,"payload":{"Request":{"Threads":{}}}}""")
          .expect(error(
              2,
              "VersionMismatch",
              "this side speaks version 10 and the request is of version 7",
              "{\"daemon_version\":10,\"client_version\":7}"))
          .send("""
              {"version":7,"id":3,"payload":{"Request":"Shutdown"}}""")
          .expect(response(3, "{\"ShuttingDown\":{\"sessions\":[]}}"))
          .send("""
              {"version":7,"id":4,"payload":{"Request":{"Shutdown":{}}}}""");
      assertThat(talk.other.receive()).contains("\"id\":4,", "VersionMismatch");
      assertThat(talk.violation()).contains("this side speaks version 10");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"Response\":{\"Pong\":{\"version\":10}}}", "{\"Event\":{\"Continued\":{}}}"})
  void whatOnlyADaemonSendsIsRefusedOnItsId(String payload) {
    try (Talk talk = server()) {
      String kind = payload.substring(2, payload.indexOf('"', 2));
      talk.other
          .send("{\"version\":10,\"id\":3,\"payload\":" + payload + "}")
          .expect(error(3, "BadRequest", "expected a request, but the payload is " + kind, "{}"))
          .send(PING)
          .expect(response(1, PONG));
    }
  }

  @Test
  void anErrorIsNeverAnswered() throws Exception {
    try (Talk talk = server()) {
      talk.other.send(error(3, "BadRequest", "m", "{}"));
      assertThat(talk.violation()).isEqualTo("a response to no pending call: id 3");
      talk.other.send(PING).expect(response(1, PONG));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'version':10,'id':1,'payload':{'Request':'Ping'} | expected ',' or '}'",
        "{'version':10,'id':1,'payload':{'Request':{'Ping':null}}}"
            + " | the body in the payload is null, but has to be an object or an array",
        "{'version':10,'id':1,'payload':{'Question':'Ping'}}"
            + " | the payload is none of Request, Response, Event and Error",
        "{'version':10,'id':1,'payload':{'Request':{'Ping':{},'Status':{}}}}"
            + " | the payload has to contain a name, or an object with one member",
        "{'version':10,'id':1,'payload':{'Request':7}}"
            + " | the payload has to contain a name, or an object with one member",
        "{'version':10,'id':1,'payload':'Request'} | the member 'payload' has to be an object"
            + " with one member, the kind of the message",
        "{'version':10,'id':1,'payload':{}} | the member 'payload' has to be an object"
            + " with one member, the kind of the message",
        "{'version':10,'id':1} | the member 'payload' has to be an object"
            + " with one member, the kind of the message",
        "{'version':10,'payload':{'Request':'Ping'}}"
            + " | the member 'id' is missing, but has to be an integer from 0 on",
        "{'version':10,'id':-1,'payload':{'Request':'Ping'}}"
            + " | the member 'id' is a number, but has to be an integer from 0 on",
        "{'id':1,'payload':{'Request':'Ping'}}"
            + " | the member 'version' is missing, but has to be an integer",
        "{'version':10,'id':1,'id':2,'payload':{'Request':'Ping'}} | the member 'id' occurs twice",
        "[] | the message is an array, but has to be an object",
      })
  void anUnreadableFrameIsAnsweredOnIdZeroBehindTheReplyInProgress(String frame, String reason)
      throws Exception {
    try (Talk talk = server()) {
      talk.other.send(request(1, "\"Slow\""));
      assertThat(slow.await(60, TimeUnit.SECONDS)).isTrue();
      talk.other.send(frame.replace('\'', '"')).send("{").send("{");
      assertThat(talk.violation()).contains(reason);
      go.countDown();
      talk.other.expect(response(1, "\"Done\""));
      Json answer = Json.parse(talk.other.receive());
      assertThat(answer.get("id")).isEqualTo(Json.of(0));
      assertThat(answer.toString()).contains("\"code\":\"BadRequest\"", reason);
      talk.other.expectEnd();
    }
  }

  @Test
  void anAnswerThatIsTooLargeIsABadRequestAndTheConnectionGoesOn() {
    Service service = Service.builder()
        .method("Output", call -> "x".repeat(2000))
        .method("Ping", call -> PONG)
        .build();
    Options options =
        Options.builder().limits(limits -> limits.frameBytes(1000)).build();
    try (Talk talk = Talk.withServer(new Lazydap(), service, options)) {
      talk.other
          .send(request(3, "{\"Output\":{}}"))
          .expect(error(
              3,
              "BadRequest",
              "Response too large; ask for less",
              "{\"max_frame_bytes\":999}")) // the frame ends with a line break
          .send(PING)
          .expect(response(1, PONG));
    }
  }

  @Test
  void aLengthAboveTheLimitIsAnsweredOnIdZeroAndEndsTheConnection() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=lazydap", daemon());
        RawConnection client = new RawConnection(server)) {
      client.send(new byte[] {1, 0, 0, 1, '{'});
      String answer = client.rest();
      assertThat(answer).contains("\"id\":0,", "\"code\":\"BadRequest\"");
    }
  }

  @Test
  void aFrameThatIsCutEndsItsConnectionAlone() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=lazydap", daemon());
        RawConnection cut = new RawConnection(server);
        RawConnection whole = new RawConnection(server)) {
      byte[] ping = PING.getBytes(UTF_8);
      cut.send(ByteBuffer.allocate(20).putInt(ping.length).put(ping, 0, 16).array())
          .endOutput();
      cut.rest();
      whole.send(
          ByteBuffer.allocate(4 + ping.length).putInt(ping.length).put(ping).array());
      String pong = response(1, PONG);
      assertThat(whole.bytes(4 + pong.length())).endsWith(pong);
    }
  }

  // ---------------------------------------------------------------- a client

  @Test
  void callsAreVariantsAndBareNames() {
    try (Talk talk = client()) {
      CallFuture<Json> ping = talk.peer.callAsync("Ping", Json.class);
      talk.other.expect(PING);
      talk.other.send(response(1, PONG));
      assertThat(ping.await()).isEqualTo(PONG);
      talk.peer.request("Continue").params(Json.parse("""
          {"session_id":"%s","thread_id":null,\
          "wait":{"Wait":{"timeout_ms":null}},"all_threads":false}\
          """.formatted(SESSION))).send(Json.class);
      talk.peer.request("Re\"start").send(Json.class);
      talk.peer.callAsync("Re\"start", Json.class);
      talk.peer.request("Threads").params(Json.EMPTY_OBJECT).send(Json.class);
      talk.peer.callAsync("Pause", Json.class, SESSION, 7);
      talk.other.expect(
          request(2, """
              {"Continue":{"session_id":"%s","thread_id":null,\
              "wait":{"Wait":{"timeout_ms":null}},"all_threads":false}}""".formatted(SESSION)),
          request(3, "\"Re\\\"start\""),
          request(4, "\"Re\\\"start\""),
          request(5, "{\"Threads\":{}}"),
          request(6, "{\"Pause\":[\"" + SESSION + "\",7]}"));
    }
  }

  @Test
  void theVersionOfTheDaemonIsTakenFromItsAnswerToPing() {
    try (Talk talk = client()) {
      CallFuture<Json> ping = talk.peer.callAsync("Ping", Json.class);
      talk.other.expect(PING);
      talk.other.send("""
          {"version":8,"id":1,"payload":{"Response":{"Pong":{\
          "instance":"i","version":8,"uptime_ms":1}}}}""");
      ping.await();
      talk.peer.callAsync("Shutdown", Json.class);
      talk.other.expect("""
          {"version":8,"id":2,"payload":{"Request":"Shutdown"}}""");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'code':'AdapterNotFound','message':'m','details':{'searched':[]} | 0 | m"
            + " | {'code':'AdapterNotFound','details':{'searched':[]}}",
        "'code':'BadRequest','message':'m','details':{} | -32600 | m"
            + " | {'code':'BadRequest','details':{}}",
        "'code':'Cancelled','message':'m','details':{} | -32800 | m"
            + " | {'code':'Cancelled','details':{}}",
        "'code':'DaemonInternalError','message':'m','details':{'rpc_code':7} | 7 | m"
            + " | {'code':'DaemonInternalError','details':{'rpc_code':7}}",
        "'code':7 | 0 | an error without a message | {'code':7}",
      })
  void anErrorFailsTheCall(String members, int code, String message, String data) {
    try (Talk talk = client()) {
      CallFuture<Json> call = talk.peer.callAsync("Step", Json.class);
      talk.other.receive();
      talk.other.send(
          "{\"version\":10,\"id\":1,\"payload\":{\"Error\":{" + members.replace('\'', '"') + "}}}");
      RemoteRpcException e = catchThrowableOfType(RemoteRpcException.class, call::await);
      assertThat(e.error())
          .isEqualTo(new RpcError(code, message, Json.parse(data.replace('\'', '"'))));
    }
  }

  @Test
  void anErrorOnIdZeroAnswersTheFirstCallAndTheEndFailsTheOthers() throws Exception {
    try (Talk talk = client()) {
      CallFuture<Json> first = talk.peer.callAsync("Step", Json.class);
      CallFuture<Json> next = talk.peer.callAsync("Step", Json.class);
      talk.other.receive();
      talk.other.receive();
      talk.other.send(error(0, "BadRequest", "unreadable", "{}"));
      assertThat(catchThrowableOfType(RemoteRpcException.class, first::await)
              .error()
              .message())
          .isEqualTo("unreadable");
      talk.other.close();
      assertThatThrownBy(next::await).isInstanceOf(DisconnectedException.class);
    }
  }

  @Test
  void anErrorOnIdZeroIsReportedIfACallWasGivenUpBefore() throws Exception {
    try (Talk talk = client()) {
      talk.peer.callAsync("Step", Json.class).cancel(true);
      CallFuture<Json> next = talk.peer.callAsync("Step", Json.class);
      talk.other.receive();
      talk.other.receive();
      talk.other.send(error(0, "BadRequest", "unreadable", "{}"));
      assertThat(talk.violation())
          .contains("an error without an id:", "\"message\":\"unreadable\"");
      talk.other.close();
      assertThatThrownBy(next::await).isInstanceOf(DisconnectedException.class);
    }
  }

  @Test
  void anErrorKeepsItsCodeAndDetailsOnTheWay() throws Exception {
    String details = """
        {"code":"SessionNotPaused","details":{"state":"running"}}""";
    RpcError[] errors = {
      new RpcError(RpcError.NO_CODE, "m", Json.parse(details)),
      new RpcError(7, "m", Json.parse("{\"code\":\"Timeout\",\"details\":{\"rpc_code\":7}}")),
      new RpcError(
          RpcError.INVALID_REQUEST, "m", Json.parse("{\"code\":\"BadRequest\",\"details\":{}}"))
    };
    for (RpcError error : errors) {
      Service service = Service.builder()
          .method("Step", call -> {
            throw new RpcException(error);
          })
          .build();
      try (Server server = Repartee.listen("mem:lazydap#envelope=lazydap", service);
          Peer peer = Repartee.connect(server.endpoint())) {
        RemoteRpcException e =
            catchThrowableOfType(RemoteRpcException.class, () -> peer.call("Step", Json.class));
        assertThat(e.error()).isEqualTo(error);
      }
    }
  }

  // ---------------------------------------------------------------- both

  @Test
  void clientAndDaemonSpeakOverAUnixSocket(@TempDir Path temp) throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    Service client = Service.builder()
        .method("Continued", call -> events.add("continued " + call.params()))
        .build();
    String uri = "unix:" + temp.resolve("d.sock") + "#envelope=lazydap";
    try (Server server = Repartee.listen(uri, daemon());
        Peer peer = Repartee.connect(uri, client, Options.DEFAULT)) {
      assertThat(peer.channel().framing()).isEqualTo("length-prefix");
      assertThat(peer.call("Ping", Json.class)).isEqualTo(PONG);
      peer.call("Subscribe", Json.class);
      assertThat(events.poll(60, TimeUnit.SECONDS))
          .isEqualTo("continued {\"session_id\":\"" + SESSION
              + "\",\"thread_id\":27982711,\"all_threads_continued\":true}");
      RemoteRpcException e =
          catchThrowableOfType(RemoteRpcException.class, () -> peer.call("Fail", Json.class));
      assertThat(e.error().code()).isEqualTo(7);
      assertThat(server.endpoint().envelope()).isNotNull();
    }
  }
}
