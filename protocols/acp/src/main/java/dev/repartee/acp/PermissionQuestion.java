package dev.repartee.acp;

import dev.repartee.acp.types.CancelledPermissionOutcome;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.PermissionToolCall;
import dev.repartee.acp.types.RequestPermissionOutcome;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.RequestPermissionResponse;
import dev.repartee.acp.types.SelectedPermissionOutcome;
import dev.repartee.internal.Threads;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A question of an agent for the permission to run a tool. Thread-safe. */
public final class PermissionQuestion {
  private final RequestPermissionRequest request;
  private final CompletableFuture<RequestPermissionResponse> answer = new CompletableFuture<>();
  private final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();

  PermissionQuestion(RequestPermissionRequest request) {
    this.request = request;
  }

  /** Returns the id of the session. */
  public String sessionId() {
    return request.sessionId();
  }

  /** Returns the tool call. Earlier updates may contain its missing members. */
  public PermissionToolCall toolCall() {
    return request.toolCall();
  }

  /** Returns the options to choose from. */
  public List<PermissionOption> options() {
    return request.options();
  }

  /**
   * Returns the choice to allow the tool once. If the agent does not offer it, returns the choice
   * to reject the tool once, or else {@code cancelled}. Thus one consent never becomes a permanent
   * permission. {@link #select} chooses another option.
   */
  public RequestPermissionOutcome allow() {
    return first(PermissionOptionKind.ALLOW_ONCE, PermissionOptionKind.REJECT_ONCE);
  }

  /** Returns the choice to reject the tool once, or else the choice to reject it always. */
  public RequestPermissionOutcome reject() {
    return first(PermissionOptionKind.REJECT_ONCE, PermissionOptionKind.REJECT_ALWAYS);
  }

  /**
   * Returns an option of the first offered kind, or {@code cancelled} if the agent offers none of
   * them.
   */
  private RequestPermissionOutcome first(PermissionOptionKind... kinds) {
    for (PermissionOptionKind kind : kinds) {
      for (PermissionOption each : options()) {
        if (each.kind().equals(kind)) {
          return new SelectedPermissionOutcome(each.optionId());
        }
      }
    }
    return new CancelledPermissionOutcome();
  }

  /**
   * Returns the choice of an option.
   *
   * @throws IllegalArgumentException if the option does not exist
   */
  public RequestPermissionOutcome select(String optionId) {
    if (options().stream().noneMatch(each -> each.optionId().equals(optionId))) {
      throw new IllegalArgumentException("there is no option '" + optionId + "'");
    }
    return new SelectedPermissionOutcome(optionId);
  }

  /** Returns whether the turn is cancelled, so that a choice has no effect. */
  public boolean isCancelled() {
    return cancelled.isDone();
  }

  /**
   * Runs an action when the turn is cancelled, or immediately if it is already cancelled. It may
   * close a dialog, for example. It runs on the thread of the cancellation.
   */
  public void onCancel(Runnable action) {
    cancelled.thenRun(action);
  }

  void cancel() {
    answer.complete(new RequestPermissionResponse(new CancelledPermissionOutcome()));
    cancelled.complete(true);
  }

  CompletableFuture<RequestPermissionResponse> answer() {
    return answer;
  }

  /** Calls the handler on a separate thread. Runs an action when the handler has returned. */
  void ask(PermissionHandler handler, Runnable returned) {
    Threads.start("repartee-acp-permission", () -> {
      try {
        answer.complete(new RequestPermissionResponse(handler.ask(this)));
      } catch (Throwable e) {
        answer.completeExceptionally(e);
      } finally {
        returned.run();
      }
    });
  }
}
