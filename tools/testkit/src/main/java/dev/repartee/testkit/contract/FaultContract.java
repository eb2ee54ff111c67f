package dev.repartee.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.repartee.Batch;
import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.testkit.attack.WellBehavedClient;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.testkit.fault.Fault;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.testkit.fault.Faults;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract of the client and the server of every transport under network faults. Every call
 * ends exactly once, with its own result or with an error that names the cause. No resources are
 * left behind. Other clients are served without disturbance.
 */
public abstract class FaultContract {
  /** The time limit for expected events; the test fails after it. */
  private static final long PATIENCE_SECONDS = 20;

  /** The time-out of calls that must be ended by the end of the connection, not by the time-out. */
  private static final Duration LONG = Duration.ofSeconds(3 * PATIENCE_SECONDS);

  /** The time-out of calls whose response may be lost without a report. */
  private static final Duration SHORT = Duration.ofMillis(250);

  /** Sizes of arguments: below and above the size of a packet, a read and a socket buffer. */
  private static final int[] SIZES = {0, 1, 100, 3_000, 20_000, 300_000};

  private static final Set<Class<?>> WARM = ConcurrentHashMap.newKeySet();

  private final Work work = new Work();
  private final CountDownLatch released = new CountDownLatch(1);
  private int socketsBefore;

  @SuppressWarnings("NullAway.Init")
  private Server server;

  @SuppressWarnings("NullAway.Init")
  private WellBehavedClient otherClient;

  @SuppressWarnings("NullAway.Init")
  private FaultProxy proxy;

  @SuppressWarnings("NullAway.Init")
  private Peer client;

  /** Creates the tests. */
  protected FaultContract() {}

  /** Returns an unused endpoint to listen on. */
  protected abstract Endpoint endpoint() throws IOException;

  /** Connects to the server through the proxy. */
  protected Peer connect(FaultProxy proxy, Service service) throws IOException {
    return Repartee.connect(proxy.endpoint(), service, Options.DEFAULT);
  }

  /**
   * Returns whether the server can call the client. If so, the client's peer ends with its
   * connection; otherwise it connects again by itself.
   */
  protected boolean isDuplex() {
    return true;
  }

  /**
   * Returns whether the server can distinguish a disconnected client from a client that has ended
   * its output and still reads. Calls of the former are cancelled, calls of the latter are
   * answered.
   */
  protected boolean hasResets() {
    return true;
  }

  /** The called methods, which count how often each numbered call was run. */
  public static final class Work extends ExampleMethods {
    private final Map<Integer, Integer> done = new ConcurrentHashMap<>();
    private final CountDownLatch lingering = new CountDownLatch(1);
    private final CountDownLatch cancelled = new CountDownLatch(1);

    private Work() {}

    /** Counts a run of the numbered call, and returns the number and the length of the load. */
    @Rpc
    public String work(int number, String load) {
      done.merge(number, 1, Integer::sum);
      return answer(number, load.length());
    }

    static String answer(int number, int load) {
      return number + ":" + load + ":" + "y".repeat(load);
    }

    /** Runs until it is cancelled. */
    @Rpc
    public void linger(Call call) throws InterruptedException {
      call.cancellation().onCancel(cancelled::countDown);
      lingering.countDown();
      cancelled.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  @BeforeEach
  void connect() throws Exception {
    if (WARM.add(getClass())) {
      open();
      close(); // the process now has the files open that it opens only once
    }
    socketsBefore = OpenSockets.count();
    open();
  }

  private void open() throws Exception {
    server = Repartee.listen(endpoint().toString(), work.service());
    otherClient = WellBehavedClient.at(server.endpoint().toString());
    proxy = FaultProxy.to(server.endpoint());
    client = connect(proxy, work.service());
    assertThat(client.call("subtract", int.class, 42, 23)).isEqualTo(19);
  }

  private void close() throws Exception {
    otherClient.awaitServed(3);
    otherClient.close();
    client.close();
    proxy.close();
    for (Peer peer : server.peers()) {
      try {
        peer.closed().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        assertThat(e.getCause()).isInstanceOf(IOException.class);
      }
    }
    server.close();
  }

  @AfterEach
  void otherClientsWereServedAndNothingIsLeft() throws Exception {
    released.countDown();
    close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().matches("fault-.*|well-behaved-client|repartee-(exec|pipe|stdio)-.*")) {
        thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        assertThat(thread.isAlive()).as(thread.getName() + " runs").isFalse();
      }
    }
    await("open sockets", OpenSockets::count, socketsBefore);
  }

  private interface Count {
    int now() throws Exception;
  }

  private static void await(String what, Count count, int most) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (count.now() > most && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    assertThat(count.now()).as(what).isLessThanOrEqualTo(most);
  }

  // ---------------------------------------------------------------- traffic

  /** A call that was made, and its expected result. */
  private record Made(int number, String answer, CallFuture<String> future) {}

  /**
   * Makes concurrent calls of all sizes, alone and in a batch; leaves out calls that cannot be
   * sent.
   */
  private List<Made> traffic(Peer peer, Duration timeout) {
    List<Made> all = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (int size : SIZES) {
        make(
            all, size, load -> peer.request("work").args(load).timeout(timeout).send(String.class));
      }
      Batch batch = peer.batch();
      for (int size : new int[] {5, 500}) {
        make(
            all,
            size,
            load ->
                batch.callAsync(peer.request("work").args(load).timeout(timeout), String.class));
      }
      told(batch::send);
    }
    return all;
  }

  private static void make(
      List<Made> all, int size, Function<Object[], CallFuture<String>> sending) {
    int number = all.size();
    told(() -> {
      CallFuture<String> future = sending.apply(new Object[] {number, "x".repeat(size)});
      all.add(new Made(number, Work.answer(number, size), future));
    });
  }

  /** Runs an action that may fail, and checks that the failure names its cause. */
  private static void told(Runnable sending) {
    try {
      sending.run();
    } catch (DisconnectedException e) {
      assertTells(e);
    }
  }

  /**
   * Asserts that every call ends with its own result or with an error that names the cause. Returns
   * the number of results.
   */
  private int ending(List<Made> all) throws InterruptedException {
    int answered = 0;
    for (Made made : all) {
      try {
        assertThat(made.future().get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(made.answer());
        answered++;
      } catch (ExecutionException e) {
        assertTells(Objects.requireNonNullElse(e.getCause(), e));
      } catch (TimeoutException e) {
        fail("call %d of %d did not end", made.number(), all.size());
      }
    }
    return answered;
  }

  /** Asserts that a failure names the event and the peer. */
  private static void assertTells(Throwable failure) {
    assertThat(failure)
        .isInstanceOfAny(
            DisconnectedException.class,
            CallTimeoutException.class,
            ProtocolException.class,
            JsonException.class);
    assertThat(failure.getMessage())
        .as("%s", failure)
        .matches("(?s).*(/|127.0.0.1:[0-9]+|bash).*")
        .doesNotContainPattern(": null|Exception");
  }

  private void assertDoneAtMost(int times) {
    assertThat(work.done.values()).allMatch(count -> count <= times, "at most " + times);
  }

  // ---------------------------------------------------------------- harmless faults

  static Stream<Faults> harmless() {
    Duration moment = Duration.ofMillis(1);
    return Stream.of(
            Fault.delay(moment),
            Fault.throttle(8 << 10, moment),
            Fault.split(1 << 10),
            Fault.coalesce(moment))
        .map(Faults::both);
  }

  @ParameterizedTest
  @MethodSource("harmless")
  void everyCallIsAnsweredOnceHoweverItsBytesCome(Faults faults) throws Exception {
    proxy.strike(faults);
    List<Made> all = traffic(client, LONG);
    assertThat(ending(all)).isEqualTo(all.size());
    assertThat(work.done).hasSize(all.size());
    assertDoneAtMost(1);
    if (isDuplex()) {
      work.done.clear();
      Peer back = back();
      List<Made> others = traffic(back, LONG);
      assertThat(ending(others)).isEqualTo(others.size());
      assertDoneAtMost(1);
      assertNothingPends(client);
      assertNothingPends(back);
    }
  }

  /** Returns the server's peer for the connection of the client. */
  private Peer back() {
    List<Peer> others = new ArrayList<>();
    for (Peer peer : server.peers()) {
      // The other client is a connection too, but serves no methods.
      if (peer.request("rpc.discover").call(Json.class).toString().contains("work")) {
        others.add(peer);
      }
    }
    assertThat(others).hasSize(1);
    return others.get(0);
  }

  private static void assertNothingPends(Peer peer) throws Exception {
    await(
        "what runs or waits",
        () -> {
          String status = peer.call("rpc.status", Json.class).toString();
          return status.startsWith("{\"running\":0,\"waiting\":0,\"pending\":0") ? 0 : 1;
        },
        0);
  }

  @Test
  void callsThatAreHeldUpAreAnsweredOnceTheyGetThrough() throws Exception {
    proxy.strike(Faults.both(Fault.hold(released)));
    List<Made> all = traffic(client, LONG);
    assertThat(all).noneMatch(made -> made.future().isDone());
    released.countDown();
    assertThat(ending(all)).isEqualTo(all.size());
    assertDoneAtMost(1);
  }

  @Test
  void aCallThatIsHeldUpEndsWithItsTimeAndItsLateAnswerHarmsNobody() throws Exception {
    proxy.strike(Faults.toClient(Fault.hold(released)));
    assertThatThrownBy(
            () -> client.request("subtract").args(1, 1).timeout(SHORT).call(int.class))
        .isInstanceOf(CallTimeoutException.class)
        .satisfies(FaultContract::assertTells);
    released.countDown();
    for (int i = 0; i < 10; i++) {
      assertThat(client.call("subtract", int.class, i, 1)).isEqualTo(i - 1);
    }
  }

  // ---------------------------------------------------------------- faults that end the connection

  private static Stream<Faults> eachWay(Function<Long, Fault> fault) {
    return Stream.of(0L, 17L, 2_000L, 50_000L)
        .map(fault)
        .flatMap(one -> Stream.of(Faults.toServer(one), Faults.toClient(one)));
  }

  static Stream<Faults> deadly() {
    return Stream.<Function<Long, Fault>>of(Fault::cut, Fault::reset, Fault::halfClose)
        .flatMap(FaultContract::eachWay);
  }

  @ParameterizedTest
  @MethodSource("deadly")
  void everyCallEndsWithTheConnectionAndTellsWhy(Faults faults) throws Exception {
    proxy.strike(faults);
    List<Made> all = traffic(client, LONG);
    int answered = ending(all);
    assertDoneAtMost(1);
    assertThat(work.done.size()).isGreaterThanOrEqualTo(answered);
    if (isDuplex()) {
      assertThatThrownBy(() -> client.call("subtract", int.class, 1, 1))
          .isInstanceOf(DisconnectedException.class)
          .satisfies(FaultContract::assertTells);
    }
    assertServedAgain();
    if (!isDuplex()) {
      assertThat(client.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }

  /** Removes the faults, and asserts that a new connection is served. */
  private void assertServedAgain() throws IOException {
    proxy.strike(Faults.NONE);
    try (Peer again = connect(proxy, work.service())) {
      assertThat(again.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }

  @Test
  void whatRunsForAClientThatIsCutOffIsCancelled() throws Exception {
    CallFuture<Void> call = client.callAsync("linger", Void.class);
    assertThat(work.lingering.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    proxy.reset();
    assertThatThrownBy(() -> call.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(DisconnectedException.class)
        .satisfies(FaultContract::assertTells);
    assertLingeringEnds();
    assertServedAgain();
  }

  @Test
  void callsOfTheServerEndWithTheConnectionToo() throws Exception {
    if (isDuplex()) {
      CallFuture<Void> call = back().callAsync("linger", Void.class);
      assertThat(work.lingering.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      proxy.reset();
      assertThatThrownBy(() -> call.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(DisconnectedException.class);
      assertLingeringEnds();
    }
  }

  private void assertLingeringEnds() throws InterruptedException {
    if (hasResets()) {
      assertThat(work.cancelled.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    work.cancelled.countDown();
  }

  // ---------------------------------------------------------------- faults that change bytes

  /**
   * Returns faults that the receiver can detect. Only the first piece is duplicated, because it
   * starts with a frame: a later piece may end one frame and begin another, and two such pieces
   * can form a valid message with another meaning.
   */
  static Stream<Faults> confusing() {
    Fault duplicate = Fault.duplicate(0);
    return Stream.concat(
        eachWay(Fault::corrupt), Stream.of(Faults.toServer(duplicate), Faults.toClient(duplicate)));
  }

  @ParameterizedTest
  @MethodSource("confusing")
  void everyCallEndsWithItsOwnAnswerOrAnErrorWhateverComes(Faults faults) throws Exception {
    proxy.strike(faults);
    List<Made> all = traffic(client, SHORT);
    ending(all);
    assertDoneAtMost(faults.toServer().toString().startsWith("duplicate") ? 2 : 1);
    assertServedAgain();
  }
}
