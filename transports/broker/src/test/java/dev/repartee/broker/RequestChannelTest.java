package dev.repartee.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client side, with a broker and workers that violate the rules. */
class RequestChannelTest {
  private final FakeClock clock = new FakeClock();
  private final Limits limits = ClockLimits.builder(clock).queuedMessages(5).build();
  private final Link link = new Link();
  private final Inbox inbox = new Inbox();
  private final RequestChannel channel =
      new RequestChannel(link, new ChannelInfo("test", "the broker", "message"), limits);

  /** A link with the test as its other end. */
  private static final class Link implements RequestLink {
    final BlockingQueue<OutgoingRequest> sent = new LinkedBlockingQueue<>();
    final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();
    final BlockingQueue<Long> granted = new LinkedBlockingQueue<>();

    /** One permit for each call of {@link #send} that should return while the broker is blocked. */
    final Semaphore permits = new Semaphore(0);

    /**
     * The number of calls of {@link #send} that should fail because the connection was just lost.
     */
    volatile int refusals;

    volatile boolean isBlocked;
    volatile boolean isClosed;

    /** The exception that {@link #close}, and then {@link #send}, throws; null for none. */
    volatile @Nullable RuntimeException fault;

    @Nullable Events events;

    @Override
    public void start(Events events) {
      this.events = events;
    }

    @Override
    public boolean offers() {
      return true;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only one thread sends
    public void send(OutgoingRequest request) {
      if (refusals > 0) {
        refusals--;
        Objects.requireNonNull(events).connected();
        throw DisconnectedException.closed("the broker", null);
      }
      boolean waits = isBlocked;
      sent.add(request);
      if (waits) {
        permits.acquireUninterruptibly();
      }
      if (isClosed && fault != null) {
        throw fault;
      }
    }

    @Override
    public void cancel(String key) {
      cancelled.add(key);
    }

    @Override
    public void grant(String worker, String key, long bytes) {
      granted.add(bytes);
    }

    @Override
    public void close() {
      isClosed = true;
      permits.release();
      if (fault != null) {
        throw fault;
      }
    }

    OutgoingRequest next() throws InterruptedException {
      OutgoingRequest request = sent.poll(60, TimeUnit.SECONDS);
      assertThat(request).isNotNull();
      return request;
    }
  }

  /** The receiver of the channel, which the test can stop. */
  private static class Inbox implements Receiver {
    final List<String> frames = new CopyOnWriteArrayList<>();
    final List<String> violations = new CopyOnWriteArrayList<>();
    final CompletableFuture<Optional<Throwable>> closed = new CompletableFuture<>();
    volatile boolean ready = true;

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      frames.add(new String(bytes, from, to - from, UTF_8));
      return true;
    }

    @Override
    public void fault(FrameFault fault) {}

    @Override
    public void violation(String violation) {
      violations.add(violation);
    }

    @Override
    public boolean ready() {
      return ready;
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {}

    @Override
    public void closed(@Nullable Throwable cause) {
      closed.complete(Optional.ofNullable(cause));
    }

    /** Returns the cause of the end. */
    @Nullable Throwable end() throws Exception {
      return closed.get(60, TimeUnit.SECONDS).orElse(null);
    }

    void await(String... expected) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (frames.size() < expected.length && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      assertThat(frames).containsExactly(expected);
    }
  }

  /** An idempotent call, whose stream the test can stop. */
  private class Calls implements OutgoingMessage {
    final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    volatile boolean takesItems = true;
    volatile boolean isIdempotent = true;
    private volatile boolean isDone;
    private volatile boolean isUnwanted;
    private @Nullable Ended onEnd;

    @Override
    public OutboundFrame text() {
      return channel.open();
    }

    @Override
    public void dropText() {}

    @Override
    public int size() {
      return 0;
    }

    @Override
    public boolean isCall() {
      return true;
    }

    @Override
    public boolean isDone() {
      return isDone || !failures.isEmpty();
    }

    @Override
    public boolean isUnwanted() {
      return isUnwanted;
    }

    @Override
    public void onEnd(Ended action) {
      onEnd = action;
    }

    /** Ends the calls as if each was given up. */
    void giveUp(boolean unwanted) {
      isDone = true;
      isUnwanted = unwanted;
      Objects.requireNonNull(onEnd).ended(unwanted);
    }

    @Override
    public boolean fail(Throwable cause) {
      failures.add(cause);
      return true;
    }

    @Override
    public boolean takesItems() {
      return takesItems;
    }

    @Override
    public boolean isIdempotent() {
      return isIdempotent;
    }

    Throwable failure() throws InterruptedException {
      Throwable failure = failures.poll(60, TimeUnit.SECONDS);
      assertThat(failure).isNotNull();
      return failure;
    }
  }

  private RequestLink.Events events() {
    RequestLink.Events events = link.events;
    assertThat(events).isNotNull();
    return events;
  }

  private String send(Calls calls) throws InterruptedException {
    channel.send(calls);
    return link.next().key();
  }

  /** Sends a text without marks of its calls. */
  private String send(String text) throws InterruptedException {
    OutboundFrame frame = channel.open();
    frame.raw(text.getBytes(UTF_8));
    channel.commit(frame);
    return link.next().key();
  }

  private void item(String key, String text) {
    events().reply(new Reply(key, text.getBytes(UTF_8), true, "worker"));
  }

  private void reply(String key, String text) {
    events().reply(new Reply(key, text.getBytes(UTF_8), false, "worker"));
  }

  /** Makes the thread of the channel wait until the broker accepts a call. */
  private void block() throws InterruptedException {
    link.isBlocked = true;
    send(new Calls());
  }

  @AfterEach
  void end() {
    link.fault = null;
    channel.abort(null);
  }

  @Test
  void theItemsOfAStreamWaitInOrderAndNothingElseWaitsForThem() throws Exception {
    channel.start(inbox);
    Calls stopped = new Calls();
    stopped.takesItems = false;
    String stream = send(stopped);
    String other = send(new Calls());
    item(stream, "1");
    item(stream, "2");
    item(other, "a");
    assertThat(inbox.frames).containsExactly("a");
    stopped.takesItems = true;
    item(stream, "3"); // arrives before the channel is notified that there is room
    assertThat(inbox.frames).containsExactly("a", "1", "2", "3");
  }

  @Test
  void aWorkerThatSendsEmptyMessagesWithoutEndIsCutOff() throws Exception {
    channel.start(inbox);
    Calls stopped = new Calls();
    stopped.takesItems = false;
    String stream = send(stopped);
    for (int i = 0; i <= RequestChannel.WINDOW / 16; i++) {
      item(stream, "");
    }
    assertThat(stopped.failure()).hasMessageContaining("has sent more before its reply");
    assertThat(link.cancelled.poll(60, TimeUnit.SECONDS)).isEqualTo(stream);
  }

  @Test
  void repliesWithoutAKeyAreBoundedWhileTheReceiverTakesNone() {
    channel.start(inbox);
    inbox.ready = false;
    for (int i = 0; i < 7; i++) {
      events().reply(new Reply(null, ("" + i).getBytes(UTF_8), false, null));
    }
    assertThat(inbox.violations).hasSize(2).allMatch(each -> each.contains("queuedMessages"));
    inbox.ready = true;
    events().reply(new Reply("unknown", new byte[0], false, null)); // is dropped
    channel.resume();
    inbox.await("0", "1", "2", "3", "4");
  }

  @Test
  void aMessageThatTheBrokerNeverTakesIsNotSentForEver() throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    String key = send(calls);
    for (int i = 0; i < 2; i++) {
      events().lost(new IOException("it was closed"));
      events().connected();
      assertThat(link.next().key()).isEqualTo(key);
    }
    events().lost(new IOException("it was closed"));
    assertThat(calls.failure()).hasMessageContaining("is not sent again");
  }

  @Test
  void aMessageThatTheBrokerHasTakenIsSentAfterEachLoss() throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    String key = send(calls);
    for (int i = 0; i < 10; i++) {
      events().accepted(key);
      events().lost(new IOException("it was closed"));
      events().connected();
      assertThat(link.next().key()).isEqualTo(key);
    }
    assertThat(calls.failures).isEmpty();
  }

  private static @Nullable String unsent(Calls calls) throws InterruptedException {
    return ((DisconnectedException) calls.failure()).unsent();
  }

  @Test
  void aMessageThatTheBrokerRefusesWasCertainlyNotHandled() throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    events().refused(send(calls), "the queue is full", "the queue 'math' at broker:1 is full");
    assertThat(unsent(calls)).isEqualTo("the queue is full");
  }

  @Test
  void aMessageWhoseServiceHasGoneMayHaveBeenHandled() throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    events().unanswered(send(calls), "the service has gone");
    assertThat(unsent(calls)).isNull();
  }

  @Test
  void aMessageThatWasSentBeforeALossMayHaveBeenHandledThoughTheBrokerRefusesItThen()
      throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    events().accepted(send(calls));
    events().lost(new IOException("it was closed"));
    events().connected();
    events().refused(link.next().key(), "no worker listens", "nobody listens");
    assertThat(unsent(calls)).isNull();
  }

  @Test
  void aStreamThatHasBegunWasHandledThoughItIsRefused() throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    String key = send(calls);
    item(key, "1");
    events().refused(key, "no worker listens", "nobody listens");
    assertThat(unsent(calls)).isNull();
  }

  @Test
  void aCallInFlightAtALossMayHaveBeenHandledButNotOneThatWaitsForTheConnection() throws Exception {
    channel.start(inbox);
    Calls inFlight = new Calls();
    inFlight.isIdempotent = false;
    send(inFlight);
    events().lost(new IOException("it was closed"));
    assertThat(unsent(inFlight)).isNull();
    Calls waiting = new Calls();
    waiting.isIdempotent = false;
    channel.send(waiting);
    events().unreachable(new IOException("connection refused"));
    assertThat(unsent(waiting)).contains("unreachable");
    assertThatThrownBy(() -> send(waiting))
        .isInstanceOfSatisfying(
            DisconnectedException.class, e -> assertThat(e.unsent()).contains("unreachable"));
  }

  @Test
  void anEventThatArrivesBeforeTheStartIsDelivered() {
    events().event("early".getBytes(UTF_8), () -> {});
    channel.start(inbox);
    inbox.await("early");
  }

  @Test
  void aMessageIsSentAfterManyLostConnections() throws Exception {
    channel.start(inbox);
    link.refusals = 1_100;
    reply(send("[]"), "answer");
    assertThat(inbox.frames).containsExactly("answer");
  }

  @Test
  void aLateAnswerOfABatchThatNobodyAwaitsIsNotKept() throws Exception {
    channel.start(inbox);
    Calls batch = new Calls(); // with a notification, so that it cannot be cancelled
    String key = send(batch);
    batch.giveUp(false);
    String other = send(new Calls()); // after the step of the cancellation
    reply(key, "late");
    reply(other, "other");
    assertThat(inbox.frames).containsExactly("other");
    assertThat(link.cancelled).isEmpty();
  }

  @Test
  void theNotificationsOfABatchAreSentThoughItsCallsAreGivenUp() throws Exception {
    channel.start(inbox);
    block();
    Calls batch = new Calls();
    channel.send(batch);
    batch.giveUp(false);
    Calls unwanted = new Calls();
    channel.send(unwanted);
    unwanted.giveUp(true);
    Calls last = new Calls();
    channel.send(last);
    link.isBlocked = false;
    link.permits.release();
    String key = link.next().key();
    String other = link.next().key(); // the unwanted message is not sent
    events().accepted(key);
    reply(key, "late");
    reply(other, "other");
    assertThat(inbox.frames).containsExactly("other");
    assertThat(link.sent).isEmpty();
    assertThat(link.cancelled).isEmpty();
  }

  @Test
  void grantsAddUpWhileTheBrokerTakesNothing() throws Exception {
    channel.start(inbox);
    String stream = send(new Calls());
    block();
    for (int i = 0; i < 10; i++) {
      item(stream, " ".repeat(RequestChannel.WINDOW / 2));
    }
    assertThat(inbox.frames).hasSize(10);
    link.isBlocked = false;
    link.permits.release();
    assertThat(link.granted.poll(60, TimeUnit.SECONDS)).isEqualTo(5L * RequestChannel.WINDOW);
    send(new Calls()); // after all steps
    assertThat(link.granted).isEmpty();
  }

  @Test
  void aReplyIsDeliveredWhileTheBrokerTakesNothing() throws Exception {
    channel.start(inbox);
    String key = send(new Calls());
    block();
    inbox.ready = false;
    reply(key, "answer");
    inbox.ready = true;
    channel.resume();
    inbox.await("answer");
  }

  @Test
  void aReceiverThatInterruptsItsThreadDoesNotInterruptTheLink() throws Exception {
    Inbox interrupting = new Inbox() {
      @Override
      public boolean frame(byte[] bytes, int from, int to) {
        Thread.currentThread().interrupt();
        return super.frame(bytes, from, to);
      }
    };
    channel.start(interrupting);
    String key = send(new Calls());
    CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
    new BrokerThread(
            () -> {
              reply(key, "answer");
              isInterrupted.complete(Thread.currentThread().isInterrupted());
            },
            "test")
        .start();
    assertThat(isInterrupted.get(60, TimeUnit.SECONDS)).isFalse();
    assertThat(interrupting.frames).containsExactly("answer");
  }

  @Test
  void aSenderThatThrowsDoesNotKeepTheOthersFromFailing() throws Exception {
    channel.start(inbox);
    Calls throwing = new Calls() {
      @Override
      public boolean fail(Throwable cause) {
        throw new IllegalStateException("of the sender");
      }
    };
    throwing.isIdempotent = false;
    send(throwing);
    Calls second = new Calls();
    second.isIdempotent = false;
    send(second);
    events().lost(new IOException("it was closed"));
    assertThat(second.failure()).hasMessageContaining("the outcome is unknown");
    assertThat(inbox.end()).hasMessage("of the sender");
  }

  @Test
  void closingEndsOnceTheBrokerHasTheLastMessage() throws Exception {
    channel.start(inbox);
    String key = send("[]");
    Calls givenUp = new Calls();
    send(givenUp);
    givenUp.giveUp(true);
    channel.close();
    assertThat(link.cancelled.poll(60, TimeUnit.SECONDS)).isNotNull(); // then the thread waits
    assertThat(inbox.closed).isNotDone();
    events().accepted(key);
    assertThat(inbox.end()).isNull();
    assertThat(clock.timers()).isZero();
  }

  @Test
  void closingEndsAfterItsTimeAlthoughTheBrokerTakesNothing() throws Exception {
    channel.start(inbox);
    block();
    channel.close();
    clock.advance(limits.closeTimeout().minusNanos(1));
    assertThat(link.isClosed).isFalse();
    clock.advance(Duration.ofNanos(1));
    assertThat(inbox.end()).isNull();
  }

  @Test
  void theFirstCauseOfTheEndCounts() throws Exception {
    channel.start(inbox);
    block();
    link.fault = new IllegalStateException("the connection is closed");
    IOException first = new IOException("the first cause");
    assertThatThrownBy(() -> channel.abort(first)).isSameAs(link.fault);
    assertThat(inbox.end()).isSameAs(first);
  }

  @Test
  void theEndIsReportedAlthoughTheLinkCannotBeClosed() throws Exception {
    channel.start(inbox);
    link.fault = new IllegalStateException("it does not close");
    channel.close();
    assertThat(inbox.end()).isSameAs(link.fault);
  }
}
