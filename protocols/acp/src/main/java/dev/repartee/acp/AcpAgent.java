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
 * An agent of the Agent Client Protocol, version 1: its capabilities, and the code that answers
 * prompts.
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
 * <p>The rules of the protocol are kept for it: requests before {@code initialize} are refused, a
 * login comes first if there is one, folders are absolute paths, and content and servers of MCP that
 * the agent has not announced are refused. A cancelled turn is answered with {@code cancelled}.
 * Other requests are answered -32601, and other notifications are ignored. Immutable and
 * thread-safe.
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
   * Returns options for ACP, to be changed and passed to the other methods: unknown members are
   * ignored.
   */
  public static Options.Builder options() {
    return Options.builder()
        .dialect(AcpDialect.INSTANCE)
        .unknownParams(UnknownMembers.IGNORE)
        .builtins(Options.Builtin.CANCEL);
  }

  /**
   * Serves the client that has started this process, over standard input and output, until the
   * connection ends. Write nothing else to standard output; standard error is free.
   *
   * @throws InterruptedException if the thread is interrupted; then the connection is closed
   */
  public void run() throws IOException, InterruptedException {
    run("stdio:", options().build());
  }

  /**
   * Serves one client until the connection ends: the one that has started this process for {@code
   * stdio:}, or one that listens.
   *
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
   * Listens for clients, at an address such as {@code tcp://127.0.0.1:4000}, {@code unix:agent.sock}
   * or {@code ws://127.0.0.1:4000/acp}. ACP has no protection of its own, so listen at addresses
   * that only trusted clients reach.
   *
   * @param options the options, made by {@link #options}
   * @throws IOException if the address cannot be bound
   */
  public Server listen(String uri, Options options) throws IOException {
    PeerFactory factory = channel -> {
      AgentConnection connection = new AgentConnection(this);
      Peer peer = Peer.open(channel, connection.service(), options);
      peer.closed()
          .whenComplete((ended, cause) -> Aside.run("repartee-acp-end", connection::close));
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

    /** Sets the content of prompts that the agent reads, besides text and links. */
    public Builder prompts(PromptCapabilities prompts) {
      this.prompts = prompts;
      return this;
    }

    /** Sets the transports of MCP servers that the agent connects to, besides stdio. */
    public Builder mcp(McpCapabilities mcp) {
      this.mcp = mcp;
      return this;
    }

    /** Adds a mode. A new session has the first one. */
    public Builder mode(SessionMode mode) {
      modes.add(mode);
      return this;
    }

    /** Adds an option with its value in new sessions. */
    public Builder option(SessionConfigOption option) {
      options.add(option);
      return this;
    }

    /** Adds a command. The client gets the commands of a session when it is open. */
    public Builder command(AvailableCommand command) {
      commands.add(command);
      return this;
    }

    /**
     * Requires a login on each connection: requests for sessions before it are answered -32000.
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

    /** Offers the end of a login. The connection needs another login after it. */
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

    /** Offers {@code session/delete}. The consumer gets the id, on a worker thread. */
    public Builder delete(Consumer<String> delete) {
      this.delete = delete;
      return this;
    }

    /** Accepts sessions with several folders. */
    public Builder severalFolders() {
      this.severalFolders = true;
      return this;
    }

    /** Sets the action for a new session, before its request is answered. */
    public Builder onOpened(Consumer<AgentSession> opened) {
      this.opened = opened;
      return this;
    }

    /** Sets the action for the end of a session, also by the end of its connection. */
    public Builder onClosed(Consumer<AgentSession> closed) {
      this.closed = closed;
      return this;
    }

    /**
     * Sets the action for changes of the mode or the options by the client, before its request
     * is answered. If it throws, the change is taken back.
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
