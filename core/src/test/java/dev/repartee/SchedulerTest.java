package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerTest {
  private static final ChannelInfo INFO = new ChannelInfo("test", "", "message");

  /**
   * An executor that runs its tasks when the test asks for it, and fails after a number of tasks.
   */
  private static final class Workers implements Executor {
    private final Queue<Runnable> asked = new ArrayDeque<>();
    private int left;
    private int count;

    Workers(int left) {
      this.left = left;
    }

    @Override
    public void execute(Runnable task) {
      if (left == 0) {
        throw new OutOfMemoryError("unable to create native thread: by design");
      }
      left--;
      count++;
      asked.add(task);
    }

    void runNext() {
      asked.remove().run();
    }
  }

  /**
   * Collects sent frames, and those that are not flushed yet. Synchronized: the sweeper may answer
   * while a worker flushes.
   */
  private static final class Gathering implements FrameSink {
    final List<String> left = new ArrayList<>();
    private final List<String> gathered = new ArrayList<>();

    /** The number of frames in each flush. */
    final List<Integer> together = new ArrayList<>();

    /** The id of the response that cannot be sent. */
    int failing;

    /** Whether the write queue has no room for answers. */
    boolean full;

    /** The failure of the question whether it has; null for none. */
    @Nullable Error failure;

    /** The cause of the end of the connection; null before. */
    @Nullable Throwable ended;

    @Override
    public boolean takesAnswers() {
      if (failure != null) {
        throw failure;
      }
      return !full;
    }

    @Override
    public void abort(Throwable cause) {
      ended = cause;
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(Integer.MAX_VALUE);
    }

    @Override
    public synchronized void commit(OutboundFrame frame) {
      gather(frame);
      flush();
    }

    @Override
    public synchronized void gather(OutboundFrame frame) {
      if (frame.toString().endsWith("\"id\":" + failing + "}")) {
        throw new IllegalStateException("by design");
      }
      gathered.add(frame.toString());
    }

    @Override
    public synchronized void flush() {
      if (!gathered.isEmpty()) {
        together.add(gathered.size());
      }
      left.addAll(gathered);
      gathered.clear();
    }

    @Override
    public void flushSoon() {
      // Nothing is flushed before the next flush().
    }
  }

  private final Gathering out = new Gathering();
  private final AtomicInteger resumed = new AtomicInteger();
  private Runnable whileBlocked = () -> {};
  private final Service service = Service.builder()
      .method("m", call -> 1)
      .method("block", call -> {
        whileBlocked.run();
        return 1;
      })
      .build()
      .and(Service.of(new Lanes()));

  /** Methods of certain lanes. */
  public static final class Lanes {
    @Rpc(lane = Lane.ORDERED)
    public int ordered() {
      return 1;
    }

    @Rpc(lane = Lane.INLINE)
    public int inline() {
      return 1;
    }

    @Rpc(lane = Lane.ORDERED)
    public int fail() {
      throw new IllegalStateException("by design");
    }
  }

  private Responder responder(Limits limits, Executor workers) {
    ServerContext context =
        new ServerContext(service, Options.builder().limits(limits).build());
    return new Responder(
        new Connection(context, out, INFO, Attributes.NONE, workers, resumed::incrementAndGet));
  }

  private Responder responder(Executor workers) {
    return responder(Limits.DEFAULT, workers);
  }

  private static void request(Responder responder, String method, int id) {
    arrives(responder, """
        {"jsonrpc":"2.0","method":"%s","id":%s}""".formatted(method, id));
  }

  private static void notification(Responder responder) {
    arrives(responder, """
        {"jsonrpc":"2.0","method":"m"}""");
  }

  private static void arrives(Responder responder, String text) {
    byte[] frame = text.getBytes(UTF_8);
    responder.serveAlone(frame, 0, frame.length);
  }

  private static String result(int id) {
    return """
        {"jsonrpc":"2.0","result":1,"id":%s}""".formatted(id);
  }

  @Test
  void aCallForWhichNoThreadCanBeStartedIsAnsweredAndHoldsBackNothing() {
    Responder responder = responder(new Workers(0));
    for (int id = 1; id <= 2; id++) {
      request(responder, "m", id);
      assertThat(out.left).hasSize(id).last().asString().contains("-32603", "\"id\":" + id);
    }
    assertThat(responder.connection().scheduler().running()).isZero();
    assertThat(responder.connection().scheduler().isClear()).isTrue();
  }

  @Test
  void messagesQueuedBehindOneThatNoWorkerRunsAreAnsweredToo() {
    Workers workers = new Workers(1);
    Responder responder = responder(workers);
    notification(responder);
    request(responder, "m", 1);
    notification(responder);
    request(responder, "m", 2);
    workers.runNext();
    assertThat(out.left).hasSize(2).last().isEqualTo(result(1));
    assertThat(out.left.get(0)).contains("-32603", "\"id\":2");
    assertThat(responder.connection().scheduler().running()).isZero();
    assertThat(responder.connection().scheduler().waiting()).isZero();
  }

  @Test
  void messagesLeftByAWorkerAreAnsweredIfThereIsNoOtherWorker() {
    Workers workers = new Workers(1);
    Responder responder = responder(workers);
    request(responder, "m", 1);
    request(responder, "m", 2);
    workers.runNext();
    assertThat(out.left).hasSize(2).last().isEqualTo(result(1));
    assertThat(out.left.get(0)).contains("-32603", "\"id\":2");
    assertThat(responder.connection().scheduler().running()).isZero();
  }

  @Test
  void aBurstIsHandedToOneWorkerAndOneStandbyWorker() {
    Workers workers = new Workers(10);
    Responder responder = responder(workers);
    for (int id = 1; id <= 5; id++) {
      request(responder, "m", id);
    }
    workers.runNext();
    assertThat(out.left).containsExactly(result(1), result(2), result(3), result(4), result(5));
    workers.runNext();
    assertThat(workers.count).isEqualTo(2);
    assertThat(responder.connection().scheduler().running()).isZero();
  }

  @Test
  void ifAHandlerBlocksEarlierAnswersAreSentAndLaterCallsRun() {
    Workers workers = new Workers(10);
    Responder responder = responder(workers);
    List<String> leftMeanwhile = new ArrayList<>();
    whileBlocked = () -> {
      workers.runNext(); // the standby worker
      leftMeanwhile.addAll(out.left);
    };
    request(responder, "m", 1);
    request(responder, "block", 2);
    request(responder, "m", 3);
    workers.runNext();
    assertThat(leftMeanwhile).containsExactly(result(1), result(3));
    assertThat(out.left).containsExactly(result(1), result(3), result(2));
  }

  @Test
  void ifTheLastHandlerBlocksEarlierAnswersAreSent() {
    Workers workers = new Workers(10);
    Responder responder = responder(workers);
    List<String> leftMeanwhile = new ArrayList<>();
    whileBlocked = () -> {
      workers.runNext();
      leftMeanwhile.addAll(out.left);
    };
    request(responder, "m", 1);
    request(responder, "block", 2);
    workers.runNext();
    assertThat(leftMeanwhile).containsExactly(result(1));
  }

  @Test
  void withoutAStandbyWorkerEarlierAnswersAreSentBeforeAHandlerRuns() {
    Workers workers = new Workers(1);
    Responder responder = responder(workers);
    List<String> leftMeanwhile = new ArrayList<>();
    whileBlocked = () -> leftMeanwhile.addAll(out.left);
    request(responder, "ordered", 1);
    request(responder, "block", 2);
    workers.runNext();
    assertThat(leftMeanwhile).containsExactly(result(1));
    assertThat(out.left).containsExactly(result(1), result(2));
  }

  @Test
  void theAnswersOfConcurrentHandlersMayBeSentTogether() {
    Workers workers = new Workers(100);
    Responder responder = responder(workers);
    whileBlocked = () -> {
      if (!workers.asked.isEmpty()) {
        workers.runNext();
      }
    };
    for (int id = 1; id <= 40; id++) {
      request(responder, "block", id);
    }
    workers.runNext();
    assertThat(out.left).hasSize(40).doesNotHaveDuplicates();
    assertThat(out.together).hasSize(32).startsWith(9, 1, 1);
  }

  @Test
  void anAnswerThatCannotBeSentHoldsBackNoOtherMessage() {
    Workers workers = new Workers(10);
    Responder responder = responder(workers);
    out.failing = 1;
    request(responder, "fail", 1);
    request(responder, "ordered", 2);
    workers.runNext();
    assertThat(out.left).containsExactly(result(2));
    assertThat(responder.connection().scheduler().running()).isZero();
  }

  @Test
  void aStageWithAResultThatCannotBeSentIsFinished() {
    CompletableFuture<Integer> stage = new CompletableFuture<>();
    Workers workers = new Workers(10);
    Service staged = Service.builder().method("stage", call -> stage).build();
    Responder responder = new Responder(new Connection(
        new ServerContext(staged, Options.DEFAULT), out, INFO, Attributes.NONE, workers, () -> {}));
    out.failing = 1;
    request(responder, "stage", 1);
    workers.runNext();
    stage.complete(1);
    assertThat(responder.connection().scheduler().running()).isZero();
  }

  @Test
  void aCallPastItsTimeLimitIsAnsweredBeforeItsFrameIsFinished() throws Exception {
    CountDownLatch passed = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    Options options = Options.builder()
        .limits(limits -> limits.handlerTimeout(Duration.ofMillis(20)))
        .dialect(new Dialect() {
          @Override
          public RpcError deadlinePassed(long millis) {
            passed.countDown();
            await(over, 200); // as if the sweeper were not scheduled for a while
            return Dialect.super.deadlinePassed(millis);
          }
        })
        .build();
    Service slow =
        Service.builder().method("slow", call -> await(passed, 20_000)).build();
    FrameResponder responder = FrameResponder.of(slow, options, INFO);
    byte[] frame = """
        {"jsonrpc":"2.0","method":"slow","id":1}""".getBytes(UTF_8);
    List<String> leftWhenOver = new ArrayList<>();
    responder.serve(frame, 0, frame.length, out).whenDone(() -> {
      leftWhenOver.addAll(out.left);
      over.countDown();
    });
    assertThat(await(over, 20_000)).isTrue();
    assertThat(leftWhenOver).singleElement().asString().contains("-32004");
  }

  private static boolean await(CountDownLatch latch, long millis) {
    try {
      return latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void readingGoesOnForACallThatFinishesWhileTheReaderChecks() throws Exception {
    Responder responder = responder(Limits.builder().queuedMessages(2).build(), new Workers(10));
    Scheduler scheduler = responder.connection().scheduler();
    for (int i = 0; i < 3; i++) {
      notification(responder);
    }
    Thread call = new Thread(scheduler::readOn);
    boolean full = scheduler.pauseIfFull(() -> {
      call.start(); // too late for this check to see it
      return false;
    });
    call.join(Recorder.SECONDS * 1_000);
    assertThat(full).isTrue();
    assertThat(resumed).hasValue(1);
  }

  /** The ways in which queued messages leave the queue without running. */
  private enum Leaving {
    EXPIRED {
      @Override
      void end(Scheduler scheduler) {
        scheduler.expire(Long.MAX_VALUE - 1);
      }
    },
    CANCELLED {
      @Override
      void end(Scheduler scheduler) {
        scheduler.cancel(Id.of(2));
        scheduler.cancel(Id.of(3));
      }
    },
    ABANDONED {
      @Override
      void end(Scheduler scheduler) {
        scheduler.abandonRequests();
      }
    };

    abstract void end(Scheduler scheduler);
  }

  @ParameterizedTest
  @EnumSource(Leaving.class)
  void readingGoesOnWhenQueuedCallsLeaveTheQueueWithoutRunning(Leaving way) {
    Limits limits =
        Limits.builder().queuedMessages(2).handlerTimeout(Duration.ofHours(1)).build();
    Responder responder = responder(limits, new Workers(10));
    Scheduler scheduler = responder.connection().scheduler();
    request(responder, "ordered", 1); // goes on for long
    request(responder, "m", 2);
    request(responder, "m", 3);
    assertThat(scheduler.pauseIfFull(() -> false)).isTrue();
    way.end(scheduler);
    assertThat(scheduler.waiting()).isZero();
    assertThat(resumed).hasValue(1);
    assertThat(scheduler.pauseIfFull(() -> false)).isFalse();
  }

  @Test
  void theConnectionEndsIfTimedOutMessagesCannotLeaveTheQueue() {
    Limits limits =
        Limits.builder().queuedMessages(2).handlerTimeout(Duration.ofHours(1)).build();
    Responder responder = responder(limits, new Workers(10));
    Scheduler scheduler = responder.connection().scheduler();
    request(responder, "ordered", 1);
    request(responder, "m", 2);
    request(responder, "m", 3);
    assertThat(scheduler.pauseIfFull(() -> false)).isTrue();
    out.failure = new OutOfMemoryError("by design");
    scheduler.expire(Long.MAX_VALUE - 1);
    assertThat(out.ended).isSameAs(out.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"m", "inline", "ordered"})
  void noMessageStartsWhileThereIsNoRoomForAnswers(String method) {
    Workers workers = new Workers(10);
    Responder responder = responder(workers);
    Scheduler scheduler = responder.connection().scheduler();
    out.full = true;
    assertThat(scheduler.pauseIfFull(() -> true)).isFalse();
    request(responder, method, 1);
    request(responder, "inline", 2);
    assertThat(scheduler.running()).isZero();
    assertThat(scheduler.waiting()).isEqualTo(2);
    out.full = false;
    scheduler.roomAgain();
    while (!workers.asked.isEmpty()) {
      workers.runNext();
    }
    assertThat(out.left).containsExactly(result(1), result(2));
    assertThat(scheduler.pauseIfFull(() -> false)).isFalse();
    request(responder, "inline", 3);
    assertThat(out.left).hasSize(3);
  }

  @Test
  void aMessageBehindOneThatFinishesWithoutRoomWaitsForRoomToo() {
    Workers workers = new Workers(10);
    Responder responder = responder(workers);
    Scheduler scheduler = responder.connection().scheduler();
    request(responder, "ordered", 1);
    request(responder, "ordered", 2);
    out.full = true;
    workers.runNext();
    assertThat(out.left).containsExactly(result(1));
    assertThat(scheduler.waiting()).isEqualTo(1);
    out.full = false;
    scheduler.roomAgain();
    workers.runNext();
    assertThat(out.left).containsExactly(result(1), result(2));
  }

  @Test
  void withoutRoomForAnswersReadingPausesUntilThisSideCalls() {
    Scheduler scheduler = responder(new Workers(10)).connection().scheduler();
    out.full = true;
    assertThat(scheduler.pauseIfFull(() -> false)).isTrue();
    scheduler.readOn();
    assertThat(resumed).hasValue(1);
    assertThat(scheduler.pauseIfFull(() -> true)).isFalse();
  }

  @Test
  void answersThatNoHandlerGivesAreBoundedWhileThisSideReadsWithoutRoom() {
    int bytes = 100_000;
    Responder responder = responder(Limits.builder().queuedBytes(bytes).build(), new Workers(10));
    Scheduler scheduler = responder.connection().scheduler();
    out.full = true;
    while (!scheduler.pauseIfFull(() -> true)) {
      request(responder, "unknown", 1);
      arrives(responder, "[1,1,1]");
      arrives(responder, "not JSON");
      assertThat(out.left).hasSizeLessThan(10_000);
    }
    assertThat(out.left.stream().mapToInt(String::length).sum()).isBetween(bytes / 10, 2 * bytes);
    out.full = false;
    assertThat(scheduler.pauseIfFull(() -> true)).isFalse();
  }

  @Test
  void moreThanTwoGigabytesThatWaitMayBeAbandoned() {
    Responder responder = responder(Limits.builder().queuedBytes(1 << 20).build(), new Workers(10));
    Scheduler scheduler = responder.connection().scheduler();
    notification(responder);
    Element element = new Element(Limits.DEFAULT, Set.of());
    element.frame.reset(new byte[0], true);
    element.frame.add(ParsedFrame.NOTIFICATION);
    element.moveTo(0, new BatchReply(responder.connection(), 0), 0);
    RpcMethod method =
        Objects.requireNonNull(responder.connection().context().service().find("m"));
    byte[] large = new byte[64 << 20]; // all exchanges share one array
    for (int i = 0; i < 33; i++) {
      OwnedExchange x = new OwnedExchange(responder.connection(), element, method);
      x.bytes = large;
      assertThat(scheduler.admit(x)).isNull();
    }
    assertThat(scheduler.waiting()).isEqualTo(33);
    assertThat(scheduler.pauseIfFull(() -> false)).isTrue();
    scheduler.abandon();
    assertThat(scheduler.waiting()).isZero();
    assertThat(scheduler.pauseIfFull(() -> false)).isFalse();
  }

  @Test
  void aMessageHeldBackByACancelledCallStartsAtOnce() {
    Workers workers = new Workers(10);
    List<CompletableFuture<Integer>> stages = new ArrayList<>();
    Service staged = Service.builder()
        .method("stage", call -> {
          CompletableFuture<Integer> stage = new CompletableFuture<>();
          stages.add(stage);
          return stage;
        })
        .build();
    Responder responder = new Responder(new Connection(
        new ServerContext(
            staged, Options.builder().limits(limits -> limits.runningCalls(1)).build()),
        out,
        INFO,
        Attributes.NONE,
        workers,
        () -> {}));
    request(responder, "stage", 1);
    arrives(responder, """
        [{"jsonrpc":"2.0","method":"stage","id":2}]"""); // queued
    arrives(responder, """
        {"jsonrpc":"2.0","method":"stage"}""");
    workers.runNext();
    assertThat(stages).hasSize(1);
    responder.connection().scheduler().cancel(Id.of(2));
    workers.runNext();
    assertThat(stages).hasSize(2);
    assertThat(out.left).singleElement().asString().contains("-32800", "\"id\":2");
  }

  /** A stage that reports its end more than once, or throws when a callback is added. */
  private static final class OddStage extends CompletableFuture<Integer> {
    private final int times;
    private final boolean refuses;

    OddStage(int times, boolean refuses) {
      this.times = times;
      this.refuses = refuses;
    }

    @Override
    public CompletableFuture<Integer> whenComplete(
        BiConsumer<? super Integer, ? super Throwable> action) {
      for (int i = 0; i < times; i++) {
        action.accept(1, null);
      }
      if (refuses) {
        throw new UnsupportedOperationException("by design");
      }
      return this;
    }
  }

  @ParameterizedTest
  @CsvSource({"0,true", "1,true", "2,true", "2,false"})
  void aCallWithAStageThatBreaksTheRulesIsAnsweredOnceAndFinishedOnce(int times, boolean refuses) {
    Workers workers = new Workers(10);
    Service foreign =
        Service.builder().method("stage", call -> new OddStage(times, refuses)).build();
    Responder responder = new Responder(new Connection(
        new ServerContext(foreign, Options.DEFAULT),
        out,
        INFO,
        Attributes.NONE,
        workers,
        () -> {}));
    AtomicInteger idle = new AtomicInteger();
    request(responder, "stage", 1);
    request(responder, "stage", 2);
    responder.connection().scheduler().whenIdle(idle::incrementAndGet);
    while (!workers.asked.isEmpty()) {
      workers.runNext();
    }
    assertThat(out.left).hasSize(2);
    assertThat(out.left.get(0)).contains(times == 0 ? "-32603" : "\"result\":1", "\"id\":1");
    assertThat(responder.connection().scheduler().running()).isZero();
    assertThat(idle).hasValue(1);
  }
}
