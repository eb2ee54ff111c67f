package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ClockOptions;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.transport.http.HttpReply;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a store that blocks, such as a store in a database, and clients that do not read. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockingTest {
  private final CountDownLatch blocked = new CountDownLatch(1);
  private final CountDownLatch free = new CountDownLatch(1);

  /** Blocks while it saves some tasks. */
  private final class Blocking implements TaskStore {
    private final TaskStore tasks = new MemoryTaskStore();
    private final Predicate<Task> blocks;

    Blocking(Predicate<Task> blocks) {
      this.blocks = blocks;
    }

    @Override
    public @Nullable StoredTask find(String id) {
      return tasks.find(id);
    }

    @Override
    public boolean save(StoredTask changed) {
      if (blocks.test(changed.task())) {
        blocked.countDown();
        try {
          free.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return tasks.save(changed);
    }

    @Override
    public ListTasksResponse list(Query query) {
      return tasks.list(query);
    }
  }

  @AfterEach
  void free() {
    free.countDown();
  }

  private static Turns turns(TaskStore store) {
    Settings settings = new Settings(
        TestAgent.card().build(),
        new TestAgent(),
        null,
        null,
        null,
        store,
        null,
        Duration.ZERO,
        Options.DEFAULT);
    return new Turns(settings, new LiveTasks(store));
  }

  /** Returns a turn in the middle of saving its new task. */
  private Turn saving() throws InterruptedException {
    Turn turn = turns(new Blocking(task -> true))
        .begin(
            new SendMessageRequest(Message.user("work")),
            ProtocolVersion.V1_0,
            Client.of(null, ""));
    new Thread(turn::submit).start();
    blocked.await();
    return turn;
  }

  /** A client that does not read. */
  private static final class Silent implements HttpReply {
    private final List<Long> waits;

    Silent(List<Long> waits) {
      this.waits = waits;
    }

    @Override
    public boolean takesEvents() {
      return true;
    }

    @Override
    public boolean answer(int status, Map<String, String> headers, byte[] body) {
      return false;
    }

    @Override
    public boolean stream(Map<String, String> headers) {
      return true;
    }

    @Override
    public void send(Event event) {}

    @Override
    public boolean awaitRoom(long time, TimeUnit unit) {
      waits.add(unit.toNanos(time));
      LockSupport.parkNanos(1_000_000);
      return false;
    }

    @Override
    public void end() {}

    @Override
    public void onGone(Runnable action) {}
  }

  private static Subscriber silent(List<Long> waits) {
    A2aJson codec = A2aJson.strict(ProtocolVersion.V1_0);
    StreamReply reply = new StreamReply(new Silent(waits), 1 << 20);
    return new Subscriber(codec, Id.of(1), reply, false, (task, status) -> {});
  }

  @Test
  void aClientThatLeavesDuringASaveDoesNotStopTheReader() throws Exception {
    Turn turn = saving();
    turn.clientLeft();
    free.countDown();
    assertThat(turn.first().get(60, TimeUnit.SECONDS)).isInstanceOf(Task.class);
  }

  @Test
  void aStreamEndsWhileItsTaskIsSaved() throws Exception {
    LiveTask live = saving().live();
    CountDownLatch removed = new CountDownLatch(1);
    Thread reader = new Thread(() -> {
      live.remove(silent(new ArrayList<>()));
      removed.countDown();
    });
    reader.start();
    assertThat(removed.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anAgentThatExceedsItsTimeDoesNotDelayOtherTimeLimits() throws Exception {
    FakeClock clock = new FakeClock();
    Options options = ClockOptions.builder(clock)
        .limits(limits -> limits.handlerTimeout(Duration.ofSeconds(1)))
        .build();
    A2aServer agent = new TestAgent()
        .server()
        .store(new Blocking(task -> task.state() == TaskState.FAILED))
        .options(options)
        .build();
    try (Server server = agent.listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0");
        ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Peer peer = Repartee.connect("tcp://127.0.0.1:" + mute.getLocalPort(), options)) {
      Task task = (Task) client.send(new SendMessageRequest(Message.user("wait"))
          .withConfiguration(new SendMessageConfiguration().withReturnImmediately(true)));
      CallFuture<Json> call = peer.request("x").timeout(Duration.ofSeconds(2)).send(Json.class);
      clock.advance(Duration.ofSeconds(1));
      blocked.await();
      clock.advance(Duration.ofSeconds(1));
      assertThatThrownBy(call::await).isInstanceOf(CallTimeoutException.class);
      free.countDown();
      while (client.task(task.id()).state() != TaskState.FAILED) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void clientsThatDoNotReadShareOneTimeLimit() {
    TaskStore store = new MemoryTaskStore();
    LiveTask live = new LiveTask("t", store);
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      live.add(silent(waits));
    }
    turns(store).awaitRoom(live);
    assertThat(waits)
        .hasSize(3)
        .isSortedAccordingTo(Comparator.reverseOrder())
        .doesNotHaveDuplicates();
    assertThat(live.subscribers()).isEmpty();
  }

  @Test
  void aMessageWaitsUntilTheAgentThatAskedForItReturns() throws Exception {
    Turns turns = turns(new MemoryTaskStore());
    Turn asking = turns.begin(
        new SendMessageRequest(Message.user("ask")), ProtocolVersion.V1_0, Client.of(null, ""));
    asking.requireInput("Which colour?");
    Message answer = Message.user("blue").continuing(asking.task());
    FutureTask<Turn> beginning = new FutureTask<>(() ->
        turns.begin(new SendMessageRequest(answer), ProtocolVersion.V1_0, Client.of(null, "")));
    Thread worker = new Thread(beginning);
    worker.start();
    while (worker.isAlive() && worker.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    turns.drop(asking);
    assertThat(beginning.get().task().history()).hasSize(2);
  }

  @Test
  void aServerClosedDuringATurnEndsTheStreamsAfterIt() {
    Turns turns = turns(new MemoryTaskStore());
    Turn asking = turns.begin(
        new SendMessageRequest(Message.user("ask")), ProtocolVersion.V1_0, Client.of(null, ""));
    asking.requireInput("Which colour?");
    Subscriber waiting = silent(new ArrayList<>());
    asking.live().add(waiting);

    asking.live().closing();
    assertThat(waiting.result()).isNotDone();
    turns.drop(asking);

    assertThat(waiting.result()).isCompletedExceptionally();
  }
}
