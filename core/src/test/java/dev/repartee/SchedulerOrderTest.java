package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.message.Id;
import dev.repartee.message.Message;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The order in which the messages of one connection start, and their responses. */
class SchedulerOrderTest {
  private static final ChannelInfo INFO = new ChannelInfo("test", "", "message");
  private static final Pattern ID = Pattern.compile("\"id\":([0-9]+)\\}");

  /** Collects the responses. */
  private static final class Answers implements FrameSink {
    final List<Integer> ids = new ArrayList<>();

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(Integer.MAX_VALUE);
    }

    @Override
    public void commit(OutboundFrame frame) {
      Matcher matcher = ID.matcher(frame.toString());
      while (matcher.find()) {
        ids.add(Integer.valueOf(matcher.group(1)));
      }
    }
  }

  // ---------------------------------------------------------------- the check without a lock

  private static final int CHANGES = 300;

  /**
   * One notification runs and another one is queued. While a worker ends the first and so starts
   * the second, the reader must never see an empty queue: it would run an inline request before the
   * second notification.
   */
  @Test
  void theReaderFindsNoGapBetweenTwoNotifications() throws InterruptedException {
    ServerContext context = new ServerContext(Service.NONE, Options.DEFAULT);
    Scheduler scheduler = new Scheduler(context, 1 << 20, task -> {}, new Answers(), () -> {});
    AtomicReference<OwnedExchange> ending = new AtomicReference<>();
    OwnedExchange none = OwnedExchanges.notification();
    Thread worker = new Thread(() -> {
      for (OwnedExchange x = ending.get(); x != none; x = ending.get()) {
        if (x == null) {
          Thread.onSpinWait();
        } else {
          scheduler.finishOnWorker(x);
          ending.set(null);
        }
      }
    });
    worker.start();
    int gaps = 0;
    try {
      OwnedExchange running = OwnedExchanges.notification();
      scheduler.admit(running);
      for (int i = 0; i < CHANGES; i++) {
        OwnedExchange next = OwnedExchanges.notification();
        scheduler.admit(next);
        ending.set(running);
        while (ending.get() != null) {
          gaps += scheduler.isClear() ? 1 : 0;
        }
        running = next;
      }
    } finally {
      ending.set(none);
      worker.join();
    }
    assertThat(gaps).isZero();
  }

  // ---------------------------------------------------------------- all sequences of events

  /** The possible events. */
  private enum Event {
    NOTIFICATION,
    REQUEST,
    INLINE,
    BATCH,
    FIRST_ENDS,
    LAST_ENDS,
    FIRST_IS_CANCELLED,
    LAST_IS_CANCELLED
  }

  private static final Event[] EVENTS = Event.values();
  private static final int LENGTH = 5;
  private static final int RUNNING_CALLS = 2;

  /** A received message. */
  private static final class Message {
    final int number;
    final boolean ordered;
    boolean isRequest = true;
    boolean started;

    /** Cancelled or refused, so that it never starts. */
    boolean cancelled;

    boolean ended;
    final CompletableFuture<Integer> stage = new CompletableFuture<>();

    Message(int number, boolean ordered) {
      this.number = number;
      this.ordered = ordered;
    }

    boolean isOver() {
      return ended || !started && cancelled;
    }

    @Override
    public String toString() {
      return number + (ordered ? "o" : "c") + (started ? "s" : "") + (ended ? "e" : "");
    }
  }

  /**
   * A connection on which one thread plays the reader and all workers, so that every run is
   * repeatable.
   */
  private static final class World {
    final Answers answers = new Answers();
    final Map<Integer, Message> messages = new TreeMap<>();
    final List<String> wrong = new ArrayList<>();
    final Queue<Runnable> workers = new ArrayDeque<>();
    final Responder responder;
    int owed;
    int idle;

    World(ServerContext context) {
      this.responder = new Responder(
          new Connection(context, answers, INFO, Attributes.NONE, workers::add, () -> {}));
    }

    CompletableFuture<Integer> start(Call call) {
      int number = Objects.requireNonNull(call.params()).elements().get(0).as(int.class);
      Message message = messages.get(number);
      if (message.started || message.cancelled) {
        wrong.add(message + " must not start");
      }
      for (Message earlier : messages.values()) {
        if (earlier.number < number && earlier.ordered && !earlier.isOver()) {
          wrong.add(message + " starts before " + earlier + " has ended");
        }
      }
      message.started = true;
      return message.stage;
    }

    private String message(String method, boolean request, boolean ordered) {
      int number = messages.size() + 1;
      Message message = new Message(number, ordered);
      message.isRequest = request;
      messages.put(number, message);
      owed += request ? 1 : 0;
      return """
          {"jsonrpc":"2.0","method":"%s","params":[%s]%s}\
          """.formatted(method, number, request ? ",\"id\":" + number : "");
    }

    private void arrives(String text) {
      byte[] frame = text.getBytes(UTF_8);
      responder.serveAlone(frame, 0, frame.length);
    }

    /**
     * Lets the events happen, up to the first one that is not possible. Another sequence has its
     * remaining events in that place.
     */
    boolean allHappen(List<Event> events) {
      for (Event event : events) {
        if (!isPossible(event)) {
          return false;
        }
        happens(event);
      }
      return true;
    }

    /** Returns whether the event is possible now and not the same as another event. */
    boolean isPossible(Event event) {
      return switch (event) {
        case FIRST_ENDS -> !running().isEmpty();
        case LAST_ENDS -> running().size() > 1;
        case FIRST_IS_CANCELLED -> !waiting().isEmpty();
        case LAST_IS_CANCELLED -> waiting().size() > 1;
        default -> true;
      };
    }

    void happens(Event event) {
      switch (event) {
        case NOTIFICATION -> arrives(message("m", false, true));
        case REQUEST -> arrives(message("m", true, false));
        case INLINE ->
          arrives(message("inline", true, !responder.connection().scheduler().isClear()));
        case BATCH ->
          arrives("[" + message("m", true, false) + "," + message("m", false, true) + ","
              + message("m", true, false) + "]");
        case FIRST_ENDS -> ends(running(), 0);
        case LAST_ENDS -> ends(running(), running().size() - 1);
        case FIRST_IS_CANCELLED -> cancelled(waiting(), 0);
        default -> cancelled(waiting(), waiting().size() - 1);
      }
      work();
      for (Message m : messages.values()) {
        m.cancelled |= !m.started && answers.ids.contains(m.number);
      }
      check();
    }

    private List<Message> running() {
      return messages.values().stream().filter(m -> m.started && !m.ended).toList();
    }

    private List<Message> waiting() {
      return messages.values().stream()
          .filter(m -> m.isRequest && !m.started && !m.cancelled)
          .toList();
    }

    private void ends(List<Message> running, int at) {
      if (!running.isEmpty()) {
        running.get(at).ended = true;
        running.get(at).stage.complete(running.get(at).number);
      }
    }

    private void cancelled(List<Message> waiting, int at) {
      if (!waiting.isEmpty()) {
        waiting.get(at).cancelled = true;
        responder.connection().scheduler().cancel(Id.of(waiting.get(at).number));
      }
    }

    private void work() {
      for (Runnable next = workers.poll(); next != null; next = workers.poll()) {
        next.run();
      }
    }

    private void check() {
      int running = running().size();
      boolean held = false;
      boolean orderedRuns = false;
      for (Message m : messages.values()) {
        if (!m.isOver()) {
          boolean mayRun = !held && (m.ordered || running < RUNNING_CALLS || m.started);
          require(m.started == mayRun, m.started ? "started too early: " : "not started: ", m);
          held |= m.ordered || !m.started;
          orderedRuns |= m.ordered;
        }
      }
      require(
          responder.connection().scheduler().running() == running, "counted as running: ", running);
      require(
          !orderedRuns || !responder.connection().scheduler().isClear(), "clear beside: ", running);
      require(Set.copyOf(answers.ids).size() == answers.ids.size(), "twice: ", answers.ids);
      require(wrong.isEmpty(), "", wrong);
    }

    private void require(boolean condition, String otherwise, Object what) {
      if (!condition) {
        throw new AssertionError(otherwise + what + " of " + messages.values());
      }
    }

    /** Ends everything that runs, and checks that all requests are answered and nothing is left. */
    void ends() {
      responder.connection().scheduler().whenIdle(() -> idle++);
      while (!running().isEmpty()) {
        require(idle == 0, "idle beside: ", running());
        happens(Event.FIRST_ENDS);
      }
      assertThat(idle).isEqualTo(1);
      assertThat(answers.ids).hasSize(owed);
      assertThat(responder.connection().scheduler().waiting()).isZero();
      assertThat(responder.connection().scheduler().isClear()).isTrue();
    }
  }

  private World world;

  /** The inline method. */
  public final class Inline {
    @Rpc(lane = Lane.INLINE)
    public CompletableFuture<Integer> inline(int number, Call call) {
      return world.start(call);
    }
  }

  private final ServerContext context = new ServerContext(
      Service.builder()
          .method("m", call -> world.start(call))
          .build()
          .and(Service.of(new Inline())),
      Options.builder().limits(limits -> limits.runningCalls(RUNNING_CALLS)).build());

  @Test
  void inEverySequenceOfEventsMessagesStartInOrderAndEachRequestIsAnsweredOnce() {
    int sequences = (int) Math.pow(EVENTS.length, LENGTH);
    for (int s = 0; s < sequences; s++) {
      List<Event> sequence = sequence(s);
      world = new World(context);
      try {
        if (world.allHappen(sequence)) {
          world.ends();
        }
      } catch (AssertionError e) {
        throw new AssertionError(sequence + ": " + e.getMessage(), e);
      }
    }
  }

  /** Returns the events for the digits of a number, in the base of the number of events. */
  private static List<Event> sequence(int number) {
    List<Event> sequence = new ArrayList<>();
    for (int i = 0, rest = number; i < LENGTH; i++, rest /= EVENTS.length) {
      sequence.add(EVENTS[rest % EVENTS.length]);
    }
    return sequence;
  }
}
