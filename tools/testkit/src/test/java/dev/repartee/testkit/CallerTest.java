package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ClockOptions;
import dev.repartee.Layer;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Dialect;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Lenience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the calling half of a peer, against a scripted peer. */
class CallerTest {
  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();
  private final FakeClock clock = new FakeClock();
  private final Options options = ClockOptions.builder(clock)
      .listener(new Listener() {
        @Override
        public void violation(ChannelInfo channel, String what) {
          violations.add(what);
        }
      })
      .build();
  private Link link = Link.open(Service.NONE, options);

  @AfterEach
  void close() {
    link.close();
  }

  private Peer peer() {
    return link.peer();
  }

  private ScriptedPeer other() {
    return link.other();
  }

  private static String request(int id, String method, String params) {
    return """
        {"jsonrpc":"2.0","method":"%s","params":%s,"id":%d}""".formatted(method, params, id);
  }

  private static String result(int id, String result) {
    return """
        {"jsonrpc":"2.0","result":%s,"id":%d}""".formatted(result, id);
  }

  @Test
  void lastWayOfGivingArgumentsCounts() {
    peer().request("m").arg("a", 1).arg("b", 2).send(Json.class);
    other().expect(request(1, "m", "{\"a\":1,\"b\":2}"));
    peer().request("m").arg("a", 1).args(2).send(Json.class);
    other().expect(request(2, "m", "[2]"));
    peer().request("m").arg("a", 1).args(2).arg("b", 3).send(Json.class);
    other().expect(request(3, "m", "{\"b\":3}"));
  }

  @Test
  void answersReachTheirCallersInAnyOrder() {
    List<CallFuture<Integer>> calls = new ArrayList<>();
    List<Integer> ids = new ArrayList<>();
    for (int i = 1; i <= 50; i++) {
      calls.add(peer().callAsync("twice", int.class, i));
      other().expect(request(i, "twice", "[" + i + "]"));
      ids.add(i);
    }
    Collections.shuffle(ids, new java.util.Random(7));
    ids.forEach(id -> other().send(result(id, String.valueOf(2 * id))));
    for (int i = 1; i <= 50; i++) {
      assertThat(calls.get(i - 1).await()).isEqualTo(2 * i);
    }
  }

  @Test
  void argumentsTravelByNameWhereAsked() {
    CallFuture<Json> call = peer().request("m").arg("a", 1).arg("b", "x").send(Json.class);
    other().expect(request(1, "m", "{\"a\":1,\"b\":\"x\"}")).send(result(1, "{ }"));
    assertThat(call.await()).hasToString("{ }");
  }

  @Test
  void anErrorIsThrownWithItsCodeAndData() {
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    other().send("""
        {"id":1,"error":{"data":[1],"message":"no","code":-5},"jsonrpc":"2.0"}""");
    assertThatThrownBy(call::await).isInstanceOfSatisfying(RpcException.class, e -> {
      assertThat(e.code()).isEqualTo(-5);
      assertThat(e.error().message()).isEqualTo("no");
      assertThat(e.data()).hasToString("[1]");
      assertThat(e).hasMessage("'m' of pair: no (-5): [1]");
    });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"a is missing\"          | no (-5): a is missing",
        "\"an escape \\u001b[2J\"  | no (-5): an escape \\u001b[2J",
        "null                    | no (-5): null"
      })
  void theMessageOfAnErrorHasItsDataOnOneLine(String data, String told) {
    assertThat(failure(data)).isEqualTo("'m' of pair: " + told);
  }

  @Test
  void whiteSpaceAndControlsInTheDataDoNotReachATerminal() {
    assertThat(failure("{ \"a\" :\t\r\n\"\u009b2J\" }"))
        .isEqualTo("'m' of pair: no (-5): { \"a\" : \" 2J\" }");
  }

  @Test
  void theMessageOfAnErrorHasTheStartOfLongData() {
    assertThat(failure("\"" + "x".repeat(100_000) + "\""))
        .isEqualTo("'m' of pair: no (-5): " + "x".repeat(200) + "...");
  }

  private String failure(String data) {
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    other().send("""
        {"jsonrpc":"2.0","error":{"code":-5,"message":"no","data":%s},"id":1}""".formatted(data));
    return String.valueOf(catchThrowableOfType(RpcException.class, call::await).getMessage());
  }

  @Test
  void anAnswerToNoCallIsReportedAndCompletesNothing() throws InterruptedException {
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    for (String id : List.of("2", "\"1\"", "1.0", "-1", "99999999999999999999")) {
      other().send("""
          {"jsonrpc":"2.0","result":5,"id":%s}""".formatted(id));
      assertThat(violations.poll(60, TimeUnit.SECONDS)).contains(id);
    }
    assertThat(call).isNotDone();
    other().send(result(1, "6"));
    assertThat(call.await()).isEqualTo(6);
    other().send(result(1, "7"));
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("no pending call: id 1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'jsonrpc':'2.0','result':1,'error':{} | the member 'result' and the member 'error' exclude each other",
        "'jsonrpc':'2.0','result':1,'result':1 | the member 'result' occurs twice",
        "'jsonrpc':'1.0','result':1 | the member 'jsonrpc' has to be the string '2.0'",
        "'result':1 | the member 'jsonrpc' is missing, but has to be '2.0'",
        "'jsonrpc':'2.0','error':{'code':'x','message':''} | the member 'code' of the error is a string, but has to be a number",
        "'jsonrpc':'2.0','error':{'code':1.5,'message':''} | the member 'code' of the error: expected an integer from -2147483648 to 2147483647, got another number",
        "'jsonrpc':'2.0','error':{'message':''} | the member 'code' of the error is missing, but has to be a number",
        "'jsonrpc':'2.0','error':{'code':1} | the member 'message' of the error is missing, but has to be a string",
        "'jsonrpc':'2.0','error':5 | the member 'code' of the error is missing, but has to be a number"
      })
  void aResponseThatBreaksTheRulesFailsItsOwnCall(String members, String why) {
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    other().send("{" + members.replace('\'', '"') + ",\"id\":1}");
    assertThatThrownBy(call::await)
        .isInstanceOf(ProtocolException.class)
        .hasMessage("the answer to 'm' is no response: " + why);
  }

  @Test
  void aTextThatIsNoMessageIsReportedWithItsPlaceAndNotAnsweredByAPureClient()
      throws InterruptedException {
    other().send("""
        {"jsonrpc":"2.0","result":,"id":1}""");
    assertThat(violations.poll(60, TimeUnit.SECONDS))
        .isEqualTo("not JSON, at offset 26: expected a value, near ',\"id\":1}'");
    other().send("""
        [{"jsonrpc":"2.0","id":1}]""");
    peer().notify("next");
    other().expect("""
        {"jsonrpc":"2.0","method":"next","params":[]}""");
  }

  @Test
  void aResultThatDoesNotFitItsTypeFailsWithTheExpectedType() {
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    other().send(result(1, "\"x\""));
    assertThatThrownBy(call::await)
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("'m'")
        .hasMessageContaining("integer");
  }

  @Test
  void anErrorWithoutAnIdFailsNobodyUnlessAsked() throws InterruptedException {
    String error = """
        {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}""";
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    other().send(error);
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("without an id");
    assertThat(call).isNotDone();

    try (Link lenient = Link.open(
        Service.NONE,
        options.toBuilder().lenience(Lenience.NULL_ID_FAILS_LONE_CALL).build())) {
      CallFuture<Integer> lone = lenient.peer().callAsync("m", int.class);
      lenient.other().receive();
      lenient.other().send(error);
      assertThatThrownBy(lone::await).isInstanceOf(RpcException.class);
      CallFuture<Integer> one = lenient.peer().callAsync("m", int.class);
      CallFuture<Integer> two = lenient.peer().callAsync("m", int.class);
      lenient.other().send(error);
      assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("without an id");
      assertThat(one).isNotDone();
      assertThat(two).isNotDone();
    }
  }

  @Test
  void cancellingACallNotifiesTheOtherSide() {
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    call.cancel(true);
    other().expect("""
        {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}""");
    CallFuture<Integer> source = peer().callAsync("m", int.class);
    other().receive();
    CompletableFuture<Integer> derived = source.thenApply(i -> i + 1).thenApply(i -> i + 1);
    derived.cancel(true);
    other().expect("""
        {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":2}}""");
    assertThat(source).isCancelled();
  }

  @Test
  void aCallThatTimesOutIsGivenUpAndLeavesNothingBehind() throws InterruptedException {
    CallFuture<Integer> call =
        peer().request("slow").timeout(Duration.ofSeconds(1)).send(int.class);
    clock.advance(Duration.ofMillis(999));
    assertThat(call).isNotDone();
    clock.advance(Duration.ofMillis(1));
    assertThatThrownBy(call::await)
        .isInstanceOf(CallTimeoutException.class)
        .hasMessageContaining("'slow'");
    other()
        .expect(
            "{\"jsonrpc\":\"2.0\",\"method\":\"slow\",\"id\":1}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.cancel\",\"params\":{\"id\":1}}");
    other().send(result(1, "5")); // late: no violation
    other().send(result(1, "5")); // a second time: a violation
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("no pending call");
    assertThat(violations).isEmpty();
    other().send("""
        {"jsonrpc":"2.0","method":"rpc.status","id":1}""");
    assertThat(other().receive()).contains("\"pending\":0");
  }

  @Test
  void lateAnswersAreNoViolationsAfterManyCallsWereGivenUp() throws InterruptedException {
    int calls = 1_000;
    for (int id = 1; id <= calls; id++) {
      CallFuture<Integer> call = peer().callAsync("m", int.class);
      other().receive();
      call.cancel(true);
      other().receive();
    }
    for (int id = 1; id <= calls; id++) {
      other().send(result(id, "5"));
    }
    other().send(result(7, "5")); // all answers have been received: this is a second one
    assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("id 7");
    assertThat(violations).isEmpty();
  }

  @Test
  void aResultWithoutAnIdIsReportedAsThat() throws InterruptedException {
    other().send("""
        {"jsonrpc":"2.0","result":5,"id":null}""");
    assertThat(violations.poll(60, TimeUnit.SECONDS)).isEqualTo("a result without an id: '5'");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void waitingForACallOfABatchThatWasNotSentThrows(boolean layered) throws Exception {
    Options own = layered
        ? options.toBuilder().callLayer((call, next) -> next.handle(call)).build()
        : options;
    try (Link other = Link.open(Service.NONE, own)) {
      Batch batch = other.peer().batch();
      CallFuture<Integer> call = batch.callAsync("a", int.class);
      CompletableFuture<Integer> derived = call.thenApply(i -> i + 1);
      String reason = "waiting for 'a', but the batch of this call has not been sent";
      assertThatIllegalStateException().isThrownBy(call::await).withMessageStartingWith(reason);
      assertThatIllegalStateException().isThrownBy(call::get).withMessageStartingWith(reason);
      assertThatExceptionOfType(TimeoutException.class)
          .isThrownBy(() -> call.get(1, TimeUnit.NANOSECONDS))
          .withMessageStartingWith(reason);
      assertThatIllegalStateException().isThrownBy(derived::join).withMessageStartingWith(reason);
      assertThat(call).isNotDone();

      batch.send();
      other.other().expect("""
          [{"jsonrpc":"2.0","method":"a","params":[],"id":1}]""");
      other.other().send("[" + result(1, "5") + "]");
      assertThat(call.await()).isEqualTo(5);
      assertThat(derived.join()).isEqualTo(6);
    }
  }

  @Test
  void callsOfABatchThatWereCancelledBeforeItWasSentAreLeftOut() {
    Batch batch = peer().batch();
    CallFuture<Integer> cancelled = batch.callAsync("a", int.class);
    CallFuture<Integer> wanted = batch.callAsync("b", int.class);
    cancelled.cancel(true);
    batch.send();
    other().expect("""
        [{"jsonrpc":"2.0","method":"b","params":[],"id":2}]""");
    other().send("[" + result(2, "5") + "]");
    assertThat(wanted.await()).isEqualTo(5);
  }

  @Test
  void aBatchWithOnlyCancelledCallsIsNotSent() {
    Batch batch = peer().batch();
    batch.callAsync("a", int.class).cancel(true);
    batch.callAsync("b", int.class).cancel(true);
    batch.send();
    Batch notifying = peer().batch();
    notifying.callAsync("a", int.class).cancel(true);
    notifying.notify("n").send();
    other().expect("""
        [{"jsonrpc":"2.0","method":"n","params":[]}]""");
    other().send("""
        {"jsonrpc":"2.0","method":"rpc.status","id":1}""");
    assertThat(other().receive()).contains("\"pending\":0");
  }

  @Test
  void aCallWhoseTimePassesWhileItIsWrittenIsNotSent() {
    Iterable<Integer> slow = () -> {
      clock.advance(Duration.ofMillis(1));
      return List.of(1).iterator();
    };
    CallFuture<Integer> call =
        peer().request("slow").args(slow).timeout(Duration.ofMillis(1)).send(int.class);
    assertThatThrownBy(call::await).isInstanceOf(CallTimeoutException.class);
    peer().notify("end");
    for (String heard = other().receive();
        !heard.contains("\"end\"");
        heard = other().receive()) {
      assertThat(heard).doesNotContain("\"slow\"").doesNotContain("\"id\":1}");
    }
  }

  @Test
  void aCallThatIsCancelledBehindALayerIsNotSent() {
    List<CallFuture<?>> inLayer = new ArrayList<>();
    CompletableFuture<Boolean> mayLeave = new CompletableFuture<>();
    Options layered = options.toBuilder()
        .callLayer((call, next) -> mayLeave.thenApply(ready -> {
          try {
            return next.handle(call);
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        }))
        .build();
    try (Link behind = Link.open(Service.NONE, layered)) {
      inLayer.add(behind.peer().callAsync("m", int.class));
      inLayer.get(0).cancel(true);
      mayLeave.complete(true);
      behind.peer().notify("end");
      behind.other().expect("""
          {"jsonrpc":"2.0","method":"end","params":[]}""");
    }
  }

  @Test
  void callsWhoseCancellationCannotBeSentStillTimeOut() {
    AtomicBoolean fails = new AtomicBoolean();
    AtomicInteger failures = new AtomicInteger();
    Options failing = options.toBuilder()
        .dialect(new Dialect() {
          @Override
          public @Nullable String cancelMethod() {
            if (fails.get()) {
              failures.incrementAndGet();
              throw new IllegalStateException("by design");
            }
            return Dialect.super.cancelMethod();
          }
        })
        .build();
    try (Link speechless = Link.open(Service.NONE, failing)) {
      fails.set(true);
      List<CallFuture<Json>> calls = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        calls.add(speechless.peer().request("m").timeout(Duration.ofMillis(50)).send(Json.class));
      }
      clock.advance(Duration.ofMillis(50));
      for (CallFuture<Json> call : calls) {
        assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
            .hasCauseInstanceOf(CallTimeoutException.class);
      }
      assertThat(failures).hasValue(3);
    }
  }

  /** One thread sends calls while another cancels them; the peer receives all frames in order. */
  @Test
  void aCancellationIsSentOnceAndAfterItsCallOrNeitherIsSent() throws Exception {
    int calls = 1_000;
    CyclicBarrier each = new CyclicBarrier(2);
    AtomicReference<CallFuture<?>> next = new AtomicReference<>();
    Thread canceller = new Thread(() -> {
      for (int i = 0; i < calls; i++) {
        meet(each);
        next.get().cancel(true);
        meet(each);
      }
    });
    canceller.start();
    for (int i = 0; i < calls; i++) {
      Batch batch = peer().batch();
      next.set(batch.callAsync("m", int.class));
      meet(each);
      batch.send();
      meet(each);
    }
    canceller.join();
    peer().notify("end");
    int last = 0;
    int asked = 0;
    String heard = other().receive();
    while (!heard.contains("\"end\"")) {
      int id = Integer.parseInt(heard.replaceAll(".*\"id\":([0-9]+).*", "$1"));
      assertThat(heard).startsWith("[").contains("\"m\"");
      assertThat(id).isGreaterThan(last);
      last = id;
      asked++;
      assertThat(other().receive()).contains("rpc.cancel", "{\"id\":" + id + "}");
      heard = other().receive();
    }
    assertThat(asked).isLessThanOrEqualTo(calls);
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void anAnswerThatComesWhileItsCallIsGivenUpIsNoViolation() throws Exception {
    CompletableFuture<Json> first = late(Duration.ofNanos(1)).exceptionally(e -> {
      for (int frame = 0; frame < 3; frame++) {
        other().receive(); // the calls, and the cancellation of the first
      }
      other().send(result(2, "1"));
      other().expectSilence();
      return Json.TRUE;
    });
    CompletableFuture<Json> second = late(Duration.ofNanos(1)).exceptionally(e -> Json.TRUE);
    clock.advance(Duration.ofNanos(1));
    CompletableFuture.allOf(first, second).get(60, TimeUnit.SECONDS);
    assertThat(violations).isEmpty();
  }

  private CallFuture<Json> late(Duration timeout) {
    return peer().request("m").timeout(timeout).send(Json.class);
  }

  @Test
  void everyCallFailsWhenTheConnectionEndsAndLaterOnesToo() {
    CallFuture<Integer> one = peer().callAsync("m", int.class);
    CallFuture<Integer> two = peer().callAsync("m", int.class);
    other().close();
    assertThatThrownBy(one::await).isInstanceOf(DisconnectedException.class);
    assertThatThrownBy(two::await).isInstanceOf(DisconnectedException.class);
    assertThatThrownBy(() -> peer().callAsync("m", int.class))
        .isInstanceOf(DisconnectedException.class);
    assertThatThrownBy(() -> peer().notify("m")).isInstanceOf(DisconnectedException.class);
  }

  @Test
  void closingFailsOurOwnCallsLocally() {
    CallFuture<Integer> call = peer().callAsync("m", int.class);
    other().receive();
    peer().close();
    assertThatThrownBy(call::await)
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("closed by this side");
    other().expectEnd();
  }

  @Test
  void progressIsReportedInOrderBeforeTheAnswer() {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    CallFuture<Integer> call =
        peer().request("m").onProgress(value -> heard.add(value.toString())).send(int.class);
    CompletableFuture<Integer> seen = call.thenApply(result -> heard.size());
    other().receive();
    for (int i = 0; i < 3; i++) {
      other().send("""
          {"jsonrpc":"2.0","method":"rpc.progress","params":{"id":1,"value":{"at":%s}}}\
          """.formatted(i));
    }
    other().send(result(1, "5"));
    assertThat(seen.join()).isEqualTo(3);
    assertThat(heard).containsExactly("{\"at\":0}", "{\"at\":1}", "{\"at\":2}");
  }

  @Test
  void waitingOnTheThreadThatReadsThrowsAndNamesTheMethod() {
    CallFuture<Integer> first = peer().callAsync("first", int.class);
    CompletableFuture<Integer> nested =
        first.thenApply(i -> peer().callAsync("second", int.class).join());
    other().receive();
    other().send(result(1, "5"));
    assertThatThrownBy(nested::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'second'");
  }

  @Test
  void aBatchTravelsAsOneMessageAndEachAnswerReachesItsCaller() {
    Batch batch = peer().batch();
    CallFuture<Integer> one = batch.callAsync("sum", int.class, 1, 2);
    batch.notify("hello", 7);
    CallFuture<String> two = batch.callAsync("name", String.class);
    batch.send();
    other()
        .expect("""
            [%s,{"jsonrpc":"2.0","method":"hello","params":[7]},\
            {"jsonrpc":"2.0","method":"name","params":[],"id":2}]\
            """.formatted(request(1, "sum", "[1,2]")))
        .send("[" + result(2, "\"x\"") + "," + result(1, "3") + "]");
    assertThat(one.await()).isEqualTo(3);
    assertThat(two.await()).isEqualTo("x");
    assertThatThrownBy(batch::send).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void callsBeyondTheBoundAreRefusedLocally() {
    try (Link bounded = Link.open(
        Service.NONE,
        options.toBuilder().limits(limits -> limits.pendingCalls(1)).build())) {
      CallFuture<Integer> first = bounded.peer().callAsync("m", int.class);
      assertThatThrownBy(() -> bounded.peer().callAsync("m", int.class))
          .hasMessageContaining("pendingCalls");
      bounded.other().receive();
      bounded.other().send(result(1, "1"));
      assertThat(first.await()).isEqualTo(1);
      bounded.peer().callAsync("m", int.class);
      bounded.other().expect("""
          {"jsonrpc":"2.0","method":"m","params":[],"id":2}""");
    }
  }

  @Test
  void aLayerSeesEveryCallThatLeaves() {
    List<String> seen = new ArrayList<>();
    Options layered = options.toBuilder()
        .callLayer((call, next) -> {
          seen.add(call.method() + call.params());
          return next.handle(call);
        })
        .build();
    try (Link link = Link.open(Service.NONE, layered)) {
      CallFuture<Integer> call = link.peer().callAsync("m", int.class, 1);
      link.other().expect(request(1, "m", "[1]")).send(result(1, "2"));
      assertThat(call.await()).isEqualTo(2);
      link.peer().notify("n");
      link.other().receive();
      assertThat(seen).containsExactly("m[1]", "n[]");
      link.peer().callAsync("m", int.class).cancel(true);
      link.other().receive();
      assertThat(link.other().receive()).contains("rpc.cancel");
    }
  }

  @Test
  void otherParamsFromALayerAreSent() {
    Options layered = options.toBuilder()
        .callLayer((call, next) -> next.handle(call.with(Json.parse("{\"token\":\"t\"}"))))
        .build();
    try (Link link = Link.open(Service.NONE, layered)) {
      CallFuture<Integer> call = link.peer().callAsync("m", int.class, 1);
      link.other().expect(request(1, "m", "{\"token\":\"t\"}")).send(result(1, "2"));
      assertThat(call.await()).isEqualTo(2);
    }
  }

  @Test
  void everyElementOfABatchPassesTheLayersWhenItIsAdded() {
    List<String> seen = new ArrayList<>();
    Options layered = options.toBuilder()
        .callLayer((call, next) -> {
          seen.add(call.method() + call.params());
          if (call.method().equals("cached")) {
            return CompletableFuture.completedFuture(7);
          }
          return next.handle(call.with(Json.parse("{\"token\":\"t\"}")));
        })
        .build();
    try (Link link = Link.open(Service.NONE, layered)) {
      Batch batch = link.peer().batch();
      CallFuture<Integer> one = batch.callAsync("one", int.class, 1);
      CallFuture<Integer> cached = batch.callAsync("cached", int.class);
      CallFuture<Integer> cancelled = batch.callAsync("cancelled", int.class);
      batch.notify("n");
      assertThat(seen).containsExactly("one[1]", "cached[]", "cancelled[]", "n[]");
      cancelled.cancel(true);
      batch.send();
      link.other()
          .expect("""
              [%s,{"jsonrpc":"2.0","method":"n","params":{"token":"t"}}]\
              """.formatted(request(1, "one", "{\"token\":\"t\"}")))
          .send("[" + result(1, "3") + "]");
      assertThat(one.await()).isEqualTo(3);
      assertThat(cached.await()).isEqualTo(7);
    }
  }

  @Test
  void aCallOfABatchThatALayerRepeatsIsSentOnItsOwn() {
    Options layered = options.toBuilder()
        .callLayer((call, next) -> {
          CompletionStage<?> first = (CompletionStage<?>) next.handle(call);
          return first.<Object>thenApply(result -> result).exceptionallyCompose(failure -> {
            try {
              return ((CompletionStage<?>) next.handle(call)).thenApply(result -> result);
            } catch (Exception e) {
              return CompletableFuture.failedStage(e);
            }
          });
        })
        .build();
    try (Link link = Link.open(Service.NONE, layered)) {
      Batch batch = link.peer().batch();
      CallFuture<Integer> call = batch.callAsync("m", int.class, 1);
      batch.send();
      link.other()
          .expect("[" + request(1, "m", "[1]") + "]")
          .send("""
              [{"jsonrpc":"2.0","error":{"code":-32000,"message":"Busy"},"id":1}]""")
          .expect(request(2, "m", "[1]"))
          .send(result(2, "5"));
      assertThat(call.await()).isEqualTo(5);
    }
  }

  @Test
  void whatALayerPassesOnAfterTheBatchWasSentIsSentOnItsOwn() {
    CompletableFuture<Boolean> token = new CompletableFuture<>();
    Options layered = options.toBuilder()
        .callLayer((call, next) -> token.<@Nullable Object>thenCompose(ready -> {
          try {
            return next.handle(call) instanceof CompletionStage<?> answer
                ? answer.thenApply(result -> result)
                : CompletableFuture.completedFuture(null); // a notification
          } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
          }
        }))
        .build();
    try (Link link = Link.open(Service.NONE, layered)) {
      Batch batch = link.peer().batch();
      CallFuture<Integer> call = batch.callAsync("m", int.class, 1);
      batch.notify("n").send(); // nothing to send yet
      token.complete(true);
      Set<String> sent = Set.of(link.other().receive(), link.other().receive());
      assertThat(sent).containsExactlyInAnyOrder(request(1, "m", "[1]"), """
          {"jsonrpc":"2.0","method":"n","params":[]}""");
      link.other().send(result(1, "5"));
      assertThat(call.await()).isEqualTo(5);
    }
  }

  @Test
  void aBatchThatCannotBeSentFailsItsCallsThroughTheLayers() {
    List<Throwable> failures = new ArrayList<>();
    Options layered = options.toBuilder()
        .limits(limits -> limits.frameBytes(200))
        .callLayer(Layer.timing((call, duration, failure) -> {
          if (failure != null) {
            failures.add(failure);
          }
        }))
        .build();
    try (Link link = Link.open(Service.NONE, layered)) {
      Batch batch = link.peer().batch();
      CallFuture<Integer> one = batch.callAsync("m", int.class, "x".repeat(150));
      CallFuture<Integer> two = batch.callAsync("m", int.class, "x".repeat(150));
      assertThatThrownBy(batch::send).isInstanceOf(LimitException.class);
      assertThatThrownBy(one::await).isInstanceOf(LimitException.class);
      assertThatThrownBy(two::await).isInstanceOf(LimitException.class);
      assertThat(failures).hasSize(2);
    }
  }

  @Test
  void anArgumentThatCannotBeWrittenSendsNothing() {
    assertThatThrownBy(() -> peer().callAsync("m", int.class, Double.NaN))
        .hasMessageContaining("NaN");
    peer().notify("after");
    other().expect("""
        {"jsonrpc":"2.0","method":"after","params":[]}""");
  }
}
