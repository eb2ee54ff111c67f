package dev.repartee.acp;

import dev.repartee.Call;
import dev.repartee.acp.types.ClientSessionCapabilities;
import dev.repartee.acp.types.CompactionSummaryChunk;
import dev.repartee.acp.types.CompactionUpdate;
import dev.repartee.acp.types.ConfigOptionUpdate;
import dev.repartee.acp.types.ContentBlock;
import dev.repartee.acp.types.CurrentModeUpdate;
import dev.repartee.acp.types.McpServer;
import dev.repartee.acp.types.Notice;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.SessionConfigBoolean;
import dev.repartee.acp.types.SessionConfigOption;
import dev.repartee.acp.types.SessionConfigSelect;
import dev.repartee.acp.types.SessionModeState;
import dev.repartee.acp.types.SessionNotification;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A session of an agent with its client. Thread-safe. */
public final class AgentSession {
  private final AgentConnection connection;
  private final AcpAgent agent;
  private final String id;
  private final String cwd;
  private final List<String> folders;
  private final List<McpServer> servers;
  private final ClientAccess client;
  private final AtomicLong toolCalls = new AtomicLong();

  // Guarded by this.

  private @Nullable Turn turn;
  private @Nullable String mode;
  private List<SessionConfigOption> options;
  private @Nullable Object attachment;

  AgentSession(
      AgentConnection connection,
      AcpAgent agent,
      String id,
      String cwd,
      List<String> folders,
      List<McpServer> servers) {
    this.connection = connection;
    this.agent = agent;
    this.id = id;
    this.cwd = cwd;
    this.folders = List.copyOf(folders);
    this.servers = List.copyOf(servers);
    this.client = new ClientAccess(connection, id, null);
    this.mode = agent.modes.isEmpty() ? null : agent.modes.get(0).id();
    this.options = agent.options;
  }

  /** Returns the id. */
  public String id() {
    return id;
  }

  /** Returns the absolute path of the working directory. */
  public String cwd() {
    return cwd;
  }

  /** Returns the absolute paths of further folders. */
  public List<String> additionalDirectories() {
    return folders;
  }

  /** Returns the servers of MCP to connect to. */
  public List<McpServer> mcpServers() {
    return servers;
  }

  /** Returns the client, for requests outside of turns; a turn has {@link Turn#client}. */
  public ClientAccess client() {
    return client;
  }

  /**
   * Sends an update. Blocks while the client does not read, for {@code drainTimeout} at most. In a
   * turn use {@link Turn#update}, which ensures that the update precedes the end of the turn.
   *
   * @throws UnsupportedOperationException if the update is a notice or a compaction, and the client
   *     has not announced it
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   */
  public void update(SessionUpdate update) {
    ClientSessionCapabilities shows = client.capabilities().session();
    if (update instanceof Notice) {
      ClientAccess.require(shows != null && shows.notices() != null, "session.notices");
    } else if (update instanceof CompactionUpdate || update instanceof CompactionSummaryChunk) {
      ClientAccess.require(shows != null && shows.compaction() != null, "session.compaction");
    }
    connection
        .peer()
        .request("session/update")
        .params(new SessionNotification(id, update))
        .sendNotification();
  }

  /** Returns the object that the application has attached to this session, or null. */
  public synchronized @Nullable Object attachment() {
    return attachment;
  }

  /** Attaches an object of the application to this session. Replaces an earlier object. */
  public synchronized void attach(Object attachment) {
    this.attachment = attachment;
  }

  // ---------------------------------------------------------------- modes and options

  /** Returns the id of the mode, or null if the agent does not have modes. */
  public synchronized @Nullable String mode() {
    return mode;
  }

  /**
   * Changes the mode, and reports it to the client.
   *
   * @throws IllegalArgumentException if the mode does not exist
   */
  public void mode(String chosen) {
    if (!hasMode(chosen)) {
      throw new IllegalArgumentException("there is no mode '" + chosen + "'");
    }
    synchronized (this) {
      mode = chosen;
    }
    update(new CurrentModeUpdate(chosen));
  }

  private boolean hasMode(String chosen) {
    return agent.modes.stream().anyMatch(each -> each.id().equals(chosen));
  }

  /** Changes the mode at the request of the client. */
  void chooseMode(String chosen) {
    if (!hasMode(chosen)) {
      throw AcpErrors.invalid("there is no mode '" + chosen + "'");
    }
    String before;
    synchronized (this) {
      before = mode;
      mode = chosen;
    }
    changedOr(() -> mode = before);
  }

  /** Calls the action of the application for a change. Undoes the change if the action throws. */
  private void changedOr(Runnable undo) {
    boolean accepted = false;
    try {
      agent.changed.accept(this);
      accepted = true;
    } finally {
      if (!accepted) {
        synchronized (this) {
          undo.run();
        }
      }
    }
  }

  @Nullable SessionModeState modes() {
    return connection.modes(mode());
  }

  /** Returns the options with their current values. */
  public synchronized List<SessionConfigOption> options() {
    return options;
  }

  /** Replaces the options and their values, and reports them to the client. */
  public void options(List<SessionConfigOption> changed) {
    synchronized (this) {
      options = List.copyOf(changed);
    }
    update(new ConfigOptionUpdate(shownOptions()));
  }

  /**
   * Returns the value of an option with several values.
   *
   * @throws IllegalArgumentException if the option does not exist
   */
  public String selected(String option) {
    return options().stream()
        .filter(
            each -> each instanceof SessionConfigSelect select && select.id().equals(option))
        .map(each -> ((SessionConfigSelect) each).currentValue())
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no option '" + option + "'"));
  }

  /**
   * Returns the value of a switch.
   *
   * @throws IllegalArgumentException if the switch does not exist
   */
  public boolean isOn(String option) {
    return options().stream()
        .filter(each -> each instanceof SessionConfigBoolean flag && flag.id().equals(option))
        .map(each -> ((SessionConfigBoolean) each).currentValue())
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no switch '" + option + "'"));
  }

  /** Changes an option at the request of the client. */
  void chooseOption(String option, Json value) {
    List<SessionConfigOption> before;
    synchronized (this) {
      before = options;
      options = ConfigOptions.with(before, option, value);
    }
    changedOr(() -> options = before);
  }

  /** Returns the options that the client supports. */
  List<SessionConfigOption> shownOptions() {
    return ConfigOptions.shown(options(), connection.client());
  }

  @Nullable List<SessionConfigOption> optionsOrNull() {
    return agent.options.isEmpty() ? null : shownOptions();
  }

  // ---------------------------------------------------------------- turns

  /** Starts a turn. Never blocks. */
  CompletableFuture<PromptResponse> start(List<ContentBlock> prompt, Call call) {
    Turn started = new Turn(this, new TurnState(), connection, prompt);
    synchronized (this) {
      if (turn != null) {
        throw AcpErrors.refused(
            "a turn of this session is running; wait for its end, or send 'session/cancel'");
      }
      turn = started;
    }
    call.cancellation().onCancel(started::cancel);
    CompletableFuture<PromptResponse> answer = new CompletableFuture<>();
    Threads.start("repartee-acp-turn", () -> started.run(agent.prompter, this::ended, answer));
    return answer;
  }

  private synchronized void ended() {
    turn = null;
  }

  /** Cancels the running turn, if any. Never blocks. */
  void cancel() {
    Turn running;
    synchronized (this) {
      running = turn;
    }
    if (running != null) {
      running.cancel();
    }
  }

  /** Returns a new id of a tool call. */
  String nextToolCall() {
    return "call_" + toolCalls.incrementAndGet();
  }
}
