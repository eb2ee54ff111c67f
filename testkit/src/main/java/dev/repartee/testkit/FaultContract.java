package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.repartee.Batch;
import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.DisconnectedException;
import dev.repartee.Endpoint;
import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
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
 * What a client and a server of every transport promise while the network between them does its worst:
 * every call ends, once, with its own answer or an error that tells what happened; nothing is left
 * behind; and others are served as if nothing were.
 */
public abstract class FaultContract {
  /** For what has to come, and ends the test if it does not. */
  private static final long PATIENCE_SECONDS = 20;

  /** Of calls that the end of the connection has to end, since the test does not wait that long. */
  private static final Duration LONG = Duration.ofSeconds(3 * PATIENCE_SECONDS);

  /** Of calls whose answer may be lost with nobody knowing. */
  private static final Duration SHORT = Duration.ofMillis(250);

  /** Sizes of what calls carry: less and more than a packet, a read, a socket's buffer. */
  private static final int[] SIZES = {0, 1, 100, 3_000, 20_000, 300_000};

  private static final Set<Class<?>> WARM = ConcurrentHashMap.newKeySet();

  private final Work work = new Work();
  private final CountDownLatch released = new CountDownLatch(1);
  private int socketsBefore;

  @SuppressWarnings("NullAway.Init")
  private Server server;

  @SuppressWarnings("NullAway.Init")
  private Neighbour neighbour;

  @SuppressWarnings("NullAway.Init")
  private FaultProxy proxy;

  @SuppressWarnings("NullAway.Init")
  private Peer client;

  /** For subclasses. */
  protected FaultContract() {}

  /** A place to listen that nobody else uses. */
  protected abstract Endpoint endpoint() throws IOException;

  /** Connects to the server by that proxy. */
  protected Peer connect(FaultProxy proxy, Service service) throws IOException {
    return Repartee.connect(proxy.endpoint().toString(), service, Options.DEFAULT);
  }

  /**
   * Whether the server can call back: then a client's peer ends with its connection, else it connects
   * again by itself.
   */
  protected boolean isDuplex() {
    return true;
  }

  /**
   * Whether a peer that is gone can be told from one that has said all it will, but still reads: what
   * runs for the one is cancelled, what runs for the other is answered.
   */
  protected boolean hasResets() {
    return true;
  }

  /** What is called, and how often each piece of it was done. */
  public static final class Work extends ExampleMethods {
    private final Map<Integer, Integer> done = new ConcurrentHashMap<>();
    private final CountDownLatch lingering = new CountDownLatch(1);
    private final CountDownLatch cancelled = new CountDownLatch(1);

    private Work() {}

    /** Takes note of the number, and hands it back with how much came with it. */
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
      close(); // what a process opens once and keeps is open from now on
    }
    socketsBefore = OpenSockets.count();
    open();
  }

  private void open() throws Exception {
    server = Repartee.listen(endpoint().toString(), work.service());
    neighbour = Neighbour.at(server.endpoint().toString());
    proxy = FaultProxy.to(server.endpoint());
    client = connect(proxy, work.service());
    assertThat(client.call("subtract", int.class, 42, 23)).isEqualTo(19);
  }

  private void close() throws Exception {
    neighbour.awaitServed(3);
    neighbour.close();
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
  void theNeighbourWasServedAndNothingIsLeft() throws Exception {
    released.countDown();
    close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().matches("fault-.*|neighbour|repartee-(exec|pipe|stdio)-.*")) {
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

  /** A call that was made, and what has to be answered. */
  private record Made(int number, String answer, CallFuture<String> future) {}

  /** Calls of all sizes at once, alone and in a batch; those that cannot leave any more are none. */
  private List<Made> traffic(Peer peer, Duration timeout) {
    List<Made> all = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      for (int size : SIZES) {
        make(
            all, size, load -> peer.request("work").args(load).timeout(timeout).send(String.class));
      }
      Batch batch = peer.batch();
      for (int size : new int[] {5, 500}) {
        make(
            all,
            size,
            load -> batch.call(peer.request("work").args(load).timeout(timeout), String.class));
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

  /** Does it, or is told why that cannot be. */
  private static void told(Runnable sending) {
    try {
      sending.run();
    } catch (DisconnectedException e) {
      assertTells(e);
    }
  }

  /** That every call ends, with its own answer or an error that tells; how many were answered. */
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

  /** What happened, and with whom. */
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

  // ---------------------------------------------------------------- faults that harm nobody

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

  /** The server's end of the client's connection. */
  private Peer back() {
    List<Peer> others = new ArrayList<>();
    for (Peer peer : server.peers()) {
      // The neighbour offers nothing.
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
          return status.equals("{\"running\":0,\"waiting\":0,\"pending\":0}") ? 0 : 1;
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

  // ---------------------------------------------------------------- faults that end it

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

  /** The network is well again: who connects anew is served. */
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

  // ---------------------------------------------------------------- faults that change what is
  // said

  static Stream<Faults> confusing() {
    return Stream.<Function<Long, Fault>>of(Fault::corrupt, Fault::duplicate)
        .flatMap(FaultContract::eachWay);
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
