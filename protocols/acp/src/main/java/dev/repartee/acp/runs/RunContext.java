package dev.repartee.acp.runs;

import dev.repartee.json.Json;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The run of an agent: reads the input, and sends the output. Thread-safe. */
public final class RunContext {
  private final ActiveRun run;

  RunContext(ActiveRun run) {
    this.run = run;
  }

  /** Returns the messages of the request. */
  public List<RunMessage> input() {
    return run.input();
  }

  /** Returns the earlier messages of the session, up to 1,000. */
  public List<RunMessage> history() {
    return run.history();
  }

  /** Returns the plain text of the input. */
  public String text() {
    StringBuilder text = new StringBuilder();
    input().forEach(each -> text.append(text.isEmpty() ? "" : "\n").append(each.text()));
    return text.toString();
  }

  /**
   * Sends a part of a message with plain text; see {@link #send(MessagePart)}.
   *
   * @throws RunCancelledException if the run is cancelled
   */
  public void send(String text) {
    send(MessagePart.text(text));
  }

  /**
   * Sends a part of a message. The parts belong to one message until {@link #endMessage}, {@link
   * #await} or the end of the run. Blocks while a client of the run does not read.
   *
   * @throws RunCancelledException if the run is cancelled
   * @throws IllegalStateException if the run has too many events
   */
  public void send(MessagePart part) {
    throwIfCancelled();
    run.part(part);
  }

  /** Ends the message. Later parts begin a new message. */
  public void endMessage() {
    run.endMessage();
  }

  /** Sends an event that does not belong to a message, such as a thought. */
  public void sendGeneric(Json generic) {
    throwIfCancelled();
    run.generic(generic);
  }

  /**
   * Asks the client, and waits for its answer. The status of the run is {@code awaiting} meanwhile.
   *
   * @return the message of the client
   * @throws IllegalStateException if the run awaits another answer
   * @throws RunCancelledException if the run is cancelled, or no answer arrives within 10 minutes
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public RunMessage await(RunMessage question) throws InterruptedException {
    throwIfCancelled();
    return Objects.requireNonNull(run.await(question, new CompletableFuture<>()));
  }

  /**
   * Asks the client as {@link #await(RunMessage)} does, until the agent withdraws the question.
   *
   * @param withdrawal withdraws the question when it completes; then the run is in progress again
   * @return the message of the client; empty if the question was withdrawn
   * @throws IllegalStateException if the run awaits another answer
   * @throws RunCancelledException if the run is cancelled, or no answer arrives within 10 minutes
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public Optional<RunMessage> await(RunMessage question, CompletableFuture<?> withdrawal)
      throws InterruptedException {
    throwIfCancelled();
    return Optional.ofNullable(run.await(question, withdrawal));
  }

  /** Returns whether the run is cancelled. */
  public boolean isCancelled() {
    return run.isCancelled();
  }

  /**
   * Runs an action when the run is cancelled, or immediately if it is already cancelled. The action
   * runs on the thread of the request and must not block. Its exceptions are ignored.
   */
  public void onCancel(Runnable action) {
    run.onCancel(action);
  }

  /**
   * Throws an exception if the run is cancelled.
   *
   * @throws RunCancelledException if the run is cancelled
   */
  public void throwIfCancelled() {
    if (isCancelled()) {
      throw new RunCancelledException();
    }
  }
}
