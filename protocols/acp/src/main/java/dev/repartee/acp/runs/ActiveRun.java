package dev.repartee.acp.runs;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A run with its events. Thread-safe.
 *
 * <p>Only the threads of the agent call the followers. They hold the lock {@code telling}, so that
 * each follower receives the events in order. They do not hold the lock of this object, because a
 * follower may block.
 */
final class ActiveRun {
  private static final int MOST_EVENTS = 10_000;
  private static final long MOST_BYTES = 16 << 20;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

  /** A follower, and the index of its next event. */
  private static final class Place {
    private final Follower follower;
    private int next;

    Place(Follower follower, int next) {
      this.follower = follower;
      this.next = next;
    }
  }

  private final String agent;
  private final Conversation session;
  private final List<RunMessage> input;
  private final List<RunMessage> history;
  private final Budget.Share share;
  private final String createdAt = Instant.now().toString();
  private final CompletableFuture<@Nullable Void> cancelled = new CompletableFuture<>();

  /** Held while followers are called. */
  private final ReentrantLock telling = new ReentrantLock();

  // Guarded by this.

  private String status = Run.CREATED;
  private @Nullable AwaitRequest question;
  private @Nullable CompletableFuture<RunMessage> answer;
  private boolean isShown; // whether the question was sent to a connected client
  private long shown; // System.nanoTime() just before it was sent for the first time
  private final List<RunMessage> output = new ArrayList<>();
  private final List<MessagePart> parts = new ArrayList<>();
  private String messageStart = "";
  private @Nullable RunError error;
  private @Nullable String finishedAt;
  private final List<RunEvent> events = new ArrayList<>();

  private final List<Place> places = new ArrayList<>();

  /**
   * Creates a run.
   *
   * @param share the place of the run, with the memory of the input
   */
  ActiveRun(String agent, Conversation session, List<RunMessage> input, Budget.Share share) {
    this.agent = agent;
    this.session = session;
    this.input = List.copyOf(input);
    this.history = session.messages();
    this.share = share;
    events.add(RunEvent.of(run()));
  }

  /** Returns the estimated memory of the input and of the events. */
  long bytes() {
    return share.bytes();
  }

  /**
   * Returns the run without its output, for an event before the end. Earlier events contain the
   * output; with it, the memory of the events would grow with the square of their number.
   */
  private Run present() {
    Run run = run();
    return new Run(
        run.runId(),
        run.agentName(),
        run.sessionId(),
        run.status(),
        run.awaitRequest(),
        List.of(),
        run.error(),
        run.createdAt(),
        run.finishedAt());
  }

  String id() {
    return share.id();
  }

  String client() {
    return share.client();
  }

  Conversation session() {
    return session;
  }

  /** Releases the place of a run that never starts. */
  void release() {
    share.end();
  }

  List<RunMessage> input() {
    return input;
  }

  List<RunMessage> history() {
    return history;
  }

  synchronized Run run() {
    return new Run(
        share.id(),
        agent,
        Optional.of(session.id()),
        status,
        Optional.ofNullable(question),
        List.copyOf(output),
        Optional.ofNullable(error),
        createdAt,
        Optional.ofNullable(finishedAt));
  }

  synchronized List<RunEvent> events() {
    return List.copyOf(events);
  }

  /** Returns the run for a client. From now on a client may answer its question. */
  synchronized Run show() {
    Run state = run();
    show(state);
    return state;
  }

  /** Returns the events for a client. From now on a client may answer the question. */
  synchronized List<RunEvent> showEvents() {
    show(run());
    return events();
  }

  /**
   * Marks the question in a state of the run as shown. The question is marked before the message
   * with the question is sent, because the answer may arrive before the call that sends the message
   * returns.
   *
   * @return whether the mark is new; false if the run does not ask, or asks another question by now
   */
  private synchronized boolean show(Run state) {
    if (isShown || !awaits(state)) {
      return false;
    }
    isShown = true;
    shown = System.nanoTime();
    return true;
  }

  /** Removes the mark of {@link #show(Run)} after a message that did not reach its client. */
  private synchronized void hide(Run state) {
    if (awaits(state)) {
      isShown = false;
    }
  }

  /**
   * Compares by identity: two questions with the same content are different, and an answer belongs
   * to one of them.
   */
  @SuppressWarnings("ReferenceEquality")
  private boolean awaits(Run state) {
    return question != null && state.awaitRequest().orElse(null) == question;
  }

  /** Adds a follower that receives all events, from the first event on. */
  synchronized void follow(Follower follower) {
    places.add(new Place(follower, 0));
  }

  boolean isCancelled() {
    return cancelled.isDone();
  }

  void onCancel(Runnable action) {
    cancelled.thenRun(action);
  }

  // ---------------------------------------------------------------- the client

  /**
   * Resumes the run with the answer of the client.
   *
   * @param arrival the {@link System#nanoTime} when the message arrived. An answer counts only for
   *     a question that was sent to a client before that time; other answers repeat an earlier
   *     answer
   * @param follower receives the later events
   * @return the reason why the message does not answer a question, or null
   */
  @Nullable String resume(RunMessage message, long arrival, Follower follower) {
    CompletableFuture<RunMessage> waiting;
    synchronized (this) {
      if (!status.equals(Run.AWAITING) || answer == null) {
        return "the run is " + status + ", not awaiting";
      } else if (!isShown) {
        return "no client has received the current question; get the run to see the question";
      } else if (arrival - shown < 0) {
        return "the answer arrived before the current question; get the run to see the question";
      }
      waiting = answer;
      answer = null;
      question = null;
      status = Run.IN_PROGRESS;
      share.waits(false);
      // The limits are not checked: at most one event for each question.
      events.add(RunEvent.of(present()));
      places.add(new Place(follower, events.size() - 1));
    }
    waiting.complete(message);
    return null;
  }

  /**
   * Cancels the run. It has the status {@code cancelling} until its agent has ended.
   *
   * @return false if the run has ended
   */
  boolean cancel() {
    synchronized (this) {
      if (run().hasEnded()) {
        return false;
      }
      status = Run.CANCELLING;
      question = null;
      answer = null;
    }
    cancelled.complete(null);
    return true;
  }

  // ---------------------------------------------------------------- the agent

  /** Runs the agent, on its thread. */
  void run(RunAgent code) {
    RunError failure = null;
    try {
      begin(); // fails if the active runs use all of their memory
      if (!isCancelled()) {
        code.run(new RunContext(this));
        endMessage();
      }
    } catch (RpcException e) {
      failure = RunError.of("server_error", e.error().message());
    } catch (Throwable e) {
      failure = RunError.of("server_error", "the agent has failed");
    }
    List<Place> following;
    Run last;
    synchronized (this) {
      status = isCancelled() ? Run.CANCELLED : failure == null ? Run.COMPLETED : Run.FAILED;
      error = isCancelled() ? null : failure;
      finishedAt = Instant.now().toString();
      session.add(input, output);
      share.end();
      last = run();
      events.add(RunEvent.of(last));
      following = List.copyOf(places);
    }
    tell();
    pause(following, last);
  }

  private void begin() {
    synchronized (this) {
      if (status.equals(Run.CREATED)) {
        status = Run.IN_PROGRESS;
        add(RunEvent.of(present()));
      }
    }
    tell();
  }

  void part(MessagePart part) {
    synchronized (this) {
      if (parts.isEmpty()) {
        messageStart = Instant.now().toString();
        add(RunEvent.of("message.created", message(Optional.empty())));
      }
      add(RunEvent.of(part));
      parts.add(part);
    }
    tell();
  }

  private RunMessage message(Optional<String> end) {
    return new RunMessage("agent/" + agent, List.copyOf(parts), Optional.of(messageStart), end);
  }

  void endMessage() {
    synchronized (this) {
      if (parts.isEmpty()) {
        return;
      }
      RunMessage message = message(Optional.of(Instant.now().toString()));
      parts.clear();
      output.add(message);
      add(RunEvent.of("message.completed", message));
    }
    tell();
  }

  void generic(Json generic) {
    synchronized (this) {
      add(RunEvent.of(generic));
    }
    tell();
  }

  /** Asks the client. Returns null if {@code withdrawal} completes before the answer. */
  @Nullable RunMessage await(RunMessage message, CompletableFuture<?> withdrawal)
      throws InterruptedException {
    endMessage();
    CompletableFuture<RunMessage> waiting = new CompletableFuture<>();
    List<Place> following;
    Run asking;
    synchronized (this) {
      if (isCancelled()) {
        throw new RunCancelledException();
      } else if (answer != null) {
        throw new IllegalStateException(
            "the run awaits the answer to another question; ask one question at a time");
      }
      answer = waiting;
      question = AwaitRequest.of(message);
      status = Run.AWAITING;
      share.waits(true);
      isShown = false;
      asking = run();
      add(RunEvent.of(present()));
      following = List.copyOf(places); // before tell(): a fast answer adds another follower
    }
    tell();
    pause(following, asking);
    try {
      CompletableFuture.anyOf(waiting, cancelled, withdrawal)
          .get(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      cancel();
    } catch (ExecutionException e) {
      // The withdrawal has failed, which completes it, too. The other futures never fail.
    } finally {
      withdraw(waiting);
    }
    if (!waiting.isDone() && isCancelled()) {
      throw new RunCancelledException();
    }
    tell();
    return waiting.isDone() ? waiting.join() : null;
  }

  /** Withdraws a question without an answer, so that the run continues. */
  private synchronized void withdraw(CompletableFuture<RunMessage> waiting) {
    if (answer == waiting) {
      answer = null;
      question = null;
      status = Run.IN_PROGRESS;
      share.waits(false);
      events.add(RunEvent.of(present())); // at most one event for each question, as in resume
    }
  }

  // ---------------------------------------------------------------- events

  private synchronized void add(RunEvent event) {
    long size = Budget.OBJECT
        + event.part().map(Budget::size).orElse(0L)
        + event.run().flatMap(Run::awaitRequest).map(ActiveRun::size).orElse(0L)
        + event.generic().map(generic -> (long) generic.length()).orElse(0L);
    if (events.size() >= MOST_EVENTS || share.bytes() + size > MOST_BYTES) {
      throw new IllegalStateException("a run has at most " + MOST_EVENTS + " events and "
          + MOST_BYTES + " characters; send larger parts, or links");
    } else if (!share.take(size)) {
      throw new IllegalStateException("the active runs of the server have more than " + share.most()
          + " characters, or those of the client more than half; send links");
    }
    events.add(event);
  }

  private static long size(AwaitRequest question) {
    return Budget.size(List.of(question.message()));
  }

  /** Passes the events to all followers. */
  private void tell() {
    telling.lock();
    try {
      tellAll();
    } finally {
      telling.unlock();
    }
  }

  private void tellAll() {
    List<Place> all;
    synchronized (this) {
      all = List.copyOf(places);
    }
    for (Place each : all) {
      boolean follows = true;
      for (RunEvent event = next(each); event != null && follows; event = next(each)) {
        follows = pass(event, each.follower);
      }
      if (!follows) {
        synchronized (this) {
          places.remove(each);
        }
      }
    }
  }

  private boolean pass(RunEvent event, Follower follower) {
    Run state = event.run().orElse(null);
    boolean shows = state != null && follower.sendsEvents() && show(state);
    boolean follows = follower.event(event);
    if (state != null && shows && !follows) {
      hide(state);
    }
    return follows;
  }

  private synchronized @Nullable RunEvent next(Place place) {
    return place.next < events.size() ? events.get(place.next++) : null;
  }

  /** Ends these followers. */
  private void pause(List<Place> following, Run now) {
    synchronized (this) {
      places.removeAll(following);
    }
    for (Place each : following) {
      if (each.follower.sendsRun()) {
        show(now);
      }
      each.follower.paused(now);
    }
  }
}
