package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.UnknownMembers;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.stream.Overflow;
import dev.repartee.stream.Streamed;
import dev.repartee.stream.Streaming;
import dev.repartee.stream.flow.Inflow;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams with a faulty sender, a slow receiver, or a connection that ends. */
@Timeout(60)
class StreamFaultsTest {
  /** The number of items in an array that is small as text and large as objects. */
  private static final int MANY = 200_000;

  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();
  private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
  private final MemoryBudget.Share others = MemoryBudget.ofProcess().share(0);
  private final FullChannel channel = new FullChannel();

  private final Options options = Options.builder()
      .listener(new Listener() {
        @Override
        public void violation(ChannelInfo info, String violation) {
          violations.add(violation);
        }

        @Override
        public void failed(Call call, Throwable cause) {
          failures.add(cause);
        }
      })
      .build();

  @AfterEach
  void release() {
    others.hold(0);
  }

  private Probe<Integer> subscribe(FullChannel over) {
    Probe<Integer> probe = new Probe<>(Long.MAX_VALUE);
    Peer.open(over, Service.NONE, options).request("numbers").stream(int.class).subscribe(probe);
    return probe;
  }

  @ParameterizedTest
  @ValueSource(strings = {"-3", "1.5", "\"x\"", "null", "true", "[2]", "99999999999999999999"})
  void aResultThatIsNoCountFailsTheStreamAndIsAViolation(String result) throws Exception {
    Probe<Integer> probe = subscribe(channel);
    channel.receiveItems("1,2");
    channel.receive("""
        {"jsonrpc":"2.0","result":%s,"id":1}""".formatted(result));
    String rule = "the result of 'numbers' is not the number of its items";
    assertThat(probe.failure()).isInstanceOf(ProtocolException.class).hasMessage(rule);
    assertThat(probe.items).containsExactly(1, 2);
    assertThat(violations).containsExactly(rule);
  }

  // ---------------------------------------------------------------- the caller has gone

  /** Methods with streams of one publisher, and a note of their end. */
  public static final class Rows {
    final CompletableFuture<Flow.Subscriber<? super Integer>> subscriber =
        new CompletableFuture<>();
    final CountDownLatch asked = new CountDownLatch(1);
    final CountDownLatch cancelled = new CountDownLatch(1);
    final CountDownLatch finished = new CountDownLatch(1);

    public Flow.Publisher<Integer> rows(Call call) {
      call.afterAnswer(finished::countDown);
      return this::open;
    }

    @Streamed(subscription = "row", unsubscribe = "leave")
    public Flow.Publisher<Integer> enter() {
      return this::open;
    }

    private void open(Flow.Subscriber<? super Integer> to) {
      to.onSubscribe(new Flow.Subscription() {
        @Override
        public void request(long n) {
          asked.countDown();
        }

        @Override
        public void cancel() {
          cancelled.countDown();
        }
      });
      subscriber.complete(to);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rows", "enter"})
  void aClientThatLeavesInTheMiddleOfAStreamIsNoFailureOfTheMethod(String method) throws Exception {
    Rows rows = new Rows();
    Peer.open(channel, Service.of(rows), options);
    channel.receive("""
        {"jsonrpc":"2.0","id":1,"method":"%s"}""".formatted(method));
    channel.receive("""
        {"jsonrpc":"2.0","method":"rpc.credit","params":{"id":1,"n":9}}""");
    assertThat(rows.asked.await(60, SECONDS)).isTrue();
    channel.closed = true; // the end is found before it is reported
    rows.subscriber.get(60, SECONDS).onNext(1);
    assertThat(rows.cancelled.await(60, SECONDS)).as("cancelled").isTrue();
    channel.receiver().closed(null);
    if (method.equals("rows")) {
      assertThat(rows.finished.await(60, SECONDS)).as("finished").isTrue();
    }
    assertThat(failures).isEmpty();
  }

  // ---------------------------------------------------------------- a slow receiver

  /** A channel for requests without a connection, where no credit is given. */
  private static final class Requests extends FullChannel implements MessageChannel {
    @Override
    public void send(OutgoingMessage message) {
      super.commit(message.text());
    }

    @Override
    public synchronized void commit(OutboundFrame frame) {
      MessageChannel.super.commit(frame);
    }
  }

  /** A subscriber that handles its first item until it may go on. */
  private static final class Slow extends Probe<Integer> {
    final CountDownLatch handling = new CountDownLatch(1);
    final CountDownLatch goesOn = new CountDownLatch(1);

    Slow() {
      super(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Integer item) {
      handling.countDown();
      try {
        assertThat(goesOn.await(60, SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      super.onNext(item);
    }
  }

  private static String numbers(int count) {
    return IntStream.range(0, count).mapToObj(i -> i + "").collect(Collectors.joining(","));
  }

  @Test
  void theItemsOfALargeArrayStayTextUntilTheyAreDelivered() throws Exception {
    Requests requests = new Requests();
    Slow slow = new Slow();
    Peer.open(requests, Service.NONE, options).request("numbers").stream(int.class)
        .subscribe(slow);
    requests.receiveItems("0");
    assertThat(slow.handling.await(60, SECONDS)).isTrue();
    String many = numbers(MANY);
    long before = MemoryBudget.ofProcess().held();
    requests.receiveItems(many);
    assertThat(MemoryBudget.ofProcess().held() - before).isLessThan(2L * many.length());
    requests.receive("""
        {"jsonrpc":"2.0","result":%s,"id":1}""".formatted(MANY + 1));
    slow.goesOn.countDown();
    assertThat(slow.end.get(60, SECONDS)).isTrue();
    List<Integer> expected = new ArrayList<>(List.of(0));
    IntStream.range(0, MANY).forEach(expected::add);
    assertThat(new ArrayList<>(slow.items)).isEqualTo(expected);
    assertThat(MemoryBudget.ofProcess().held()).isLessThanOrEqualTo(before);
  }

  @Test
  void theItemsThatWaitAreDroppedWhenTheMemoryBudgetRefusesMore() throws Exception {
    Requests requests = new Requests();
    Slow slow = new Slow();
    Peer.open(requests, Service.NONE, options).request("numbers").stream(int.class)
        .subscribe(slow);
    requests.receiveItems("0,1,2,3");
    assertThat(slow.handling.await(60, SECONDS)).isTrue();
    others.holdAnyway(MemoryBudget.ofProcess().max());
    requests.receiveItems(numbers(MANY));
    slow.goesOn.countDown();
    assertThat(slow.failure()).isInstanceOf(LimitException.class).hasMessageContaining("heldBytes");
    assertThat(slow.items).containsExactly(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"CLOSE", "DROP_OLDEST"})
  void anArrayAboveTheBufferIsTreatedAsItsItemsOneByOne(Overflow overflow) {
    String slow = "the subscriber of 'm' is too slow: more than 3 items wait; receive faster, or"
        + " choose a larger buffer or another Overflow";
    List<String> signals = new ArrayList<>();
    List<Runnable> turns = new ArrayList<>();
    Inflow<Integer> inflow = inflow(signals, overflow, new SilentWire(), turns::add);
    inflow.begin();
    inflow.add(Json.of(0));
    inflow.addAll(Json.parse("[ 1, 2 ,3 , 4]"));
    inflow.addAll(Json.parse("[]"));
    inflow.addAll(Json.parse("[5]"));
    turns.forEach(Runnable::run);
    assertThat(signals)
        .isEqualTo(
            overflow == Overflow.CLOSE ? List.of("0", "1", "2", slow) : List.of("3", "4", "5"));
  }

  // ---------------------------------------------------------------- the way back

  /** A way back to a sender that ignores everything. */
  private static class SilentWire implements Inflow.Wire {
    @Override
    public void grant(long items) {}

    @Override
    public void cancel() {}

    @Override
    public RuntimeException violation(String what) {
      return new IllegalStateException(what);
    }
  }

  private static Inflow<Integer> inflow(
      List<String> signals, Overflow overflow, Inflow.Wire wire, Executor executor) {
    Probe<Integer> subscriber = new Probe<>(Long.MAX_VALUE) {
      @Override
      public void onNext(Integer item) {
        signals.add(item + "");
      }

      @Override
      public void onError(Throwable failure) {
        signals.add(failure.getMessage());
      }
    };
    return new Inflow<>(
        subscriber,
        JsonTypes.standard().of(Integer.class),
        UnknownMembers.IGNORE,
        "m",
        Streaming.DEFAULT.buffer(3).overflow(overflow),
        overflow == Overflow.WAIT ? Inflow.Control.CREDIT : Inflow.Control.NONE,
        wire,
        executor);
  }

  @Test
  void aStreamEndsIfItsWayBackFails() {
    List<String> signals = new ArrayList<>();
    Inflow<Integer> inflow = inflow(
        signals,
        Overflow.WAIT,
        new SilentWire() {
          private int grants;

          @Override
          public void grant(long items) {
            if (++grants > 1) {
              throw new IllegalStateException("no way back");
            }
          }

          @Override
          public void cancel() {
            throw new IllegalStateException("no cancellation");
          }
        },
        Runnable::run);
    inflow.begin();
    inflow.grantAll();
    inflow.addAll(Json.parse("[1,2]"));
    assertThat(signals).containsExactly("1", "2", "no way back");
    assertThat(inflow.isWanted()).isFalse();
  }
}
