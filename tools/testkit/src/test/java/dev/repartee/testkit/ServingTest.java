package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.ClockOptions;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.transport.Attribute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the serving half of a peer, against a scripted peer. */
class ServingTest {
  private static final String CANCELLED = """
      {"jsonrpc":"2.0","error":{"code":-32800,"message":"Request cancelled"},"id":%s}""";

  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  private static String request(Object id, String method) {
    return """
        {"jsonrpc":"2.0","method":"%s","id":%s}""".formatted(method, id);
  }

  private static String notification(String method) {
    return """
        {"jsonrpc":"2.0","method":"%s"}""".formatted(method);
  }

  private static String result(Object id, String result) {
    return """
        {"jsonrpc":"2.0","result":%s,"id":%s}""".formatted(result, id);
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private static Link serve(Service.Builder service) {
    return serve(service, Options.DEFAULT);
  }

  private static Link serve(Service.Builder service, Options options) {
    return Link.open(service.build(), options);
  }

  @Test
  void requestsRunBesideEachOtherAndAreAnsweredAsTheyFinish() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    Service.Builder service = Service.builder()
        .method("slow", call -> {
          await(slow);
          return "slow";
        })
        .method("quick", call -> "quick");
    try (Link link = serve(service)) {
      link.other().send(request(1, "slow")).send(request(2, "quick"));
      link.other().expect(result(2, "\"quick\""));
      slow.countDown();
      link.other().expect(result(1, "\"slow\""));
    }
  }

  @Test
  void notificationsRunOneAtATimeInOrderOfArrival() {
    AtomicInteger inside = new AtomicInteger();
    Service.Builder service = Service.builder().method("note", call -> {
      assertThat(inside.incrementAndGet()).isEqualTo(1);
      Thread.yield();
      log.add(String.valueOf(call.params()));
      inside.decrementAndGet();
      return null;
    });
    try (Link link = serve(service.method("done", call -> null))) {
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        sent.add("[" + i + "]");
        link.other().send("""
            {"jsonrpc":"2.0","method":"note","params":[%s]}""".formatted(i));
      }
      link.other().send(request(1, "done")).expect(result(1, "null"));
      // The method "note" would have thrown if two of its notifications had run concurrently.
      assertThat(log).isEqualTo(sent);
    }
  }

  @Test
  void aRequestStartsOnlyAfterTheNotificationsBeforeItHaveFinished() throws Exception {
    for (Lane lane : Lane.values()) {
      CountDownLatch gate = new CountDownLatch(1);
      log.clear();
      Service.Builder service = Service.builder()
          .method("change", call -> {
            await(gate);
            log.add("changed");
            return null;
          })
          .method("look", lane, call -> {
            log.add("looked");
            return null;
          });
      try (Link link = serve(service)) {
        link.other().send(notification("change")).send(request(1, "look"));
        // A cancellation is never queued; its answer therefore shows that both messages have
        // arrived.
        link.other().send(request(2, "rpc.cancel")).expect(result(2, "null"));
        assertThat(log).isEmpty();
        gate.countDown();
        link.other().expect(result(1, "null"));
        assertThat(log).containsExactly("changed", "looked");
      }
    }
  }

  @Test
  void anInlineMethodRunsOnTheReaderUnlessSomethingOrderedIsPending() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    BlockingQueue<String> threads = new LinkedBlockingQueue<>();
    Service.Builder service = Service.builder()
        .method("where", Lane.INLINE, call -> {
          threads.add(Thread.currentThread().getName());
          return null;
        })
        .method("hold", call -> {
          await(gate);
          return null;
        });
    try (Link link = serve(service)) {
      link.other().send(request(1, "where")).expect(result(1, "null"));
      String reader = threads.remove();
      link.other().send(notification("hold")).send(request(2, "where"));
      link.other().send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":9},"id":3}""");
      link.other().expect(result(3, "null")); // a cancellation is never queued
      assertThat(threads).isEmpty();
      gate.countDown();
      link.other().expect(result(2, "null"));
      assertThat(threads.remove()).isNotEqualTo(reader);
    }
  }

  @Test
  void aHandlerMayCallBackOverTheSameConnectionAndWait() throws Exception {
    int calls = 50;
    CyclicBarrier all = new CyclicBarrier(calls);
    Service.Builder service = Service.builder().method("ask", call -> {
      all.await(60, TimeUnit.SECONDS); // then all handlers run concurrently
      return call.peer().call("answer", int.class, call.params()) + 1;
    });
    try (Link link = serve(service)) {
      for (int i = 1; i <= calls; i++) {
        link.other().send("""
            {"jsonrpc":"2.0","method":"ask","params":[%d],"id":"%d"}""".formatted(i, i));
      }
      Set<String> answered = new HashSet<>();
      while (answered.size() < calls) {
        Json message = Json.parse(link.other().receive());
        Json params = message.get("params");
        if (params != null) {
          String number = String.valueOf(String.valueOf(params.at(0)).replaceAll("[\\[\\]]", ""));
          link.other().send(result(message.get("id"), number));
        } else {
          int id = Integer.parseInt(String.valueOf(message.get("id")).replace("\"", ""));
          assertThat(message.get("result")).hasToString(String.valueOf(id + 1));
          answered.add(String.valueOf(id));
        }
      }
    }
  }

  @Test
  void pastTheBoundOnRunningCallsTheAnswerIsBusyWhileCancelsStillGetThrough() throws Exception {
    Service.Builder service = Service.builder().method("wait", call -> {
      call.cancellation().sleep(Duration.ofSeconds(20));
      return null;
    });
    Options options = Options.builder().limits(limits -> limits.runningCalls(2)).build();
    try (Link link = serve(service, options)) {
      link.other().send(request(1, "wait")).send(request(2, "wait")).send(request(3, "wait"));
      link.other().expect("""
          {"jsonrpc":"2.0","error":{"code":-32000,"message":"Busy; try again later",\
          "data":{"limit":"runningCalls","max":2}},"id":3}""");
      for (int id = 1; id <= 2; id++) {
        link.other().send("""
            {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":%s}}""".formatted(id));
        link.other().expect(CANCELLED.formatted(id));
      }
    }
  }

  @Test
  void elementsOfABatchPastTheBoundWaitAndAreAnsweredInTheOrderOfTheRequests() throws Exception {
    Semaphore running = new Semaphore(2);
    Service.Builder service = Service.builder().method("one", call -> {
      assertThat(running.tryAcquire()).isTrue();
      Thread.yield();
      running.release();
      return 1;
    });
    Options options = Options.builder().limits(limits -> limits.runningCalls(2)).build();
    try (Link link = serve(service, options)) {
      List<String> requests = new ArrayList<>();
      List<String> answers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        requests.add(request(i, "one"));
        answers.add(result(i, "1"));
      }
      link.other().send("[" + String.join(",", requests) + "]");
      link.other().expect("[" + String.join(",", answers) + "]");
    }
  }

  @Test
  void aQueuedCallThatWasCancelledNeverRuns() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Service.Builder service = Service.builder()
        .method("hold", call -> {
          await(gate);
          return null;
        })
        .method("run", call -> {
          log.add("ran " + call.id());
          return null;
        });
    try (Link link = serve(service)) {
      link.other().send(notification("hold")).send(request(1, "run")).send(request(2, "run"));
      link.other().send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}""");
      link.other().expect(CANCELLED.formatted(1));
      gate.countDown();
      link.other().expect(result(2, "null"));
      assertThat(log).containsExactly("ran 2");
    }
  }

  @Test
  void aCancelledCallIsAnsweredAsCancelledDespiteItsResult() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    Service.Builder service = Service.builder()
        .method("stubborn", call -> {
          call.cancellation().onCancel(cancelled::countDown);
          log.add("started");
          await(cancelled);
          return "a result all the same";
        })
        .method("staged", call -> new CompletableFuture<String>());
    try (Link link = serve(service)) {
      for (String method : List.of("stubborn", "staged")) {
        link.other().send(request("\"a\"", method));
        link.other().send("""
            {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":"a"}}""");
        link.other().expect(CANCELLED.formatted("\"a\""));
      }
      link.other().expectSilence();
      link.other().send(request(1, "rpc.status"));
      assertThat(link.other().receive()).contains("\"waiting\":0");
    }
  }

  @Test
  void aHandlerThatTakesTooLongIsAnsweredWithATimeOutAndCancelled() throws Exception {
    FakeClock clock = new FakeClock();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    Service.Builder service = Service.builder().method("slow", call -> {
      assertThat(call.timeLeft()).isEqualTo(Duration.ofSeconds(2));
      started.countDown();
      try {
        call.cancellation().sleep(Duration.ofSeconds(20));
      } catch (CancellationException e) {
        told.countDown();
      }
      return "too late";
    });
    Options options = ClockOptions.builder(clock)
        .limits(limits -> limits.handlerTimeout(Duration.ofSeconds(2)))
        .build();
    try (Link link = serve(service, options)) {
      link.other().send(request(1, "slow"));
      await(started);
      clock.advance(Duration.ofSeconds(2));
      assertThat(link.other().receive()).contains("-32004", "\"id\":1");
      await(told);
      link.other().expectSilence();
    }
  }

  @Test
  void progressComesBeforeTheAnswerAndNeverAfter() throws Exception {
    BlockingQueue<Call> kept = new LinkedBlockingQueue<>();
    Service.Builder service = Service.builder().method("work", call -> {
      kept.add(call);
      call.progress(List.of(1, "half"));
      call.progress(null);
      return 2;
    });
    try (Link link = serve(service)) {
      link.other()
          .send(request("\"w\"", "work"))
          .expect(
              "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.progress\",\"params\":{\"id\":\"w\",\"value\":[1,\"half\"]}}",
              "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.progress\",\"params\":{\"id\":\"w\",\"value\":null}}",
              result("\"w\"", "2"));
      kept.remove().progress("late");
      link.other().expectSilence();
      link.other().send(notification("work"));
      kept.take().progress("to nobody");
      link.other().expectSilence();
    }
  }

  @Test
  void theEndOfTheConnectionCancelsRunningHandlers() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    Service.Builder service = Service.builder().method("work", call -> {
      call.cancellation().onCancel(told::countDown);
      started.countDown();
      await(told);
      return null;
    });
    try (Link link = serve(service)) {
      link.other().send(request(1, "work"));
      await(started);
      link.other().channel().abort(null);
      await(told);
    }
  }

  @Test
  void aGracefulCloseLetsRunningCallsFinishAndRefusesNewOnes() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    Service.Builder service = Service.builder().method("work", call -> {
      started.countDown();
      await(gate);
      return "done";
    });
    try (Link link = serve(service)) {
      link.other().send(request(1, "work"));
      await(started);
      Thread closer = new Thread(() -> link.peer().close(Duration.ofSeconds(20)));
      closer.start();
      String answer;
      do {
        link.other().send(request(2, "rpc.ping"));
        answer = link.other().receive();
      } while (!answer.contains("-32000"));
      assertThat(answer).contains("closing");
      gate.countDown();
      link.other().expect(result(1, "\"done\""));
      link.other().expectEnd();
      closer.join(10_000);
      assertThat(closer.isAlive()).isFalse();
    }
  }

  @Test
  void aCloseThatTakesTooLongCancelsRunningHandlers() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    Service.Builder service = Service.builder().method("work", call -> {
      call.cancellation().onCancel(told::countDown);
      started.countDown();
      await(told);
      return null;
    });
    try (Link link = serve(service)) {
      link.other().send(request(1, "work"));
      await(started);
      link.peer().close(Duration.ofMillis(20));
      await(told);
      link.other().expectEnd();
    }
  }

  @Test
  void aFloodOfNotificationsPausesReadingAndLosesNone() throws Exception {
    int flood = 1_000;
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(flood);
    Service.Builder service = Service.builder().method("note", call -> {
      await(gate);
      all.countDown();
      return null;
    });
    Options options =
        Options.builder().limits(limits -> limits.queuedMessages(10)).build();
    try (Link link = serve(service, options)) {
      for (int i = 0; i < flood; i++) {
        link.other().send(notification("note"));
      }
      gate.countDown();
      await(all);
      link.other().expectSilence();
    }
  }

  @Test
  void aFullQueueDoesNotKeepAHandlerFromReceivingTheAnswerItWaitsFor() throws Exception {
    CountDownLatch noted = new CountDownLatch(8);
    Service.Builder service = Service.builder().method("note", call -> {
      log.add(call.peer().call("ask", String.class));
      noted.countDown();
      return null;
    });
    Options options =
        Options.builder().limits(limits -> limits.queuedMessages(5)).build();
    try (Link link = serve(service, options)) {
      for (int i = 0; i < 8; i++) {
        link.other().send(notification("note"));
      }
      for (int i = 1; i <= 8; i++) {
        assertThat(link.other().receive()).contains("\"method\":\"ask\"");
        link.other().send(result(i, "\"yes\""));
      }
      link.other().expectSilence();
      assertThat(noted.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(log).hasSize(8);
    }
  }

  @Test
  void layersStandAroundHandlersOutermostFirst() throws Exception {
    Attribute<String> who = Attribute.named("who");
    Options options = Options.builder()
        .layer((call, next) -> {
          log.add("outer");
          if (call.method().equals("secret")) {
            throw new RpcException(-1, "not for you");
          }
          call.set(who, "me");
          return next.handle(call);
        })
        .layer((call, next) -> {
          log.add("inner");
          return next.handle(call) + "!";
        })
        .build();
    Service.Builder service = Service.builder()
        .method("who", Lane.INLINE, call -> call.attributes().get(who))
        .method("secret", call -> "x");
    try (Link link = serve(service, options)) {
      link.other().send(request(1, "who")).expect(result(1, "\"me!\""));
      link.other().send(request(2, "secret")).expect("""
          {"jsonrpc":"2.0","error":{"code":-1,"message":"not for you"},"id":2}""");
      assertThat(log).containsExactly("outer", "inner", "outer");
    }
  }

  @Test
  void whatAHandlerThrewIsToldToTheListenerOnly() throws Exception {
    BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    Options options = Options.builder()
        .listener(new Listener() {
          @Override
          public void failed(Call call, Throwable cause) {
            failures.add(cause);
            throw new IllegalStateException("and the listener fails as well");
          }
        })
        .build();
    Service.Builder service = Service.builder()
        .method("fail", call -> {
          throw new java.io.IOException("the password is x");
        })
        .method("unwritable", call -> new Object())
        .method("stage", call -> CompletableFuture.failedFuture(new Error("secret")));
    try (Link link = serve(service, options)) {
      for (String method : List.of("fail", "unwritable", "stage")) {
        link.other().send(request(1, method));
        link.other().expect("""
            {"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}""");
        assertThat(failures.poll(60, TimeUnit.SECONDS)).isNotNull();
      }
    }
  }

  @Test
  void aReplyTooLargeForAFrameIsAnErrorThatNamesTheLimit() throws Exception {
    Options options = Options.builder().limits(limits -> limits.frameBytes(200)).build();
    try (Link link =
        serve(Service.builder().method("big", Lane.INLINE, call -> "x".repeat(300)), options)) {
      link.other().send(request(1, "big"));
      assertThat(link.other().receive()).contains("-32003", "frameBytes", "\"id\":1");
      link.other().expectSilence();
    }
  }
}
