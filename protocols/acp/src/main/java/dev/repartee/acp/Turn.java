package dev.repartee.acp;

import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.AgentThoughtChunk;
import dev.repartee.acp.types.ContentBlock;
import dev.repartee.acp.types.Plan;
import dev.repartee.acp.types.PlanEntry;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolKind;
import dev.repartee.acp.types.UsageUpdate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A turn of a session: the prompt of the user, and the updates and requests of the agent until its
 * answer. Thread-safe: several threads of the agent may use it.
 *
 * <p>The answer to the prompt ends the turn. All updates are sent before the answer. Later updates
 * are refused.
 */
public final class Turn {
  private final AgentSession session;
  private final TurnState state;
  private final ClientAccess client;
  private final List<ContentBlock> prompt;

  /** Held while an update is sent, so that no update is sent after the answer. */
  private final ReentrantLock sending = new ReentrantLock();

  private boolean ended; // guarded by sending

  Turn(
      AgentSession session,
      TurnState state,
      AgentConnection connection,
      List<ContentBlock> prompt) {
    this.session = session;
    this.state = state;
    this.client = new ClientAccess(connection, session.id(), state);
    this.prompt = List.copyOf(prompt);
  }

  /** Runs the turn and the action for its end, and completes the answer. */
  void run(Prompter prompter, Runnable onEnd, CompletableFuture<PromptResponse> answer) {
    StopReason reason = StopReason.END_TURN;
    Throwable failure = null;
    try {
      reason = Objects.requireNonNull(prompter.prompt(this), "the stop reason");
    } catch (Throwable e) {
      failure = e;
    }
    sending.lock();
    try {
      ended = true;
    } finally {
      sending.unlock();
    }
    onEnd.run();
    if (state.isCancelled()) {
      answer.complete(new PromptResponse(StopReason.CANCELLED));
    } else if (failure != null) {
      answer.completeExceptionally(failure);
    } else {
      answer.complete(new PromptResponse(reason));
    }
  }

  void cancel() {
    state.cancel();
  }

  /** Returns the session. */
  public AgentSession session() {
    return session;
  }

  /** Returns the prompt. */
  public List<ContentBlock> prompt() {
    return prompt;
  }

  /** Returns the text of the prompt, without its other content. */
  public String text() {
    return PromptContent.text(prompt);
  }

  /** Returns the client. Its requests end when the turn is cancelled. */
  public ClientAccess client() {
    return client;
  }

  // ---------------------------------------------------------------- cancellation

  /** Returns whether the turn is cancelled, by its client or by the end of the connection. */
  public boolean isCancelled() {
    return state.isCancelled();
  }

  /**
   * Throws an exception if the turn is cancelled.
   *
   * @throws TurnCancelledException if {@link #isCancelled} is true
   */
  public void throwIfCancelled() {
    state.throwIfCancelled();
  }

  /**
   * Runs an action when the turn is cancelled, or immediately if it is already cancelled. The
   * action runs on the thread that reads the connection and must not block.
   */
  public void onCancel(Runnable action) {
    state.onCancel(action);
  }

  /**
   * Waits for a time.
   *
   * @throws TurnCancelledException if the turn is cancelled before the end of the time
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public void sleep(Duration time) throws InterruptedException {
    state.sleep(time);
  }

  // ---------------------------------------------------------------- updates

  /**
   * Sends an update. Blocks while the client does not read, for {@code drainTimeout} at most.
   *
   * @throws IllegalStateException if the turn has ended
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   */
  public void update(SessionUpdate update) {
    sending.lock();
    try {
      if (ended) {
        throw new IllegalStateException("the turn has ended; send the update with its session");
      }
      session.update(update);
    } finally {
      sending.unlock();
    }
  }

  /** Sends a part of the agent's message. */
  public void say(String text) {
    update(new AgentMessageChunk(new TextContent(text)));
  }

  /** Sends a part of the agent's reasoning. */
  public void think(String text) {
    update(new AgentThoughtChunk(new TextContent(text)));
  }

  /** Sends the complete plan, which replaces the earlier plan. */
  public void plan(PlanEntry... entries) {
    update(new Plan(List.of(entries)));
  }

  /** Reports the use of the context window, in tokens. */
  public void usage(long used, long size) {
    update(new UsageUpdate(used, size));
  }

  /**
   * Reports a new tool call, with the status {@code pending}.
   *
   * @param title the title for the user
   */
  public TurnTool tool(String title, ToolKind kind) {
    return TurnTool.start(this, title, kind);
  }
}
