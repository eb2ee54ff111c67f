package dev.repartee.acp;

import dev.repartee.CallFuture;
import dev.repartee.acp.types.AvailableCommand;
import dev.repartee.acp.types.AvailableCommandsUpdate;
import dev.repartee.acp.types.CancelNotification;
import dev.repartee.acp.types.CloseSessionRequest;
import dev.repartee.acp.types.CloseSessionResponse;
import dev.repartee.acp.types.ConfigOptionUpdate;
import dev.repartee.acp.types.ContentBlock;
import dev.repartee.acp.types.CurrentModeUpdate;
import dev.repartee.acp.types.PromptRequest;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.SessionConfigOption;
import dev.repartee.acp.types.SessionInfoUpdate;
import dev.repartee.acp.types.SessionModeState;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.acp.types.SetSessionConfigOptionRequest;
import dev.repartee.acp.types.SetSessionConfigOptionResponse;
import dev.repartee.acp.types.SetSessionModeRequest;
import dev.repartee.acp.types.SetSessionModeResponse;
import dev.repartee.acp.types.TextContent;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A session of a client with its agent, with the modes, options, commands and title that the agent
 * has reported. One turn runs at a time. Thread-safe.
 */
public final class ClientSession implements AutoCloseable {
  private final AcpClient client;
  private final String id;

  // Guarded by this. Requests and listeners run without the lock.

  private @Nullable SessionModeState modes;
  private List<SessionConfigOption> options;
  private List<AvailableCommand> commands = List.of();
  private @Nullable String title;
  private @Nullable UpdateListener listener;
  private boolean prompting; // whether a turn runs
  private boolean cancelled; // whether the running turn is cancelled
  private final Set<PermissionQuestion> questions = new LinkedHashSet<>(); // not answered yet

  ClientSession(
      AcpClient client,
      String id,
      @Nullable SessionModeState modes,
      @Nullable List<SessionConfigOption> options) {
    this.client = client;
    this.id = id;
    this.modes = modes;
    this.options = options == null ? List.of() : options;
  }

  /** Sets the modes and options of an answer. Null keeps the values of earlier updates. */
  synchronized ClientSession with(
      @Nullable SessionModeState given, @Nullable List<SessionConfigOption> configOptions) {
    modes = given == null ? modes : given;
    options = configOptions == null ? options : configOptions;
    return this;
  }

  /** Returns the id. */
  public String id() {
    return id;
  }

  /** Returns the modes, or null if the agent does not have modes. */
  public synchronized @Nullable SessionModeState modes() {
    return modes;
  }

  /** Returns the options with their values. */
  public synchronized List<SessionConfigOption> options() {
    return options;
  }

  /** Returns the commands; empty until the agent has sent them. */
  public synchronized List<AvailableCommand> commands() {
    return commands;
  }

  /** Returns the title, or null until the agent has sent it. */
  public synchronized @Nullable String title() {
    return title;
  }

  // ---------------------------------------------------------------- turns

  /**
   * Sends a prompt of one text, and waits for the end of the turn; see {@link #prompt(List,
   * UpdateListener)}.
   */
  public PromptResponse prompt(String text, UpdateListener updates) {
    return prompt(List.of(new TextContent(text)), updates);
  }

  /**
   * Sends a prompt, and waits for the end of the turn without a time limit. Returns after the
   * listener has handled all updates of the turn.
   *
   * @throws IllegalStateException if a turn of this session is running, or if a listener calls this
   * @throws UnsupportedOperationException if the agent has not announced the content of the prompt
   * @throws dev.repartee.RpcException if the agent answers with an error
   */
  public PromptResponse prompt(List<ContentBlock> prompt, UpdateListener updates) {
    client.requireOtherThread();
    try {
      return promptAsync(prompt, updates).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /**
   * Sends a prompt without waiting for the end of the turn.
   *
   * @return the future end. It completes on the thread of the listeners, after all updates of the
   *     turn; its callbacks must not block. Cancel the turn with {@link #cancel}
   * @throws IllegalStateException if a turn of this session is running
   * @throws UnsupportedOperationException if the agent has not announced the content of the prompt
   */
  public CompletableFuture<PromptResponse> promptAsync(
      List<ContentBlock> prompt, UpdateListener updates) {
    String missing = PromptContent.missing(client.capabilities().promptCapabilities(), prompt);
    AcpClient.require(missing == null, "promptCapabilities." + missing);
    synchronized (this) {
      if (prompting) {
        throw new IllegalStateException(
            "a turn of this session is running; wait for its end, or cancel it");
      }
      prompting = true;
      cancelled = false;
      listener = updates;
    }
    CompletableFuture<PromptResponse> end = new CompletableFuture<>();
    CallFuture<PromptResponse> call;
    try {
      call = client
          .peer()
          .request("session/prompt")
          .params(new PromptRequest(id, prompt))
          .timeout(Duration.ZERO)
          .send(PromptResponse.class);
    } catch (RuntimeException e) {
      ended();
      throw e;
    }
    client.afterUpdates(call, () -> {
      ended();
      call.whenComplete((answer, failure) -> {
        if (failure != null) {
          end.completeExceptionally(failure);
        } else {
          end.complete(answer);
        }
      });
    });
    return end;
  }

  private void ended() {
    List<PermissionQuestion> open;
    synchronized (this) {
      prompting = false;
      listener = null;
      open = new ArrayList<>(questions);
      questions.clear();
    }
    open.forEach(PermissionQuestion::cancel);
  }

  /**
   * Cancels the running turn, if any. The agent may still send updates before the turn ends with
   * the stop reason {@code cancelled}. Open questions for permission are answered with {@code
   * cancelled}.
   */
  public void cancel() {
    List<PermissionQuestion> open;
    synchronized (this) {
      if (!prompting) {
        return;
      }
      cancelled = true;
      open = new ArrayList<>(questions);
      questions.clear();
    }
    client.peer().request("session/cancel").params(new CancelNotification(id)).sendNotification();
    open.forEach(PermissionQuestion::cancel);
  }

  /** Adds a question until its answer, or cancels it if the turn is cancelled already. */
  void add(PermissionQuestion question) {
    boolean late;
    synchronized (this) {
      late = prompting && cancelled;
      if (!late) {
        questions.add(question);
      }
    }
    if (late) {
      question.cancel();
      return;
    }
    question.answer().whenComplete((answer, failure) -> {
      synchronized (this) {
        questions.remove(question);
      }
    });
  }

  // ---------------------------------------------------------------- updates

  /** Sets the listener for updates; null for the listener of the client. */
  synchronized void listen(@Nullable UpdateListener updates) {
    listener = updates;
  }

  /**
   * Stores the mode, options, commands or title of an update.
   *
   * @return the listener for the update; null for the listener of the client
   */
  synchronized @Nullable UpdateListener note(SessionUpdate update) {
    if (update instanceof CurrentModeUpdate changed && modes != null) {
      modes = new SessionModeState(changed.currentModeId(), modes.availableModes());
    } else if (update instanceof ConfigOptionUpdate changed) {
      options = changed.configOptions();
    } else if (update instanceof AvailableCommandsUpdate changed) {
      commands = changed.availableCommands();
    } else if (update instanceof SessionInfoUpdate changed) {
      String given = changed.title();
      title = given == null ? title : given;
    }
    return listener;
  }

  // ---------------------------------------------------------------- modes and options

  /**
   * Changes the mode.
   *
   * @throws IllegalArgumentException if the mode does not exist
   */
  public void setMode(String modeId) {
    SessionModeState known = modes();
    if (known == null
        || known.availableModes().stream().noneMatch(each -> each.id().equals(modeId))) {
      throw new IllegalArgumentException("the session has no mode '" + modeId + "'");
    }
    client.call(
        "session/set_mode", new SetSessionModeRequest(id, modeId), SetSessionModeResponse.class);
    synchronized (this) {
      modes = new SessionModeState(modeId, known.availableModes());
    }
  }

  /** Changes a select option. */
  public void setOption(String optionId, String value) {
    set(new SetSessionConfigOptionRequest(id, optionId, Json.of(value)));
  }

  /** Changes a boolean option. */
  public void setOption(String optionId, boolean value) {
    set(new SetSessionConfigOptionRequest(id, optionId, Json.of(value)).withType("boolean"));
  }

  private void set(SetSessionConfigOptionRequest request) {
    List<SessionConfigOption> changed = client
        .call("session/set_config_option", request, SetSessionConfigOptionResponse.class)
        .configOptions();
    synchronized (this) {
      options = changed;
    }
  }

  /**
   * Cancels the running turn. Also ends the session at the agent, if it has announced {@code
   * sessionCapabilities.close}.
   */
  @Override
  public void close() {
    try {
      if (client.closesSessions()) {
        client.call("session/close", new CloseSessionRequest(id), CloseSessionResponse.class);
      } else {
        cancel();
      }
    } finally {
      client.forget(this);
    }
  }
}
