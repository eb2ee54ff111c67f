package dev.repartee;

import static dev.repartee.Deadlines.Field.HEADER;
import static dev.repartee.Deadlines.Field.META;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that would wait too long are refused, and control methods are always answered. */
@Timeout(60)
class SheddingTest {
  private static final ChannelInfo INFO = new ChannelInfo("test", "somebody", "message");
  private static final Duration STEP = Duration.ofMillis(100);

  private final FakeClock clock = new FakeClock();
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore gate = new Semaphore(0);
  private final BlockingQueue<RefusedCall> refused = new LinkedBlockingQueue<>();

  /** Takes 100 ms of the clock once the gate opens. */
  private final Service steps = Service.builder()
      .add(RpcMethod.builder("step").lane(Lane.ORDERED).handler(this::step))
      .add(RpcMethod.builder("hold").handler(this::step))
      .build();

  private Object step(Call call) throws InterruptedException {
    begun.release();
    gate.acquire();
    clock.advance(STEP);
    return "done";
  }

  private void awaitBegun() throws InterruptedException {
    assertThat(begun.tryAcquire(30, SECONDS)).isTrue();
  }

  private Options.Builder options() {
    return Options.builder().clock(clock).listener(new Listener() {
      @Override
      public void refused(RefusedCall call) {
        refused.add(call);
      }
    });
  }

  private static void step(RawPeer raw, int id, @Nullable Integer millis) throws Exception {
    String params =
        millis == null ? "" : ",\"params\":{\"_meta\":{\"dev.repartee/timeoutMs\":" + millis + "}}";
    raw.send("{\"jsonrpc\":\"2.0\",\"method\":\"step\"" + params + ",\"id\":" + id + "}");
  }

  /** Serves three calls, of which two wait for 100 ms each, then holds two more. */
  private void measure(RawPeer raw) throws Exception {
    for (int id = 1; id <= 3; id++) {
      step(raw, id, null);
    }
    awaitBegun();
    // The queue has all of them before time passes.
    assertThat(raw(raw, "rpc.status").get("waiting")).isEqualTo(Json.of(2));
    gate.release(3);
    for (int id = 1; id <= 3; id++) {
      assertThat(raw.read().get("id")).isEqualTo(Json.of(id));
    }
    begun.acquire(2);
    step(raw, 4, null);
    awaitBegun();
    step(raw, 5, null);
  }

  private static Json raw(RawPeer raw, String method) throws Exception {
    raw.send("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"id\":99}");
    Json answer = raw.read();
    assertThat(answer.get("id")).isEqualTo(Json.of(99));
    return answer.get("result");
  }

  @Test
  void aCallThatWouldStillWaitAtItsDeadlineIsRefusedImmediately() throws Exception {
    Options options =
        options().deadlines(rules -> rules.accept(META).shedding(true)).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", steps, options);
        RawPeer raw = new RawPeer(server)) {
      measure(raw);
      step(raw, 6, 50);
      assertThat(raw.read().toString())
          .contains("\"code\":-32000", "{\"limit\":\"waitingTime\",\"max\":50}", "\"id\":6");
      assertThat(refused.poll(30, SECONDS).reason()).isEqualTo(RefusedCall.WAITING_TIME);
      step(raw, 7, 500);
      step(raw, 8, null);
      gate.release(4);
      for (int id : List.of(4, 5, 7, 8)) {
        assertThat(raw.read().get("id")).isEqualTo(Json.of(id));
      }
      assertThat(refused).isEmpty();
    }
  }

  @Test
  void withoutLoadSheddingSuchACallWaitsForItsDeadline() throws Exception {
    Options options = options().deadlines(rules -> rules.accept(META)).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", steps, options);
        RawPeer raw = new RawPeer(server)) {
      measure(raw);
      step(raw, 6, 150);
      assertThat(raw(raw, "rpc.status").get("waiting")).isEqualTo(Json.of(2));
      gate.release(2);
      List<String> answers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        answers.add(raw.read().toString());
      }
      assertThat(answers)
          .anySatisfy(answer -> assertThat(answer).contains("\"code\":-32004", "\"id\":6"));
    }
  }

  @Test
  void callsThatWaitForAThreadOfTheExecutorCount() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    List<String> answers = new ArrayList<>();
    Options options = options()
        .executor(tasks::add)
        .deadlines(rules -> rules.accept(HEADER).shedding(true))
        .build();
    FrameResponder responder = FrameResponder.of(steps, options, INFO);
    gate.release(10);
    serve(responder, null, answers);
    serve(responder, null, answers);
    clock.advance(STEP);
    tasks.remove().run(); // takes 100 ms more
    clock.advance(Duration.ZERO);
    tasks.remove().run();
    assertThat(answers).hasSize(2);
    serve(responder, Duration.ofMillis(50), answers);
    assertThat(answers).as("the next in line waits").hasSize(2);
    serve(responder, Duration.ofMillis(50), answers);
    assertThat(answers).hasSize(3).last().asString().contains("waitingTime");
    serve(responder, Duration.ofSeconds(10), answers);
    assertThat(answers).hasSize(3);
  }

  @Test
  void callsThatHaveExpiredDoNotCountAsQuickStarts() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    List<String> answers = new ArrayList<>();
    Options options = options()
        .executor(tasks::add)
        .deadlines(rules -> rules.accept(HEADER).shedding(true))
        .build();
    FrameResponder responder = FrameResponder.of(steps, options, INFO);
    gate.release(10);
    serve(responder, null, answers);
    serve(responder, null, answers);
    clock.advance(STEP);
    tasks.remove().run(); // takes 100 ms more
    tasks.remove().run();
    for (int i = 0; i < 60; i++) {
      serve(responder, Duration.ofSeconds(10), answers);
    }
    clock.advance(Duration.ofSeconds(10));
    assertThat(answers).hasSize(62);
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run(); // finds nothing to run
    }
    serve(responder, Duration.ofMillis(50), answers);
    serve(responder, Duration.ofMillis(50), answers);
    assertThat(answers).hasSize(63).last().asString().contains("waitingTime");
  }

  private static void serve(
      FrameResponder responder, @Nullable Duration left, List<String> answers) {
    responder
        .of(INFO, left == null ? Attributes.NONE : header(left))
        .respondAsync("""
            {"jsonrpc":"2.0","method":"hold","id":1}""".getBytes(UTF_8))
        .thenAccept(reply -> answers.add(new String(reply, UTF_8)));
  }

  private static Attributes header(Duration left) {
    return Attributes.of(
        HttpRequest.HEADERS, Map.of("Repartee-Timeout-Ms", Long.toString(left.toMillis())));
  }

  @Test
  void controlMethodsAreAnsweredWhileAllCallsRunAndOthersWait() throws Exception {
    Options options = options().limits(limits -> limits.runningCalls(1)).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", steps, options);
        RawPeer raw = new RawPeer(server)) {
      step(raw, 1, null);
      awaitBegun();
      step(raw, 2, null);
      assertThat(raw.read().toString()).contains("runningCalls", "\"id\":2");
      assertThat(raw(raw, "rpc.ping")).isEqualTo(Json.of("pong"));
      assertThat(raw(raw, "rpc.status").get("running")).isEqualTo(Json.of(1));
      gate.release();
      assertThat(raw.read().get("id")).isEqualTo(Json.of(1));
    }
  }

  @Test
  void controlMethodsThatLayersDelayAreLimited() throws Exception {
    CompletableFuture<Object> late = new CompletableFuture<>();
    Options options = options()
        .limits(limits -> limits.runningCalls(1))
        .layer((call, next) -> call.method().equals("rpc.ping") ? late : next.handle(call))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", steps, options);
        RawPeer raw = new RawPeer(server)) {
      for (int id = 1; id <= 18; id++) {
        raw.send("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.ping\",\"id\":" + id + "}");
      }
      assertThat(raw.read().toString()).contains("runningCalls", "\"id\":18");
      late.complete("pong");
      for (int id = 1; id <= 17; id++) {
        assertThat(raw.read().get("result")).isEqualTo(Json.of("pong"));
      }
    }
  }
}
