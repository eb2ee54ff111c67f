package dev.repartee.acp.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ActiveRunTest {
  private static final long BYTES = 1 << 20;

  /** Records the runs that pause. */
  private static final class Pauses implements Follower {
    private final BlockingQueue<Run> runs = new LinkedBlockingQueue<>();
    private final Consumer<RunEvent> onEvent;
    private volatile boolean isConnected = true;

    Pauses(Consumer<RunEvent> onEvent) {
      this.onEvent = onEvent;
    }

    @Override
    public boolean event(RunEvent event) {
      onEvent.accept(event);
      return true;
    }

    @Override
    public void paused(Run run) {
      runs.add(run);
    }

    @Override
    public boolean sendsEvents() {
      return isConnected;
    }

    @Override
    public boolean sendsRun() {
      return isConnected;
    }

    Run next() throws InterruptedException {
      return runs.poll(60, TimeUnit.SECONDS);
    }
  }

  private static RunRequest request(String agent, String text) {
    return new RunRequest(
        agent,
        List.of(RunMessage.user(text)),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static RunServer server(RunAgent agent) {
    return server(agent, Thread::new);
  }

  private static RunServer server(RunAgent agent, ThreadFactory threads) {
    return RunServer.builder()
        .agent(AgentManifest.of("a", "A"), agent)
        .bytes(BYTES)
        .threads(threads)
        .build();
  }

  /** Makes the thread of a run. A run is among the ended ones when its thread has ended. */
  private static final class LastThread implements ThreadFactory {
    private Thread last = Thread.currentThread();

    @Override
    public Thread newThread(Runnable action) {
      last = new Thread(action);
      return last;
    }
  }

  private static RunMessage question() {
    return RunMessage.of("agent/a", List.of(MessagePart.text("?")));
  }

  @Test
  void aSecondQuestionIsRefusedWhileTheRunAwaitsAnAnswer() throws Exception {
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    CountDownLatch asked = new CountDownLatch(1);
    RunServer server = server(run -> {
      CompletableFuture.runAsync(
              () -> {
                try {
                  asked.await();
                  run.await(question());
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              },
              work -> new Thread(work).start())
          .whenComplete((nothing, failure) -> refused.complete(failure.getCause()));
      run.send(run.await(question()).text());
    });
    Pauses first = new Pauses(event -> {});
    ActiveRun run = server.start(request("a", "hi"), first, "127.0.0.1:1");
    assertThat(first.next().status()).isEqualTo(Run.AWAITING);
    asked.countDown();
    assertThat(refused.get(60, TimeUnit.SECONDS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ask one question at a time");

    Pauses second = new Pauses(event -> {});
    assertThat(run.resume(RunMessage.user("yes"), System.nanoTime(), second)).isNull();
    assertThat(second.next().output().get(0).text()).isEqualTo("yes");
  }

  @Test
  void anAnswerCountsOnlyForAQuestionThatWasAskedBeforeItArrived() throws Exception {
    RunServer server = server(run -> {
      run.send(run.await(question()).text());
      run.send(run.await(question()).text());
    });
    Pauses pauses = new Pauses(event -> {});
    ActiveRun run = server.start(request("a", "hi"), pauses, "127.0.0.1:1");
    assertThat(pauses.next().status()).isEqualTo(Run.AWAITING);
    long arrival = System.nanoTime(); // of an answer that is sent twice
    assertThat(run.resume(RunMessage.user("yes"), arrival, pauses)).isNull();
    assertThat(pauses.next().status()).isEqualTo(Run.AWAITING);

    assertThat(run.resume(RunMessage.user("yes"), arrival, pauses))
        .contains("the answer arrived before the current question");
    assertThat(run.run().status()).isEqualTo(Run.AWAITING);
    assertThat(run.resume(RunMessage.user("no"), System.nanoTime(), pauses)).isNull();
    assertThat(pauses.next().output()).extracting(RunMessage::text).containsExactly("yes", "no");
  }

  @Test
  void aQuestionThatNoConnectedClientHasReceivedGetsNoAnswer() throws Exception {
    RunServer server = server(run -> {
      run.await(question());
      run.send(run.await(question()).text());
    });
    Pauses connected = new Pauses(event -> {});
    ActiveRun run = server.start(request("a", "hi"), connected, "127.0.0.1:1");
    assertThat(connected.next().status()).isEqualTo(Run.AWAITING);
    Pauses gone = new Pauses(event -> {});
    gone.isConnected = false;
    assertThat(run.resume(RunMessage.user("yes"), System.nanoTime(), gone)).isNull();
    assertThat(gone.next().status()).isEqualTo(Run.AWAITING);

    assertThat(run.resume(RunMessage.user("yes"), System.nanoTime(), connected))
        .contains("get the run to see the question");
    long before = System.nanoTime();
    assertThat(run.show().status()).isEqualTo(Run.AWAITING);
    assertThat(run.resume(RunMessage.user("yes"), before, connected))
        .contains("the answer arrived before the current question");
    assertThat(run.resume(RunMessage.user("no"), System.nanoTime(), connected)).isNull();
    assertThat(connected.next().output()).extracting(RunMessage::text).containsExactly("no");
  }

  @Test
  void anAnswerThatIsFasterThanTheFollowersIsFollowedToTheNextPause() throws Exception {
    RunServer server = server(run -> run.send(run.await(question()).text()));
    Pauses second = new Pauses(event -> {});
    Pauses first = new Pauses(event -> {
      if (event.type().equals("run.awaiting")) {
        ActiveRun run = server.find(event.run().orElseThrow().runId());
        assertThat(run.resume(RunMessage.user("yes"), System.nanoTime(), second))
            .isNull();
      }
    });
    server.start(request("a", "hi"), first, "127.0.0.1:1");
    assertThat(first.next().status()).isEqualTo(Run.AWAITING);
    Run end = second.next();
    assertThat(end.status()).isEqualTo(Run.COMPLETED);
    assertThat(end.output().get(0).text()).isEqualTo("yes");
  }

  @Test
  void theActionForACancellationRunsOnceEvenIfItIsLate() throws Exception {
    AtomicInteger early = new AtomicInteger();
    AtomicInteger late = new AtomicInteger();
    CountDownLatch registered = new CountDownLatch(1);
    RunServer server = server(run -> {
      CountDownLatch cancelled = new CountDownLatch(1);
      run.onCancel(() -> {
        early.incrementAndGet();
        cancelled.countDown();
        throw new IllegalStateException("ignored");
      });
      registered.countDown();
      cancelled.await();
      run.onCancel(late::incrementAndGet);
    });
    Pauses pauses = new Pauses(event -> {});
    ActiveRun run = server.start(request("a", "hi"), pauses, "127.0.0.1:1");
    registered.await();
    assertThat(run.cancel()).isTrue();
    run.cancel();
    assertThat(pauses.next().status()).isEqualTo(Run.CANCELLED);
    assertThat(early).hasValue(1);
    assertThat(late).hasValue(1);
  }

  @Test
  void aQuestionThatIsTakenBackLetsTheRunGoOn() throws Exception {
    CompletableFuture<Void> withdrawal = new CompletableFuture<>();
    BlockingQueue<Run> later = new LinkedBlockingQueue<>();
    RunServer server = server(run -> {
      assertThat(run.await(question(), withdrawal)).isEmpty();
      run.sendGeneric(Json.of("on"));
    });
    Pauses first = new Pauses(event -> {});
    ActiveRun run = server.start(request("a", "hi"), first, "127.0.0.1:1");
    assertThat(first.next().status()).isEqualTo(Run.AWAITING);
    run.follow(new Follower() {
      @Override
      public boolean event(RunEvent event) {
        event.generic().ifPresent(generic -> later.add(run.run()));
        return true;
      }

      @Override
      public void paused(Run end) {
        later.add(end);
      }

      @Override
      public boolean sendsEvents() {
        return true;
      }

      @Override
      public boolean sendsRun() {
        return true;
      }
    });
    withdrawal.completeExceptionally(new IllegalStateException("the step has ended"));
    Run goingOn = later.take();
    assertThat(goingOn.status()).isEqualTo(Run.IN_PROGRESS);
    assertThat(goingOn.awaitRequest()).isEmpty();
    assertThat(later.take().status()).isEqualTo(Run.COMPLETED);
    assertThat(run.resume(RunMessage.user("late"), System.nanoTime(), first)).isNotNull();
  }

  @Test
  void eventsInTheMiddleOfARunDoNotRepeatItsOutput() throws Exception {
    List<RunEvent> events = new ArrayList<>();
    RunServer server = server(run -> {
      run.send("before");
      run.await(question());
    });
    Pauses pauses = new Pauses(events::add);
    ActiveRun run = server.start(request("a", "hi"), pauses, "127.0.0.1:1");
    assertThat(pauses.next().output()).hasSize(1);
    run.resume(RunMessage.user("yes"), System.nanoTime(), pauses);
    assertThat(pauses.next().output()).hasSize(1);
    assertThat(run.events())
        .filteredOn(event -> event.type().startsWith("run."))
        .extracting(event -> event.run().orElseThrow().output().size())
        .containsExactly(0, 0, 0, 0, 1);
  }

  @Test
  void endedRunsAndSessionsWithLongMessagesAreForgotten() throws Exception {
    LastThread thread = new LastThread();
    RunServer server = server(run -> {}, thread);
    List<ActiveRun> runs = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Pauses pauses = new Pauses(event -> {});
      runs.add(server.start(request("a", "x".repeat(100_000)), pauses, "127.0.0.1:1"));
      thread.last.join();
    }
    ActiveRun last = runs.get(11);
    assertThat(server.find(runs.get(0).id())).isNull();
    assertThat(server.find(last.id())).isSameAs(last);
    assertThat(server.session(runs.get(0).run().sessionId().orElseThrow())).isNull();
    assertThat(server.session(last.run().sessionId().orElseThrow())).isNotNull();
  }

  @Test
  void endedRunsAndSessionsOfOneClientDoNotReplaceThoseOfAnotherClient() throws Exception {
    LastThread thread = new LastThread();
    RunServer server = server(run -> {}, thread);
    Pauses pauses = new Pauses(event -> {});
    ActiveRun neighbour = server.start(request("a", "hi"), pauses, "127.0.0.2:1");
    thread.last.join();
    List<ActiveRun> runs = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      runs.add(server.start(request("a", "x".repeat(100_000)), pauses, "127.0.0.1:1"));
      thread.last.join();
    }
    assertThat(server.find(runs.get(0).id())).isNull();
    assertThat(server.find(neighbour.id())).isSameAs(neighbour);
    assertThat(server.session(runs.get(0).run().sessionId().orElseThrow())).isNull();
    assertThat(server.session(neighbour.run().sessionId().orElseThrow())).isNotNull();
  }

  @Test
  void activeRunsOfOneClientWithLongMessagesAreRefused() throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    RunServer server = server(run -> released.join());
    Pauses pauses = new Pauses(event -> {});
    List<ActiveRun> runs = new ArrayList<>();
    assertThatThrownBy(() -> {
          for (int i = 0; i < 12; i++) {
            runs.add(server.start(request("a", "x".repeat(100_000)), pauses, "127.0.0.1:1"));
          }
        })
        .isInstanceOf(RunRefusal.class)
        .hasMessageContaining("use all of their memory");
    runs.add(server.start(request("a", "hi"), pauses, "127.0.0.2:1"));
    released.complete(null);
    for (int i = 0; i < runs.size(); i++) {
      pauses.next();
    }
    server.start(request("a", "x".repeat(100_000)), pauses, "127.0.0.1:1");
  }

  @Test
  void waitingRunsOfOneClientDoNotKeepAnotherClientOut() throws Exception {
    RunServer server = server(run -> run.await(question()));
    List<ActiveRun> runs = new ArrayList<>();
    for (int i = 0; i < 201; i++) { // more than all places
      Pauses pauses = new Pauses(event -> {});
      runs.add(server.start(request("a", "hi"), pauses, "127.0.0.2:" + i));
      assertThat(pauses.next().status()).isEqualTo(Run.AWAITING);
    }
    Pauses pauses = new Pauses(event -> {});
    ActiveRun neighbour = server.start(request("a", "hi"), pauses, "127.0.0.1:1");
    assertThat(pauses.next().status()).isEqualTo(Run.AWAITING);
    assertThat(runs.get(0).isCancelled()).isTrue();
    assertThat(runs.get(200).isCancelled()).isFalse();
    assertThat(neighbour.isCancelled()).isFalse();
  }

  @Test
  void runningRunsOfOneClientUseHalfOfThePlacesAtMost() throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    RunServer server = server(run -> released.join());
    Pauses pauses = new Pauses(event -> {});
    assertThatThrownBy(() -> {
          for (int i = 0; i < 101; i++) {
            server.start(request("a", "hi"), pauses, "127.0.0.2:" + i);
          }
        })
        .isInstanceOf(RunRefusal.class)
        .hasMessageContaining("half of them of this client");
    server.start(request("a", "hi"), pauses, "127.0.0.1:1");
    released.complete(null);
  }

  @Test
  void aRunWithoutMemoryForItsEventsFailsAndReleasesTheMemoryOfItsInput() throws Exception {
    RunServer server = server(run -> {});
    long other = Budget.size(request("a", "").input());
    Pauses pauses = new Pauses(event -> {});
    for (int i = 0; i < 2; i++) {
      server.start(request("a", "x".repeat((int) (BYTES / 2 - other))), pauses, "127.0.0.1:1");
      assertThat(pauses.next().status()).isEqualTo(Run.FAILED);
    }
  }

  @Test
  void aRunWithoutAThreadKeepsNeitherItsPlaceNorItsMemory() throws Exception {
    AtomicBoolean exhausted = new AtomicBoolean(true);
    RunServer server = RunServer.builder()
        .agent(AgentManifest.of("a", "A"), run -> {})
        .bytes(BYTES)
        .threads(action -> new Thread(action) {
          @Override
          public void start() {
            if (exhausted.get()) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            super.start();
          }
        })
        .build();
    Pauses pauses = new Pauses(event -> {});
    RunRequest request = request("a", "x".repeat(100_000));
    for (int i = 0; i < 201; i++) { // more than the places of active runs, and their memory
      assertThatThrownBy(() -> server.start(request, pauses, "127.0.0.1:1"))
          .isInstanceOf(RunRefusal.class)
          .hasMessageContaining("no thread left");
    }
    exhausted.set(false);
    server.start(request, pauses, "127.0.0.1:1");
    assertThat(pauses.next().status()).isEqualTo(Run.COMPLETED);
  }

  @Test
  void anAgentCannotKeepMoreThanTheBudget() throws Exception {
    RunServer server = server(run -> {
      while (true) {
        run.send("x".repeat(100_000));
      }
    });
    Pauses pauses = new Pauses(event -> {});
    ActiveRun run = server.start(request("a", "hi"), pauses, "127.0.0.1:1");
    assertThat(pauses.next().status()).isEqualTo(Run.FAILED);
    assertThat(run.bytes()).isLessThan(BYTES);
  }

  @Test
  void aSessionForgetsItsOldestLongMessages() {
    Conversation session = new Conversation("s");
    for (int i = 0; i < 20; i++) {
      session.add(List.of(RunMessage.user("x".repeat(1 << 20))), List.of());
    }
    assertThat(session.messages()).hasSize(15);
    assertThat(session.first()).isEqualTo(5);
  }
}
