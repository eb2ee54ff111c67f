package dev.repartee.acp;

import dev.repartee.Handler;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.acp.types.AgentAuthCapabilities;
import dev.repartee.acp.types.AgentCapabilities;
import dev.repartee.acp.types.AuthMethod;
import dev.repartee.acp.types.AvailableCommand;
import dev.repartee.acp.types.Implementation;
import dev.repartee.acp.types.ListSessionsRequest;
import dev.repartee.acp.types.ListSessionsResponse;
import dev.repartee.acp.types.LogoutCapabilities;
import dev.repartee.acp.types.McpCapabilities;
import dev.repartee.acp.types.PromptCapabilities;
import dev.repartee.acp.types.SessionAdditionalDirectoriesCapabilities;
import dev.repartee.acp.types.SessionCapabilities;
import dev.repartee.acp.types.SessionCloseCapabilities;
import dev.repartee.acp.types.SessionConfigOption;
import dev.repartee.acp.types.SessionDeleteCapabilities;
import dev.repartee.acp.types.SessionListCapabilities;
import dev.repartee.acp.types.SessionMode;
import dev.repartee.acp.types.SessionResumeCapabilities;
import dev.repartee.internal.Threads;
import dev.repartee.json.UnknownMembers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves an agent of the Agent Client Protocol, version 1.
 *
 * <pre>{@code
 * AcpAgent agent = AcpAgent.builder("echo", "1.0", turn -> {
 *       turn.say("You said: " + turn.text());
 *       return StopReason.END_TURN;
 *     })
 *     .build();
 * agent.run();
 * }</pre>
 *
 * <p>This class enforces the rules of the protocol. It refuses requests before {@code initialize},
 * requests without a required login, relative paths, and content and MCP servers that the agent has
 * not announced. The answer to a cancelled turn is {@code cancelled}. Unknown requests are answered
 * with -32601, and unknown notifications are ignored. Immutable and thread-safe.
 */
public final class AcpAgent {
  /** The version of the protocol. */
  public static final int VERSION = 1;

  final Implementation info;
  final AgentCapabilities capabilities;
  final PromptCapabilities prompts;
  final McpCapabilities mcp;
  final Prompter prompter;
  final List<SessionMode> modes;
  final List<SessionConfigOption> options;
  final List<AvailableCommand> commands;
  final Map<String, AuthMethod> logins;
  final @Nullable Login login;
  final @Nullable Runnable logout;
  final @Nullable SessionLoader load;
  final @Nullable SessionLoader resume;
  final @Nullable Function<ListSessionsRequest, ListSessionsResponse> list;
  final @Nullable Consumer<String> delete;
  final boolean severalFolders;
  final Consumer<AgentSession> opened;
  final Consumer<AgentSession> closed;
  final Consumer<AgentSession> changed;
  final Map<String, Handler> extensions;

  private AcpAgent(Builder builder) {
    info = new Implementation(builder.name, builder.version).withTitle(builder.title);
    prompts = builder.prompts;
    mcp = builder.mcp;
    prompter = builder.prompter;
    modes = List.copyOf(builder.modes);
    options = List.copyOf(builder.options);
    commands = List.copyOf(builder.commands);
    logins = new LinkedHashMap<>(builder.logins);
    login = builder.login;
    logout = builder.logout;
    load = builder.load;
    resume = builder.resume;
    list = builder.list;
    delete = builder.delete;
    severalFolders = builder.severalFolders;
    opened = builder.opened;
    closed = builder.closed;
    changed = builder.changed;
    extensions = Map.copyOf(builder.extensions);
    capabilities = announced();
  }

  private AgentCapabilities announced() {
    SessionCapabilities sessions = new SessionCapabilities()
        .withClose(new SessionCloseCapabilities())
        .withResume(resume == null ? null : new SessionResumeCapabilities())
        .withList(list == null ? null : new SessionListCapabilities())
        .withDelete(delete == null ? null : new SessionDeleteCapabilities())
        .withAdditionalDirectories(
            severalFolders ? new SessionAdditionalDirectoriesCapabilities() : null);
    return new AgentCapabilities()
        .withLoadSession(load != null)
        .withPromptCapabilities(prompts)
        .withMcpCapabilities(mcp)
        .withSessionCapabilities(sessions)
        .withAuth(
            logout == null
                ? null
                : new AgentAuthCapabilities().withLogout(new LogoutCapabilities()));
  }

  /**
   * Returns a builder of agents.
   *
   * @param name the name of the agent for programs
   * @param prompter answers the prompts
   */
  public static Builder builder(String name, String version, Prompter prompter) {
    return new Builder(name, version, prompter);
  }

  /**
   * Returns a builder of options for ACP: with its cancellation, and without an error for unknown
   * members. Change these options where a method needs {@link Options}.
   */
  public static Options.Builder options() {
    return Options.builder()
        .dialect(AcpDialect.INSTANCE)
        .unknownParams(UnknownMembers.IGNORE)
        .builtins(Options.Builtin.CANCEL);
  }

  /**
   * Serves the client that has started this process, over standard input and output, until the
   * connection ends. The application must not write to standard output.
   *
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public void run() throws IOException, InterruptedException {
    run("stdio:", options().build());
  }

  /**
   * Serves one client until the connection ends.
   *
   * @param uri {@code stdio:} for the client that has started this process, or the address of a
   *     client that listens
   * @param options the options, made by {@link #options}
   * @throws IOException if the client cannot be reached
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public void run(String uri, Options options) throws IOException, InterruptedException {
    AgentConnection connection = new AgentConnection(this);
    try (Peer peer = Repartee.connect(uri, connection.service(), options)) {
      CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
      peer.closed().whenComplete((ended, cause) -> over.complete(null));
      over.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // the future never fails
    } finally {
      connection.close();
    }
  }

  /**
   * Listens for clients, at an address such as {@code tcp://127.0.0.1:4000},
   * {@code unix:agent.sock} or {@code ws://127.0.0.1:4000/acp}. ACP does not authenticate clients:
   * make sure that only trusted clients can reach the address.
   *
   * @param options the options, made by {@link #options}
   * @throws IOException if the address cannot be bound
   */
  public Server listen(String uri, Options options) throws IOException {
    PeerFactory factory = channel -> {
      AgentConnection connection = new AgentConnection(this);
      Peer peer = Peer.open(channel, connection.service(), options);
      peer.closed()
          .whenComplete((ended, cause) -> Threads.start("repartee-acp-end", connection::close));
      return peer;
    };
    return Repartee.listen(uri, factory, options);
  }

  /** A builder of agents. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private final String version;
    private final Prompter prompter;
    private @Nullable String title;
    private PromptCapabilities prompts = new PromptCapabilities();
    private McpCapabilities mcp = new McpCapabilities();
    private final List<SessionMode> modes = new ArrayList<>();
    private final List<SessionConfigOption> options = new ArrayList<>();
    private final List<AvailableCommand> commands = new ArrayList<>();
    private final Map<String, AuthMethod> logins = new LinkedHashMap<>();
    private @Nullable Login login;
    private @Nullable Runnable logout;
    private @Nullable SessionLoader load;
    private @Nullable SessionLoader resume;
    private @Nullable Function<ListSessionsRequest, ListSessionsResponse> list;
    private @Nullable Consumer<String> delete;
    private boolean severalFolders;
    private Consumer<AgentSession> opened = session -> {};
    private Consumer<AgentSession> closed = session -> {};
    private Consumer<AgentSession> changed = session -> {};
    private final Map<String, Handler> extensions = new LinkedHashMap<>();

    private Builder(String name, String version, Prompter prompter) {
      this.name = name;
      this.version = version;
      this.prompter = prompter;
    }

    /** Sets the name for people. */
    public Builder title(String title) {
      this.title = title;
      return this;
    }

    /** Sets the content that prompts may have, besides text and links. */
    public Builder prompts(PromptCapabilities prompts) {
      this.prompts = prompts;
      return this;
    }

    /** Sets the transports of MCP that the agent supports, besides stdio. */
    public Builder mcp(McpCapabilities mcp) {
      this.mcp = mcp;
      return this;
    }

    /** Adds a mode. A new session has the mode that was added first. */
    public Builder mode(SessionMode mode) {
      modes.add(mode);
      return this;
    }

    /** Adds an option. Its value is the value in new sessions. */
    public Builder option(SessionConfigOption option) {
      options.add(option);
      return this;
    }

    /** Adds a command. The commands are sent to the client after it has opened a session. */
    public Builder command(AvailableCommand command) {
      commands.add(command);
      return this;
    }

    /**
     * Requires a login on each connection. Requests for sessions before the login are answered with
     * -32000.
     *
     * @param login logs in with one of the methods
     * @param methods the methods that the client can choose from
     */
    public Builder login(Login login, AuthMethod... methods) {
      this.login = login;
      for (AuthMethod each : methods) {
        logins.put(Logins.id(each), each);
      }
      return this;
    }

    /** Offers {@code logout}. After it, the connection needs another login. */
    public Builder logout(Runnable logout) {
      this.logout = logout;
      return this;
    }

    /** Offers {@code session/load}. */
    public Builder load(SessionLoader load) {
      this.load = load;
      return this;
    }

    /** Offers {@code session/resume}. */
    public Builder resume(SessionLoader resume) {
      this.resume = resume;
      return this;
    }

    /** Offers {@code session/list}. The function runs on a worker thread. */
    public Builder list(Function<ListSessionsRequest, ListSessionsResponse> list) {
      this.list = list;
      return this;
    }

    /** Offers {@code session/delete}. The consumer receives the id, on a worker thread. */
    public Builder delete(Consumer<String> delete) {
      this.delete = delete;
      return this;
    }

    /** Accepts sessions with several folders. */
    public Builder severalFolders() {
      this.severalFolders = true;
      return this;
    }

    /** Sets the action for a new session. It runs before the answer to {@code session/new}. */
    public Builder onOpened(Consumer<AgentSession> opened) {
      this.opened = opened;
      return this;
    }

    /** Sets the action for the end of a session. The end of a connection ends its sessions. */
    public Builder onClosed(Consumer<AgentSession> closed) {
      this.closed = closed;
      return this;
    }

    /**
     * Sets the action for a change of the mode or an option by the client. It runs before the
     * answer to the request. An exception undoes the change.
     */
    public Builder onChanged(Consumer<AgentSession> changed) {
      this.changed = changed;
      return this;
    }

    /**
     * Adds a request or notification of an extension. It runs on a worker thread.
     *
     * @param method a name that starts with an underscore, such as {@code _example.com/status}
     * @throws IllegalArgumentException if the name does not start with an underscore
     */
    public Builder extension(String method, Handler handler) {
      Extensions.require(method);
      extensions.put(method, handler);
      return this;
    }

    /** Returns the agent. */
    public AcpAgent build() {
      return new AcpAgent(this);
    }
  }
}
