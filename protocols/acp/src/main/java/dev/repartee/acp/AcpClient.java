package dev.repartee.acp;

import dev.repartee.CallFuture;
import dev.repartee.Handler;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.acp.types.AgentAuthCapabilities;
import dev.repartee.acp.types.AgentCapabilities;
import dev.repartee.acp.types.AuthMethod;
import dev.repartee.acp.types.AuthenticateRequest;
import dev.repartee.acp.types.AuthenticateResponse;
import dev.repartee.acp.types.BooleanConfigOptionCapabilities;
import dev.repartee.acp.types.ClientCapabilities;
import dev.repartee.acp.types.ClientSessionCapabilities;
import dev.repartee.acp.types.DeleteSessionRequest;
import dev.repartee.acp.types.DeleteSessionResponse;
import dev.repartee.acp.types.ElicitationCapabilities;
import dev.repartee.acp.types.ElicitationFormCapabilities;
import dev.repartee.acp.types.FileSystemCapabilities;
import dev.repartee.acp.types.Implementation;
import dev.repartee.acp.types.InitializeRequest;
import dev.repartee.acp.types.InitializeResponse;
import dev.repartee.acp.types.ListSessionsRequest;
import dev.repartee.acp.types.ListSessionsResponse;
import dev.repartee.acp.types.LoadSessionRequest;
import dev.repartee.acp.types.LoadSessionResponse;
import dev.repartee.acp.types.LogoutRequest;
import dev.repartee.acp.types.LogoutResponse;
import dev.repartee.acp.types.McpCapabilities;
import dev.repartee.acp.types.McpServer;
import dev.repartee.acp.types.McpServerHttp;
import dev.repartee.acp.types.McpServerSse;
import dev.repartee.acp.types.NewSessionRequest;
import dev.repartee.acp.types.NewSessionResponse;
import dev.repartee.acp.types.RequestPermissionRequest;
import dev.repartee.acp.types.RequestPermissionResponse;
import dev.repartee.acp.types.ResumeSessionRequest;
import dev.repartee.acp.types.ResumeSessionResponse;
import dev.repartee.acp.types.SessionCapabilities;
import dev.repartee.acp.types.SessionConfigOptionsCapabilities;
import dev.repartee.acp.types.SessionNotification;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client of an ACP agent, such as an editor.
 *
 * <pre>{@code
 * try (AcpClient client = AcpClient.builder("my-editor", "1.0")
 *     .handler(new FolderFiles(folder))
 *     .handler(new ProcessTerminals(folder))
 *     .permissions(question -> question.allow())
 *     .connect("exec:my-agent --acp")) {
 *   ClientSession session = client.newSession(folder.toString());
 *   session.prompt("Explain main.c", update -> System.out.println(update));
 * }
 * }</pre>
 *
 * <p>A request that the agent has not announced is not sent, and fails with {@link
 * UnsupportedOperationException}. Thread-safe.
 */
public final class AcpClient implements AutoCloseable {
  private final Peer peer;
  private final Deliveries deliveries;
  private final Incoming incoming;
  private final InitializeResponse agent;

  private AcpClient(Peer peer, Deliveries deliveries, Incoming incoming, InitializeResponse agent) {
    this.peer = peer;
    this.deliveries = deliveries;
    this.incoming = incoming;
    this.agent = agent;
  }

  /**
   * Returns a builder of clients.
   *
   * @param name the name of the client for programs
   */
  public static Builder builder(String name, String version) {
    return new Builder(name, version);
  }

  /** Returns the name and version of the agent, or null if it did not send them. */
  public @Nullable Implementation info() {
    return agent.agentInfo();
  }

  /** Returns the capabilities of the agent. */
  public AgentCapabilities capabilities() {
    AgentCapabilities announced = agent.agentCapabilities();
    return announced == null ? new AgentCapabilities() : announced;
  }

  /** Returns the login methods; empty if the agent does not require a login. */
  public List<AuthMethod> authMethods() {
    List<AuthMethod> offered = agent.authMethods();
    return offered == null ? List.of() : offered;
  }

  /** Returns the connection, for extensions of the protocol. */
  public Peer peer() {
    return peer;
  }

  // ---------------------------------------------------------------- logins

  /**
   * Logs in. Waits without a time limit, because the login may need the user.
   *
   * @param methodId the id of one of the {@link #authMethods}
   * @throws dev.repartee.RpcException if the login fails
   */
  public void authenticate(String methodId) {
    if (authMethods().stream().noneMatch(each -> Logins.id(each).equals(methodId))) {
      throw new IllegalArgumentException("the agent does not offer the login '" + methodId + "'");
    }
    deliveries.requireOtherThread();
    peer.request("authenticate")
        .params(new AuthenticateRequest(methodId))
        .timeout(Duration.ZERO)
        .call(AuthenticateResponse.class);
  }

  /**
   * Logs out.
   *
   * @throws UnsupportedOperationException if the agent has not announced {@code auth.logout}
   */
  public void logout() {
    AgentAuthCapabilities auth = capabilities().auth();
    require(auth != null && auth.logout() != null, "auth.logout");
    call("logout", new LogoutRequest(), LogoutResponse.class);
  }

  // ---------------------------------------------------------------- sessions

  /**
   * Creates a session.
   *
   * @param cwd the absolute path of the working directory
   * @param servers the MCP servers that the agent connects to
   * @throws dev.repartee.RpcException with the code {@link AcpErrors#AUTH_REQUIRED} if the agent
   *     needs a login first
   */
  public ClientSession newSession(String cwd, McpServer... servers) {
    return newSession(new NewSessionRequest(cwd, List.of(servers)));
  }

  /** Creates a session with further settings; see {@link #newSession(String, McpServer...)}. */
  public ClientSession newSession(NewSessionRequest request) {
    check(request.cwd(), request.additionalDirectories(), request.mcpServers());
    return open(
        "session/new",
        request,
        NewSessionResponse.class,
        answer ->
            new ClientSession(this, answer.sessionId(), answer.modes(), answer.configOptions()));
  }

  /**
   * Calls the agent, and adds the session in its answer before an update of the session is
   * delivered.
   */
  private <T> ClientSession open(
      String method, Object params, Class<T> result, Function<T, ClientSession> reader) {
    deliveries.requireOtherThread();
    CallFuture<T> call;
    CompletableFuture<ClientSession> opened;
    synchronized (incoming.opening()) {
      call = peer.request(method).params(params).unthrottled().send(result);
      // Runs on the reading thread before it reads an update, or on this thread if the answer has
      // already arrived. In the second case an update waits for the lock.
      opened = call.thenApply(answer -> {
        ClientSession session = reader.apply(answer);
        incoming.put(session);
        return session;
      });
    }
    call.await();
    return opened.join();
  }

  /**
   * Continues a session, and receives its history. Waits without a time limit. Returns after the
   * listener has handled the whole history.
   *
   * @throws UnsupportedOperationException if the agent has not announced {@code loadSession}
   */
  public ClientSession loadSession(LoadSessionRequest request, UpdateListener history) {
    require(Boolean.TRUE.equals(capabilities().loadSession()), "loadSession");
    check(request.cwd(), request.additionalDirectories(), request.mcpServers());
    deliveries.requireOtherThread();
    ClientSession session = new ClientSession(this, request.sessionId(), null, null);
    ClientSession before = incoming.put(session);
    session.listen(history);
    boolean loaded = false;
    try {
      CallFuture<LoadSessionResponse> call = peer.request("session/load")
          .params(request)
          .timeout(Duration.ZERO)
          .send(LoadSessionResponse.class);
      awaitUpdates(call, () -> session.listen(null));
      LoadSessionResponse answer = call.await();
      loaded = true;
      return answer == null ? session : session.with(answer.modes(), answer.configOptions());
    } finally {
      if (!loaded) {
        incoming.restore(session, before);
      }
    }
  }

  /**
   * Continues a session without its history.
   *
   * @throws UnsupportedOperationException if the agent has not announced {@code
   *     sessionCapabilities.resume}
   */
  public ClientSession resumeSession(ResumeSessionRequest request) {
    require(sessionCapabilities().resume() != null, "sessionCapabilities.resume");
    List<McpServer> servers = request.mcpServers();
    check(request.cwd(), request.additionalDirectories(), servers == null ? List.of() : servers);
    return open(
        "session/resume",
        request,
        ResumeSessionResponse.class,
        answer -> new ClientSession(
            this,
            request.sessionId(),
            answer == null ? null : answer.modes(),
            answer == null ? null : answer.configOptions()));
  }

  /**
   * Returns a page of the sessions that the agent knows.
   *
   * @throws UnsupportedOperationException if the agent has not announced {@code
   *     sessionCapabilities.list}
   */
  public ListSessionsResponse listSessions(ListSessionsRequest request) {
    require(sessionCapabilities().list() != null, "sessionCapabilities.list");
    return call("session/list", request, ListSessionsResponse.class);
  }

  /**
   * Deletes a session from the list of the agent.
   *
   * @throws UnsupportedOperationException if the agent has not announced {@code
   *     sessionCapabilities.delete}
   */
  public void deleteSession(String sessionId) {
    require(sessionCapabilities().delete() != null, "sessionCapabilities.delete");
    call("session/delete", new DeleteSessionRequest(sessionId), DeleteSessionResponse.class);
  }

  private SessionCapabilities sessionCapabilities() {
    SessionCapabilities announced = capabilities().sessionCapabilities();
    return announced == null ? new SessionCapabilities() : announced;
  }

  boolean closesSessions() {
    return sessionCapabilities().close() != null;
  }

  private void check(String cwd, @Nullable List<String> folders, List<McpServer> servers) {
    AbsolutePaths.require(cwd);
    if (folders != null) {
      folders.forEach(AbsolutePaths::require);
      require(
          folders.isEmpty() || sessionCapabilities().additionalDirectories() != null,
          "sessionCapabilities.additionalDirectories");
    }
    McpCapabilities mcp = capabilities().mcpCapabilities();
    for (McpServer each : servers) {
      require(
          !(each instanceof McpServerHttp) || mcp != null && Boolean.TRUE.equals(mcp.http()),
          "mcpCapabilities.http");
      require(
          !(each instanceof McpServerSse) || mcp != null && Boolean.TRUE.equals(mcp.sse()),
          "mcpCapabilities.sse");
    }
  }

  static void require(boolean announced, String capability) {
    if (!announced) {
      throw new UnsupportedOperationException(
          "the agent has not announced the capability '" + capability + "'");
    }
  }

  <T> T call(String method, Object params, Class<T> result) {
    deliveries.requireOtherThread();
    return peer.request(method).params(params).call(result);
  }

  /**
   * Runs an action after the end of a call, and after all updates that arrived before the answer.
   */
  void afterUpdates(CallFuture<?> call, Runnable action) {
    call.whenComplete((result, failure) -> deliveries.add(action, 0));
  }

  /** Runs an action as {@link #afterUpdates} does, and waits for it. */
  void awaitUpdates(CallFuture<?> call, Runnable action) {
    CompletableFuture<@Nullable Void> delivered = new CompletableFuture<>();
    afterUpdates(call, () -> {
      action.run();
      delivered.complete(null);
    });
    delivered.join();
  }

  void requireOtherThread() {
    deliveries.requireOtherThread();
  }

  /** Removes a session of this client. */
  void forget(ClientSession session) {
    incoming.restore(session, null);
  }

  /** Closes the connection. Ends the process of an {@code exec:} agent. */
  @Override
  public void close() {
    peer.close();
  }

  /** A builder of clients. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private final String version;
    private @Nullable String title;
    private final List<Object> handlers = new ArrayList<>();
    private final Map<String, Handler> extensions = new LinkedHashMap<>();
    private PermissionHandler permissions = PermissionQuestion::reject;
    private BiConsumer<String, SessionUpdate> others = (session, update) -> {};
    private UnaryOperator<ClientCapabilities> capabilities = UnaryOperator.identity();
    private Options options = AcpAgent.options().build();

    private Builder(String name, String version) {
      this.name = name;
      this.version = version;
    }

    /** Sets the name for people. */
    public Builder title(String title) {
      this.title = title;
      return this;
    }

    /**
     * Adds an object that serves requests of the agent, such as {@link
     * dev.repartee.acp.local.FolderFiles}. It implements interfaces of {@link
     * dev.repartee.acp.handlers}; the client announces their capabilities. An {@link AutoCloseable}
     * object is closed at the end of the connection, so clients must not share it.
     *
     * @throws IllegalArgumentException if the object does not have a method, or has a method that
     *     the client serves itself
     */
    public Builder handler(Object handler) {
      for (RpcMethod each : Service.of(handler).methods()) {
        if (each.name().equals("session/update")
            || each.name().equals("session/request_permission")) {
          throw new IllegalArgumentException(
              "the client handles '" + each.name() + "' itself; use onUpdate(), or permissions()");
        }
      }
      handlers.add(handler);
      return this;
    }

    /** Sets the handler for permissions. By default all tools are rejected. */
    public Builder permissions(PermissionHandler permissions) {
      this.permissions = permissions;
      return this;
    }

    /**
     * Sets the listener for updates outside of turns. It gets the id of the session and the update,
     * and follows the rules of {@link UpdateListener}.
     */
    public Builder onUpdate(BiConsumer<String, SessionUpdate> listener) {
      this.others = listener;
      return this;
    }

    /**
     * Adds a request or notification of an extension. It runs on a worker thread.
     *
     * @param method a name that starts with an underscore
     * @throws IllegalArgumentException if the name does not start with an underscore
     */
    public Builder extension(String method, Handler handler) {
      Extensions.require(method);
      extensions.put(method, handler);
      return this;
    }

    /** Changes the announced capabilities. The default is the capabilities of the handlers. */
    public Builder capabilities(UnaryOperator<ClientCapabilities> capabilities) {
      this.capabilities = capabilities;
      return this;
    }

    /** Sets the options, made by {@link AcpAgent#options}. */
    public Builder options(Options options) {
      this.options = options;
      return this;
    }

    /**
     * Starts an agent, or connects to one, and sends {@code initialize}.
     *
     * @param uri such as {@code exec:my-agent --acp} or {@code tcp://127.0.0.1:4000}
     * @throws IOException if the agent cannot be started or reached, or uses another version of the
     *     protocol
     * @throws dev.repartee.RpcException if the agent refuses the connection
     */
    public AcpClient connect(String uri) throws IOException {
      Holder holder = new Holder();
      Deliveries deliveries = new Deliveries(holder::readOn);
      Incoming incoming = new Incoming(permissions, others, deliveries);
      Service service = service(incoming);
      Options own = options.toBuilder().answersUnreadable(false).build();
      Peer peer = Repartee.connect(uri, service, own);
      holder.peer = peer;
      peer.flow().readWhile(deliveries::hasRoom);
      deliveries.start();
      peer.closed().whenComplete((ended, cause) -> {
        deliveries.end();
        Threads.start("repartee-acp-end", this::closeHandlers);
      });
      boolean connected = false;
      try {
        InitializeResponse agent = peer.request("initialize")
            .params(new InitializeRequest(AcpAgent.VERSION)
                .withClientInfo(new Implementation(name, version).withTitle(title))
                .withClientCapabilities(capabilities.apply(announced(service))))
            .call(InitializeResponse.class);
        if (agent.protocolVersion() != AcpAgent.VERSION) {
          throw new IOException("the agent speaks version " + agent.protocolVersion()
              + " of the protocol, and this client version " + AcpAgent.VERSION);
        }
        connected = true;
        return new AcpClient(peer, deliveries, incoming, agent);
      } finally {
        if (!connected) {
          peer.close();
        }
      }
    }

    private void closeHandlers() {
      for (Object each : handlers) {
        if (each instanceof AutoCloseable closeable) {
          try {
            closeable.close();
          } catch (Exception e) {
            // Continues with the other handlers.
          }
        }
      }
    }

    private Service service(Incoming incoming) {
      Service.Builder service = Service.builder();
      service.add(RpcMethod.builder("session/update")
          .lane(Lane.INLINE)
          .handler(SessionNotification.class, Void.class, incoming::update));
      service.add(RpcMethod.builder("session/request_permission")
          .lane(Lane.CONCURRENT)
          .asyncHandler(
              RequestPermissionRequest.class,
              RequestPermissionResponse.class,
              incoming::permission));
      for (Object each : handlers) {
        for (RpcMethod method : Service.of(each).methods()) {
          service.add(RpcMethod.builder(method.name())
              .lane(Lane.CONCURRENT)
              .handler(call -> orEmpty(method.handle(call))));
        }
      }
      Extensions.add(service, extensions);
      return service.build();
    }

    /** Replaces a null result by the empty object that the protocol requires. */
    private static Object orEmpty(@Nullable Object result) {
      if (result instanceof CompletionStage<?> stage) {
        return stage.thenApply(Builder::orEmpty);
      }
      return result == null ? Json.EMPTY_OBJECT : result;
    }

    private static ClientCapabilities announced(Service service) {
      boolean terminals = Stream.of("create", "output", "wait_for_exit", "kill", "release")
          .allMatch(each -> service.find("terminal/" + each) != null);
      return new ClientCapabilities()
          .withFs(new FileSystemCapabilities()
              .withReadTextFile(service.find("fs/read_text_file") != null)
              .withWriteTextFile(service.find("fs/write_text_file") != null))
          .withTerminal(terminals)
          .withSession(new ClientSessionCapabilities()
              .withConfigOptions(new SessionConfigOptionsCapabilities()
                  .withBoolean(new BooleanConfigOptionCapabilities())))
          .withElicitation(
              service.find("elicitation/create") == null
                  ? null
                  : new ElicitationCapabilities().withForm(new ElicitationFormCapabilities()));
    }
  }

  /** Holds the peer for code that is created before the peer. */
  private static final class Holder {
    private volatile @Nullable Peer peer;

    void readOn() {
      Peer connected = peer;
      if (connected != null) {
        connected.flow().readOn();
      }
    }
  }
}
