package dev.repartee.acp;

import dev.repartee.acp.types.CancelledPermissionOutcome;
import dev.repartee.acp.types.Content;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.PermissionToolCall;
import dev.repartee.acp.types.RequestPermissionOutcome;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.SelectedPermissionOutcome;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolCall;
import dev.repartee.acp.types.ToolCallContent;
import dev.repartee.acp.types.ToolCallLocation;
import dev.repartee.acp.types.ToolCallStatus;
import dev.repartee.acp.types.ToolCallUpdate;
import dev.repartee.acp.types.ToolKind;
import java.util.List;
import java.util.Optional;

/**
 * A tool call of a {@link Turn}. It ends with {@link #complete} or {@link #fail}; otherwise {@link
 * #close} fails it:
 *
 * <pre>{@code
 * try (TurnTool tool = turn.tool("Edit main.c", ToolKind.EDIT)) {
 *   tool.content(new Diff(path, after).withOldText(before));
 *   if (tool.isAllowed()) {
 *     turn.client().writeTextFile(path, after);
 *     tool.complete();
 *   }
 * }
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class TurnTool implements AutoCloseable {
  private static final PermissionOption ALLOW =
      new PermissionOption("allow", "Allow", PermissionOptionKind.ALLOW_ONCE);
  private static final PermissionOption REJECT =
      new PermissionOption("reject", "Reject", PermissionOptionKind.REJECT_ONCE);

  private final Turn turn;
  private final String id;
  private final String title;
  private final ToolKind kind;
  private boolean ended;

  private TurnTool(Turn turn, String id, String title, ToolKind kind) {
    this.turn = turn;
    this.id = id;
    this.title = title;
    this.kind = kind;
  }

  static TurnTool start(Turn turn, String title, ToolKind kind) {
    TurnTool tool = new TurnTool(turn, turn.session().nextToolCall(), title, kind);
    turn.update(new ToolCall(tool.id, title).withKind(kind).withStatus(ToolCallStatus.PENDING));
    return tool;
  }

  /** Returns the id, which is unique in the session. */
  public String id() {
    return id;
  }

  /** Reports that the tool runs. */
  public void begin() {
    update(new ToolCallUpdate(id).withStatus(ToolCallStatus.IN_PROGRESS));
  }

  /** Reports all content that the tool has produced. Replaces the earlier content. */
  public void content(ToolCallContent... content) {
    update(new ToolCallUpdate(id).withContent(List.of(content)));
  }

  /** Reports all files that the tool works on. Replaces the earlier files. */
  public void locations(ToolCallLocation... locations) {
    update(new ToolCallUpdate(id).withLocations(List.of(locations)));
  }

  /** Sends a change of this tool call. */
  public void update(ToolCallUpdate update) {
    turn.update(update);
  }

  /**
   * Asks the user for permission. Waits for the choice without a time limit.
   *
   * @return the choice; empty if the answer of the client is not one of the options
   * @throws TurnCancelledException if the turn is cancelled before the answer
   */
  public Optional<PermissionOption> ask(PermissionOption... options) {
    RequestPermissionOutcome outcome = turn.client()
        .requestPermission(new RequestPermissionRequest(
            turn.session().id(),
            new PermissionToolCall(id)
                .withTitle(title)
                .withKind(kind)
                .withStatus(ToolCallStatus.PENDING),
            List.of(options)));
    if (outcome instanceof CancelledPermissionOutcome) {
      turn.cancel(); // this answer cancels the turn, even if session/cancel arrives later
      throw new TurnCancelledException();
    }
    String chosen = outcome instanceof SelectedPermissionOutcome it ? it.optionId() : "";
    return List.of(options).stream()
        .filter(each -> each.optionId().equals(chosen))
        .findFirst();
  }

  /**
   * Asks the user for permission to run the tool once.
   *
   * @throws TurnCancelledException if the turn is cancelled before the answer
   */
  public boolean isAllowed() {
    return ask(ALLOW, REJECT).filter(ALLOW::equals).isPresent();
  }

  /** Reports the success of the tool. */
  public void complete() {
    end(new ToolCallUpdate(id).withStatus(ToolCallStatus.COMPLETED));
  }

  /** Reports the success of the tool, with all content that it has produced. */
  public void complete(ToolCallContent... content) {
    end(new ToolCallUpdate(id).withStatus(ToolCallStatus.COMPLETED).withContent(List.of(content)));
  }

  /** Reports the failure of the tool with a text for the user. */
  public void fail(String reason) {
    end(new ToolCallUpdate(id)
        .withStatus(ToolCallStatus.FAILED)
        .withContent(List.of(new Content(new TextContent(reason)))));
  }

  private void end(ToolCallUpdate last) {
    ended = true;
    turn.update(last);
  }

  /** Reports the failure of the tool, unless it has ended. */
  @Override
  public void close() {
    if (!ended) {
      end(new ToolCallUpdate(id).withStatus(ToolCallStatus.FAILED));
    }
  }
}
