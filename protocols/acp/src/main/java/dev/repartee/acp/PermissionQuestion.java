package dev.repartee.acp;

import dev.repartee.acp.types.CancelledPermissionOutcome;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.PermissionToolCall;
import dev.repartee.acp.types.RequestPermissionOutcome;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.RequestPermissionResponse;
import dev.repartee.acp.types.SelectedPermissionOutcome;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A question of an agent whether it may run a tool. Thread-safe. */
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

  /** Returns the tool call. Earlier updates have its other members. */
  public PermissionToolCall toolCall() {
    return request.toolCall();
  }

  /** Returns the choices. */
  public List<PermissionOption> options() {
    return request.options();
  }

  /** Returns the choice to allow the tool: once, if there is such an option, else always. */
  public RequestPermissionOutcome allow() {
    return first(PermissionOptionKind.ALLOW_ONCE, PermissionOptionKind.ALLOW_ALWAYS);
  }

  /** Returns the choice to reject the tool: once, if there is such an option, else always. */
  public RequestPermissionOutcome reject() {
    return first(PermissionOptionKind.REJECT_ONCE, PermissionOptionKind.REJECT_ALWAYS);
  }

  /** Returns the first option of the first kind that there is; without one, the end of the turn. */
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
   * @throws IllegalArgumentException if there is no such option
   */
  public RequestPermissionOutcome select(String optionId) {
    if (options().stream().noneMatch(each -> each.optionId().equals(optionId))) {
      throw new IllegalArgumentException("there is no option '" + optionId + "'");
    }
    return new SelectedPermissionOutcome(optionId);
  }

  /** Returns whether the turn was cancelled; then nobody waits for the choice. */
  public boolean isCancelled() {
    return cancelled.isDone();
  }

  /**
   * Runs an action when the turn is cancelled, such as closing a dialog, on the thread that cancels
   * it. Runs it at once if the turn is cancelled already.
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

  /** Asks a handler on a thread of its own; runs an action when the handler has returned. */
  void ask(PermissionHandler handler, Runnable returned) {
    Aside.run("repartee-acp-permission", () -> {
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
