package dev.repartee.reconnect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that moves between its own peer and the peers of connections. */
@Timeout(60)
class MovedCallTest {
  private final FakeClock clock = new FakeClock();
  private final BlockingQueue<Channel> channels = new LinkedBlockingQueue<>();

  private Peer connect(Options options) throws IOException {
    return Reconnecting.to(channels::take)
        .options(options)
        .clock(clock, () -> 0.5)
        .listener(new Events())
        .connect();
  }

  private static CallFuture<Integer> price(Peer peer) {
    return peer.request("price").idempotent().timeout(Duration.ZERO).send(int.class);
  }

  @Test
  void aCallThatFailsDuringItsLossIsPendingOnce() throws Exception {
    Limits limits = Limits.DEFAULT.toBuilder().pendingCalls(3).build();
    Line first = new Line();
    channels.add(first);
    try (Peer peer = connect(Options.DEFAULT.toBuilder().limits(limits).build())) {
      for (int i = 0; i < 2; i++) {
        Line line = i == 0 ? first : new Line();
        AtomicReference<CallFuture<Integer>> newest = new AtomicReference<>();
        line.duringCommit = () -> {
          line.lose();
          for (int n = 0; n < 3; n++) {
            price(peer).cancel(false);
          }
          newest.set(price(peer)); // its neighbour in the table of those that wait
          throw DisconnectedException.closed("test", null);
        };
        if (i > 0) {
          channels.add(line);
          clock.advanceToTimer();
        }
        CallFuture<Integer> moved = price(peer);
        assertThat(moved).isNotDone();
        moved.cancel(false);
        newest.get().cancel(false);
      }
      for (int n = 0; n < 3; n++) {
        assertThat(price(peer)).isNotDone();
      }
    }
  }

  @Test
  void aCallThatWasLostDuringItsCommitIsNotSentAfterItsCancellation() throws Exception {
    Line first = new Line();
    first.duringCommit = first::lose;
    Line second = new Line();
    channels.addAll(List.of(first, second));
    try (Peer peer = connect(Options.DEFAULT)) {
      CallFuture<Integer> call = price(peer);
      second.beforeCommit = () -> call.cancel(false);
      clock.advanceToTimer();
      assertThat(first.sent).hasSize(1);
      assertThat(second.sent).isEmpty();
    }
  }

  @Test
  void aLateFailureOfTheFirstConnectionDoesNotFailTheCallOverTheSecond() throws Exception {
    Messages first = new Messages();
    Line second = new Line();
    channels.addAll(List.of(first, second));
    try (Peer peer = connect(Options.DEFAULT)) {
      CallFuture<Integer> call = price(peer);
      OutgoingMessage lost = first.sent.get(0);
      first.lose();
      clock.advanceToTimer();
      lost.fail(new DisconnectedException("late", null));
      second.receive("""
          {"jsonrpc":"2.0","id":1,"result":7}""");
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(7);
    }
  }

  @Test
  void aCallThatAClosingServerRefusesIsSentOverTheNextConnection() throws Exception {
    Line first = new Line();
    Line second = new Line();
    channels.addAll(List.of(first, second));
    try (Peer peer = connect(Options.DEFAULT)) {
      CallFuture<Integer> running = peer.callAsync("order", int.class, 1);
      CallFuture<Integer> refused = peer.callAsync("order", int.class, 2);
      first.receive("""
          {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Busy","data":\
          {"limit":"closing","max":0}}}""");
      CallFuture<Integer> later = peer.callAsync("order", int.class, 3);
      assertThat(first.sent).as("calls to the closing server").hasSize(2);
      first.receive("""
          {"jsonrpc":"2.0","id":1,"result":7}""");
      assertThat(running.get(60, TimeUnit.SECONDS)).isEqualTo(7);
      clock.advanceToTimer(); // this side has closed the connection
      assertThat(second.sent).hasSize(2);
      for (int id = 1; id <= 2; id++) {
        second.receive("""
            {"jsonrpc":"2.0","id":%d,"result":%d}""".formatted(id, 10 * id));
      }
      assertThat(refused.get(60, TimeUnit.SECONDS)).isEqualTo(10);
      assertThat(later.get(60, TimeUnit.SECONDS)).isEqualTo(20);
    }
  }

  @Test
  void aCallThatIsSentAgainHasNewHeadersOfTheSupplier() throws Exception {
    Messages first = new Messages();
    Messages second = new Messages();
    channels.addAll(List.of(first, second));
    AtomicInteger tokens = new AtomicInteger();
    Options options = Options.builder()
        .headers(() -> Map.of("token", "t" + tokens.incrementAndGet(), "a", "supplier"))
        .build();
    try (Peer peer = connect(options)) {
      CallFuture<Integer> call =
          peer.request("price").header("a", "call").idempotent().send(int.class);
      first.lose();
      clock.advanceToTimer();
      assertThat(first.sent.get(0).headers().fields())
          .isEqualTo(Map.of("token", "t1", "a", "call"));
      assertThat(second.sent.get(0).headers().fields())
          .isEqualTo(Map.of("token", "t2", "a", "call"));
      assertThat(call).isNotDone();
    }
  }

  @Test
  void aCallWithoutTheHeadersToBeSentAgainFailsAlone() throws Exception {
    Messages first = new Messages();
    Messages second = new Messages();
    channels.addAll(List.of(first, second));
    AtomicInteger tokens = new AtomicInteger();
    RuntimeException fault = new RuntimeException("no token");
    Options options = Options.builder()
        .headers(() -> {
          if (tokens.incrementAndGet() == 3) {
            throw fault;
          }
          return Map.of();
        })
        .build();
    try (Peer peer = connect(options)) {
      CallFuture<Integer> failing = price(peer);
      CallFuture<Integer> other = price(peer);
      first.lose();
      clock.advanceToTimer();
      assertThat(failing)
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableOfType(ExecutionException.class)
          .withRootCauseInstanceOf(RuntimeException.class)
          .havingRootCause()
          .isSameAs(fault);
      assertThat(other).isNotDone();
      assertThat(second.sent).hasSize(1);
    }
  }

  @Test
  void aCallEndsItsMessageToALostConnectionAndDoesNotKeepIt() throws Exception {
    Messages first = new Messages();
    Messages second = new Messages();
    channels.addAll(List.of(first, second));
    try (Peer peer = connect(Options.DEFAULT)) {
      CallFuture<Integer> call = price(peer);
      WeakReference<OutgoingMessage> message = new WeakReference<>(first.sent.get(0));
      first.lose();
      assertThat(first.ended).containsExactly(true);
      first.sent.clear();
      clock.advanceToTimer();
      while (message.get() != null) {
        System.gc();
        Thread.onSpinWait();
      }
      assertThat(second.ended).isEmpty();
      call.cancel(false);
      assertThat(second.ended).containsExactly(true);
      assertThat(first.ended).hasSize(1);
    }
  }

  /** A channel that a test loses. */
  private abstract static class Losable implements Channel {
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Receiver receiver;

    @Override
    public void start(Receiver receiver) {
      this.receiver = receiver;
    }

    private Receiver receiver() {
      return Objects.requireNonNull(receiver);
    }

    void receive(String message) {
      byte[] text = message.getBytes(UTF_8);
      receiver().frame(text, 0, text.length);
    }

    /** Ends the connection, as its reader does on another thread. */
    void lose() {
      CompletableFuture.runAsync(() -> abort(new IOException("lost"))).join();
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(1_000_000);
    }

    @Override
    public void abort(@Nullable Throwable cause) {
      if (closed.compareAndSet(false, true)) {
        receiver().closed(cause);
      }
    }

    @Override
    public ChannelInfo info() {
      return new ChannelInfo("test", "test", "line");
    }
  }

  /** A connection that runs actions of a test when a frame is sent. */
  private static final class Line extends Losable {
    final List<String> sent = new CopyOnWriteArrayList<>();
    volatile Runnable beforeCommit = () -> {};
    volatile Runnable duringCommit = () -> {};

    @Override
    public OutboundFrame open() {
      Runnable action = beforeCommit;
      beforeCommit = () -> {};
      action.run();
      return super.open();
    }

    @Override
    public void commit(OutboundFrame frame) {
      sent.add(new String(frame.toBytes(), UTF_8));
      Runnable action = duringCommit;
      duringCommit = () -> {};
      action.run();
    }
  }

  /** A channel without a connection that keeps its messages. */
  private static final class Messages extends Losable implements MessageChannel {
    final List<OutgoingMessage> sent = new CopyOnWriteArrayList<>();
    final List<Boolean> ended = new CopyOnWriteArrayList<>();

    @Override
    public void send(OutgoingMessage message) {
      sent.add(message);
      message.onEnd(ended::add);
    }
  }
}
