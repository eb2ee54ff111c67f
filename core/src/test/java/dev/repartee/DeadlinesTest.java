package dev.repartee;

import static dev.repartee.Deadlines.Field.HEADER;
import static dev.repartee.Deadlines.Field.MEMBER;
import static dev.repartee.Deadlines.Field.META;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The remaining time of a call travels with it, and calls made for it have the rest. */
@Timeout(60)
class DeadlinesTest {
  private static final ChannelInfo INFO = new ChannelInfo("test", "somebody", "message");

  private final FakeClock clock = new FakeClock();
  private final BlockingQueue<RefusedCall> refused = new LinkedBlockingQueue<>();
  private final AtomicInteger runs = new AtomicInteger();

  /** Returns the milliseconds that are left, or -1. */
  private final Service left = Service.builder()
      .method("left", call -> {
        runs.incrementAndGet();
        Duration time = call.timeLeft();
        return time == null ? -1 : time.toMillis();
      })
      .build();

  private Options.Builder options() {
    return Options.builder().clock(clock).listener(new Listener() {
      @Override
      public void refused(RefusedCall call) {
        refused.add(call);
      }
    });
  }

  private static Attributes header(String value) {
    return Attributes.of(HttpRequest.HEADERS, Map.of("Repartee-Timeout-Ms", value));
  }

  private String answer(Options options, Attributes attributes, String request) throws Exception {
    byte[] frame = request.getBytes(UTF_8);
    byte[] reply = FrameResponder.of(left, options, INFO).of(INFO, attributes).respond(frame);
    return reply == null ? "nothing" : new String(reply, UTF_8);
  }

  private String left(Options options, Attributes attributes) throws Exception {
    return answer(options, attributes, """
        {"jsonrpc":"2.0","method":"left","id":1}""");
  }

  private static String result(String value) {
    return "{\"jsonrpc\":\"2.0\",\"result\":" + value + ",\"id\":1}";
  }

  // ---------------------------------------------------------------- reading

  @ParameterizedTest
  @CsvSource({"0, 500", "200, 200", "500, 500", "900, 500"})
  void aCallHasTheShorterOfItsOwnLimitAndTheTimeOfItsCaller(int handlerMillis, String millis)
      throws Exception {
    Options options = options()
        .limits(limits -> limits.handlerTimeout(Duration.ofMillis(handlerMillis)))
        .build();
    assertThat(left(options, header("500"))).isEqualTo(result(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "+5",
        " 5",
        "NaN",
        "Infinity",
        "1e3",
        "1.5",
        "0x10",
        "\u0661\u0662",
        "5, 6",
        "5000m",
        "9223372036854775808",
        "1000000000000000000000000000000"
      })
  void aTimeThatIsNoDecimalNumberIsIgnored(String value) throws Exception {
    assertThat(left(options().build(), header(value))).isEqualTo(result("-1"));
  }

  @Test
  void aTimeOfCenturiesIsNoLimit() throws Exception {
    assertThat(left(options().build(), header("999999999999999999"))).isEqualTo(result("-1"));
  }

  @Test
  void aCallWithoutTimeIsAnsweredAndNeverRuns() throws Exception {
    assertThat(left(options().build(), header("0")))
        .contains("\"code\":-32004", "{\"limit\":\"timeout\",\"max\":0}");
    assertThat(runs).hasValue(0);
    assertThat(refused.poll(60, SECONDS))
        .extracting(RefusedCall::reason)
        .isEqualTo(RefusedCall.DEADLINE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'_meta':{'dev.repartee/timeoutMs':700}}                | 700",
        "{'_meta':{'dev.repartee/timeoutMs':'700'}}              | -1",
        "{'_meta':{'dev.repartee/timeoutMs':-700}}               | -1",
        "{'_meta':{'dev.repartee/timeoutMs':7e2}}                | -1",
        "{'_meta':{'dev.repartee/timeoutMs':70000000000000000000}} | -1",
        "{'_meta':{'dev.repartee/timeoutMs':null}}               | -1",
        "{'_meta':[700]}                                         | -1",
        "[700]                                                   | -1"
      })
  void theMemberOfParamsIsReadIfItIsAccepted(String params, String millis) throws Exception {
    String request = "{\"jsonrpc\":\"2.0\",\"method\":\"left\",\"params\":"
        + params.replace('\'', '"') + ",\"id\":1}";
    Options accepting = options().deadlines(rules -> rules.accept(META)).build();
    assertThat(answer(accepting, header("300"), request)).isEqualTo(result(millis));
    assertThat(answer(options().build(), Attributes.NONE, request)).isEqualTo(result("-1"));
    Options both = options().deadlines(rules -> rules.accept(META, HEADER)).build();
    assertThat(answer(both, header("300"), request)).isEqualTo(result("300"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "700                   | 700",
        "\"700\"               | -1",
        "-700                  | -1",
        "7e2                   | -1",
        "700.0                 | -1",
        "70000000000000000000  | -1",
        "null                  | -1",
        "{'a':[700]}           | -1",
        "100,'repartee-timeout-ms':700 | 100"
      })
  void theMemberOfTheMessageIsReadIfItIsAccepted(String value, String millis) throws Exception {
    String request = "{\"jsonrpc\":\"2.0\",\"method\":\"left\",\"repartee-timeout-ms\":"
        + value.replace('\'', '"') + ",\"id\":1}";
    Options accepting = options().deadlines(rules -> rules.accept(MEMBER)).build();
    assertThat(answer(accepting, header("50"), request)).isEqualTo(result(millis));
    assertThat(answer(options().build(), Attributes.NONE, request)).isEqualTo(result("-1"));
    Options all =
        options().deadlines(rules -> rules.accept(MEMBER, META, HEADER)).build();
    assertThat(answer(all, header("50"), request)).isEqualTo(result("50"));
  }

  @Test
  void theMemberIsReadBesideTheMembersOfTheDialect() throws Exception {
    Options options = options()
        .deadlines(rules -> rules.accept(MEMBER))
        .dialect(Dialect.withMembers(Dialect.PLAIN, "tenant"))
        .build();
    assertThat(answer(options, Attributes.NONE, """
            {"jsonrpc":"2.0","method":"left","tenant":1,"repartee-timeout-ms":0,"id":1}""")).contains("-32004");
    assertThat(runs).hasValue(0);
    assertThat(refused.poll(60, SECONDS))
        .extracting(call -> call.member("tenant"))
        .isEqualTo(Json.of(1));
  }

  @Test
  void aNotificationOfABatchHasNotTheTimeOfItsCalls() throws Exception {
    String batch = """
        [{"jsonrpc":"2.0","method":"left"},{"jsonrpc":"2.0","method":"left","id":1}]""";
    assertThat(answer(options().build(), header("0"), batch)).contains("\"code\":-32004");
    assertThat(runs).as("the notification").hasValue(1);
  }

  // ---------------------------------------------------------------- waiting

  @Test
  void aCallWhoseTimePassesWhileItWaitsForAThreadIsAnsweredAndNeverRuns() throws Exception {
    Queue<Runnable> tasks = new ArrayDeque<>();
    List<String> answers = new ArrayList<>();
    Options options = options().executor(tasks::add).build();
    serve(options, "100", answers::add);
    clock.advance(Duration.ofMillis(100));
    assertThat(answers).singleElement().asString().contains("\"code\":-32004");
    run(tasks);
    assertThat(runs).hasValue(0);
    assertThat(answers).hasSize(1);
    assertThat(refused.poll(60, SECONDS))
        .extracting(RefusedCall::reason)
        .isEqualTo(RefusedCall.DEADLINE);
  }

  @Test
  void theClockKeepsNoFrameWhoseCallsHaveEnded() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    List<String> answers = new ArrayList<>();
    Options options = options().executor(tasks::add).build();
    serve(options, "100", answers::add);
    run(tasks);
    assertThat(answers).containsExactly(result("100"));
    clock.advance(Duration.ofMillis(200));
    assertThat(answers).hasSize(1);
  }

  private void serve(Options options, @Nullable String millis, Consumer<String> answers) {
    Attributes attributes = millis == null ? Attributes.NONE : header(millis);
    FrameResponder.of(left, options, INFO)
        .of(INFO, attributes)
        .respondAsync("""
            {"jsonrpc":"2.0","method":"left","id":1}""".getBytes(UTF_8))
        .thenAccept(reply -> answers.accept(new String(reply, UTF_8)));
  }

  private static void run(Queue<Runnable> tasks) {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  // ---------------------------------------------------------------- sending

  private Server listen(Service service) throws Exception {
    return Repartee.listen(
        "tcp://127.0.0.1:0",
        service,
        options().deadlines(rules -> rules.accept(META, MEMBER)).build());
  }

  private Peer connect(Server server, Layer... layers) throws Exception {
    return connect(META, server, layers);
  }

  private Peer connect(Deadlines.Field field, Server server, Layer... layers) throws Exception {
    Options.Builder options = options().deadlines(rules -> rules.send(field));
    for (Layer layer : layers) {
      options.callLayer(layer);
    }
    return Repartee.connect(server.endpoint(), options.build());
  }

  @Test
  void theTimeOutOfACallTravelsWithIt() throws Exception {
    try (Server server = listen(left);
        Peer peer = connect(server)) {
      CallBuilder call = peer.request("left").timeout(Duration.ofMillis(1500));
      assertThat(call.call(long.class)).isEqualTo(1500);
      assertThat(peer.request("left").call(long.class)).isEqualTo(60_000);
      assertThat(peer.request("left").timeout(Duration.ZERO).call(long.class)).isEqualTo(-1);
      assertThat(call.args(1).call(long.class)).as("by position").isEqualTo(-1);
      assertThat(call.params(Json.parse("{\"a\":1,\"_meta\":{\"b\":2}}")).call(long.class))
          .isEqualTo(1500);
    }
  }

  @Test
  void aCallByPositionHasItsTimeInAMemberOfTheMessage() throws Exception {
    try (Server server = listen(left);
        Peer peer = connect(MEMBER, server)) {
      CallBuilder call = peer.request("left").timeout(Duration.ofMillis(1500));
      assertThat(call.args(1).call(long.class)).isEqualTo(1500);
      assertThat(call.arg("a", 1).call(long.class)).isEqualTo(1500);
      assertThat(call.member("tenant", Json.of(1)).call(long.class)).isEqualTo(1500);
      assertThat(peer.request("left").timeout(Duration.ZERO).call(long.class)).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Deadlines.Field.class,
      names = {"META", "MEMBER"})
  void aBatchHasTheTimeOfEachCall(Deadlines.Field field) throws Exception {
    try (Server server = listen(left);
        Peer peer = connect(field, server)) {
      Batch batch = peer.batch();
      CallFuture<Long> one =
          batch.callAsync(peer.request("left").timeout(Duration.ofSeconds(1)), Long.class);
      CallFuture<Long> other =
          batch.callAsync(peer.request("left").timeout(Duration.ofSeconds(2)), Long.class);
      batch.send();
      assertThat(one.await()).isEqualTo(1000);
      assertThat(other.await()).isEqualTo(2000);
    }
  }

  @Test
  void allAttemptsOfALayerShareTheDeadlineOfTheCall() throws Exception {
    List<@Nullable Duration> seen = new ArrayList<>();
    Layer twice = (call, next) -> {
      next.handle(call);
      clock.advance(Duration.ofMillis(400));
      seen.add(call.timeLeft());
      return next.handle(call);
    };
    try (Server server = listen(left);
        Peer peer = connect(server, twice)) {
      assertThat(peer.request("left").timeout(Duration.ofSeconds(1)).call(long.class))
          .isEqualTo(600);
      assertThat(seen).containsExactly(Duration.ofMillis(600));
      CallTimeoutException late = catchThrowableOfType(
          CallTimeoutException.class,
          () -> peer.request("left").timeout(Duration.ofMillis(400)).call(long.class));
      assertThat(late.unsent()).isNull(); // the first attempt may have been handled
    }
  }

  // ---------------------------------------------------------------- nested calls

  private Server front(Peer backend, Consumer<Call> before) throws Exception {
    Service front = Service.builder()
        .method("ask", call -> {
          before.accept(call);
          return backend.call("left", long.class);
        })
        .method("shared", call -> backend.request("left").independent().call(long.class))
        .method(
            "later",
            call -> CompletableFuture.supplyAsync(
                () -> backend.request("left").within(call).call(long.class),
                task -> new Thread(task).start()))
        .method("prepared", call -> {
          CallBuilder ask = backend.request("left").within(call).timeout(Duration.ofMinutes(2));
          clock.advance(Duration.ofSeconds(3));
          return CompletableFuture.supplyAsync(
              () -> ask.call(long.class), task -> new Thread(task).start());
        })
        .build();
    return Repartee.listen(
        "tcp://127.0.0.1:0",
        front,
        options()
            .limits(limits -> limits.handlerTimeout(Duration.ofSeconds(10)))
            .build());
  }

  @Test
  void aNestedCallHasTheRestOfTheTime() throws Exception {
    try (Server server = listen(left);
        Peer backend = connect(server);
        Server front = front(backend, call -> clock.advance(Duration.ofSeconds(3)));
        Peer client = connect(front)) {
      assertThat(client.call("ask", long.class)).isEqualTo(7000);
      assertThat(client.call("later", long.class)).as("on another thread").isEqualTo(10_000);
      assertThat(client.call("prepared", long.class)).as("when it is sent").isEqualTo(7000);
      assertThat(client.call("shared", long.class)).as("for others, too").isEqualTo(60_000);
      assertThat(backend.call("left", long.class)).as("outside").isEqualTo(60_000);
    }
  }

  @Test
  void aNestedCallAfterTheDeadlineIsNotSent() throws Exception {
    try (Server server = listen(left);
        Peer backend = connect(server);
        Server front = front(backend, call -> clock.advance(Duration.ofSeconds(10)));
        Peer client = connect(front)) {
      assertThatThrownBy(() -> client.call("ask", long.class))
          .isInstanceOfSatisfying(
              RemoteRpcException.class,
              e -> assertThat(e.code()).isEqualTo(RpcError.DEADLINE_PASSED));
      assertThat(runs).hasValue(0);
    }
  }

  @Test
  void aStreamHasNoDeadlineAfterItWasOpened() throws Exception {
    List<@Nullable Duration> seen = new ArrayList<>();
    Service service = Service.builder()
        .method("items", call -> {
          seen.add(call.timeLeft());
          return (Flow.Publisher<Integer>) to -> to.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long n) {
              seen.add(call.timeLeft());
              to.onComplete();
            }

            @Override
            public void cancel() {}
          });
        })
        .build();
    Duration most = Duration.ofSeconds(10);
    Options options = options().limits(limits -> limits.handlerTimeout(most)).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, options);
        Peer peer = connect(server)) {
      peer.request("items").stream(int.class).forEach(item -> {}).get(30, SECONDS);
      assertThat(seen).containsExactly(most, null);
    }
  }

  /** A clock whose time limits are late. */
  private static final class LateClock extends FakeClock {
    @Override
    public void watch(Owner owner, long due) {}
  }

  @Test
  void aLateWorkerRunsNoCallWhoseDeadlineHasPassed() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    List<String> answers = new ArrayList<>();
    FakeClock late = new LateClock();
    serve(options().clock(late).executor(tasks::add).build(), "100", answers::add);
    late.advance(Duration.ofMillis(100));
    assertThat(answers).isEmpty();
    run(tasks);
    assertThat(answers).singleElement().asString().contains("\"code\":-32004");
    assertThat(runs).hasValue(0);
    assertThat(refused).extracting(RefusedCall::reason).containsExactly(RefusedCall.DEADLINE);
  }

  @Test
  void aNestedCallThatTimesOutAtTheDeadlineIsAnsweredAsLate() throws Exception {
    FakeClock late = new LateClock();
    Options options = options()
        .clock(late)
        .limits(limits -> limits.handlerTimeout(Duration.ofSeconds(1)))
        .build();
    Service service = Service.builder()
        .method("ask", call -> {
          late.advance(Duration.ofSeconds(1));
          throw new CallTimeoutException("no answer to 'nested' within 1 s");
        })
        .build();
    byte[] reply = FrameResponder.of(service, options, INFO).respond("""
        {"jsonrpc":"2.0","method":"ask","id":1}""".getBytes(UTF_8));
    assertThat(new String(reply, UTF_8)).contains("\"code\":-32004", "handlerTimeout");
  }
}
