package dev.repartee.acp;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.TypedHandler;
import dev.repartee.acp.types.AuthCapabilities;
import dev.repartee.acp.types.AuthMethod;
import dev.repartee.acp.types.AuthMethodAgent;
import dev.repartee.acp.types.AuthenticateRequest;
import dev.repartee.acp.types.AuthenticateResponse;
import dev.repartee.acp.types.AvailableCommandsUpdate;
import dev.repartee.acp.types.CancelNotification;
import dev.repartee.acp.types.ClientCapabilities;
import dev.repartee.acp.types.CloseSessionRequest;
import dev.repartee.acp.types.CloseSessionResponse;
import dev.repartee.acp.types.DeleteSessionRequest;
import dev.repartee.acp.types.DeleteSessionResponse;
import dev.repartee.acp.types.Implementation;
import dev.repartee.acp.types.InitializeRequest;
import dev.repartee.acp.types.InitializeResponse;
import dev.repartee.acp.types.ListSessionsRequest;
import dev.repartee.acp.types.ListSessionsResponse;
import dev.repartee.acp.types.LoadSessionRequest;
import dev.repartee.acp.types.LoadSessionResponse;
import dev.repartee.acp.types.LogoutRequest;
import dev.repartee.acp.types.LogoutResponse;
import dev.repartee.acp.types.McpServer;
import dev.repartee.acp.types.McpServerHttp;
import dev.repartee.acp.types.McpServerSse;
import dev.repartee.acp.types.NewSessionRequest;
import dev.repartee.acp.types.NewSessionResponse;
import dev.repartee.acp.types.PromptRequest;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.ResumeSessionRequest;
import dev.repartee.acp.types.ResumeSessionResponse;
import dev.repartee.acp.types.SessionModeState;
import dev.repartee.acp.types.SetSessionConfigOptionRequest;
import dev.repartee.acp.types.SetSessionConfigOptionResponse;
import dev.repartee.acp.types.SetSessionModeRequest;
import dev.repartee.acp.types.SetSessionModeResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection of an agent, with its sessions.
 *
 * <p>{@code initialize}, {@code session/prompt} and {@code session/cancel} run inline, on the
 * reading thread. Therefore a turn exists before its cancellation is read. These handlers must not
 * block; the code of the application runs on other threads.
 */
final class AgentConnection {
  /** The maximum number of open sessions. */
  private static final int MOST_SESSIONS = 1_000;

  private final AcpAgent agent;

  /** The sessions by id; guarded by itself. */
  private final Map<String, AgentSession> sessions = new LinkedHashMap<>();

  private boolean closed; // guarded by sessions

  // Written by initialize() on the reading thread, before it reads another message.
  private volatile @Nullable Peer peer;
  private volatile ClientCapabilities client = new ClientCapabilities();
  private volatile @Nullable Implementation clientInfo;

  private volatile boolean loggedIn;

  AgentConnection(AcpAgent agent) {
    this.agent = agent;
    this.loggedIn = agent.login == null;
  }

  /** Returns the methods of this connection. */
  Service service() {
    Service.Builder service = Service.builder();
    service.add(RpcMethod.builder("initialize")
        .lane(Lane.INLINE)
        .handler(InitializeRequest.class, InitializeResponse.class, this::initialize));
    service.add(RpcMethod.builder("session/prompt")
        .lane(Lane.INLINE)
        .asyncHandler(PromptRequest.class, PromptResponse.class, this::prompt));
    service.add(RpcMethod.builder("session/cancel")
        .lane(Lane.INLINE)
        .handler(CancelNotification.class, Void.class, this::cancel));
    add(service, "session/new", NewSessionRequest.class, NewSessionResponse.class, this::open);
    add(
        service,
        "session/set_mode",
        SetSessionModeRequest.class,
        SetSessionModeResponse.class,
        this::setMode);
    add(
        service,
        "session/set_config_option",
        SetSessionConfigOptionRequest.class,
        SetSessionConfigOptionResponse.class,
        this::setOption);
    add(
        service,
        "session/close",
        CloseSessionRequest.class,
        CloseSessionResponse.class,
        this::closeSession);
    addLogins(service);
    addStoredSessions(service);
    Extensions.add(service, agent.extensions);
    return service.build();
  }

  /** Adds the methods for logins, if the agent offers them. */
  private void addLogins(Service.Builder service) {
    Login login = agent.login;
    if (login != null) {
      add(
          service,
          "authenticate",
          AuthenticateRequest.class,
          AuthenticateResponse.class,
          (params, call) -> authenticate(login, params));
    }
    Runnable logout = agent.logout;
    if (logout != null) {
      add(service, "logout", LogoutRequest.class, LogoutResponse.class, (params, call) -> {
        logout.run();
        loggedIn = agent.login == null;
        return new LogoutResponse();
      });
    }
  }

  /** Adds the methods for stored sessions, if the agent offers them. */
  private void addStoredSessions(Service.Builder service) {
    SessionLoader load = agent.load;
    if (load != null) {
      add(
          service,
          "session/load",
          LoadSessionRequest.class,
          LoadSessionResponse.class,
          (params, call) -> load(load, params, call));
    }
    SessionLoader resume = agent.resume;
    if (resume != null) {
      add(
          service,
          "session/resume",
          ResumeSessionRequest.class,
          ResumeSessionResponse.class,
          (params, call) -> resume(resume, params, call));
    }
    Function<ListSessionsRequest, ListSessionsResponse> list = agent.list;
    if (list != null) {
      add(
          service,
          "session/list",
          ListSessionsRequest.class,
          ListSessionsResponse.class,
          (params, call) -> {
            requireLogin();
            return list.apply(params);
          });
    }
    Consumer<String> delete = agent.delete;
    if (delete != null) {
      add(
          service,
          "session/delete",
          DeleteSessionRequest.class,
          DeleteSessionResponse.class,
          (params, call) -> {
            requireLogin();
            delete.accept(params.sessionId());
            return new DeleteSessionResponse();
          });
    }
  }

  private <P, R> void add(
      Service.Builder service,
      String name,
      Class<P> params,
      Class<R> result,
      TypedHandler<P, R> to) {
    service.add(
        RpcMethod.builder(name).lane(Lane.CONCURRENT).handler(params, result, (given, call) -> {
          requireInitialized(name);
          return to.handle(given, call);
        }));
  }

  // ---------------------------------------------------------------- the connection

  private InitializeResponse initialize(InitializeRequest params, Call call) {
    if (peer != null) {
      throw AcpErrors.refused("the connection is initialized already");
    }
    ClientCapabilities announced = params.clientCapabilities();
    client = announced == null ? client : announced;
    clientInfo = params.clientInfo();
    peer = call.peer();
    // A client that has closed its output cannot send a cancellation.
    call.peer().flow().onInputClosed(this::cancelTurns);
    return new InitializeResponse(AcpAgent.VERSION)
        .withAgentCapabilities(agent.capabilities)
        .withAgentInfo(agent.info)
        .withAuthMethods(agent.logins.values().stream().filter(this::isUsable).toList());
  }

  private boolean isUsable(AuthMethod method) {
    AuthCapabilities able = client.auth();
    return method instanceof AuthMethodAgent
        || able != null && Boolean.TRUE.equals(able.terminal());
  }

  private void requireInitialized(String method) {
    if (peer == null) {
      throw AcpErrors.refused(
          "'" + method + "' is not possible yet; send 'initialize' and wait for its answer");
    }
  }

  private void requireLogin() {
    if (!loggedIn) {
      throw AcpErrors.authRequired();
    }
  }

  private AuthenticateResponse authenticate(Login login, AuthenticateRequest params)
      throws Exception {
    if (!agent.logins.containsKey(params.methodId())) {
      throw AcpErrors.invalid("there is no login '" + params.methodId() + "'; offered are "
          + String.join(", ", agent.logins.keySet()));
    }
    login.authenticate(params);
    loggedIn = true;
    return new AuthenticateResponse();
  }

  /** Returns the peer of the client. */
  Peer peer() {
    Peer connected = peer;
    if (connected == null) {
      throw new IllegalStateException("the connection is not initialized");
    }
    return connected;
  }

  ClientCapabilities client() {
    return client;
  }

  @Nullable Implementation clientInfo() {
    return clientInfo;
  }

  /** Cancels all turns. Never blocks. */
  private void cancelTurns() {
    List<AgentSession> open;
    synchronized (sessions) {
      open = List.copyOf(sessions.values());
    }
    open.forEach(AgentSession::cancel);
  }

  /** Cancels all turns and ends all sessions, after the end of the connection. */
  void close() {
    List<AgentSession> ended;
    synchronized (sessions) {
      closed = true;
      ended = new ArrayList<>(sessions.values());
      sessions.clear();
    }
    ended.forEach(this::end);
  }

  private void end(AgentSession session) {
    session.cancel();
    agent.closed.accept(session);
  }

  // ---------------------------------------------------------------- sessions

  private NewSessionResponse open(NewSessionRequest params, Call call) {
    requireLogin();
    AgentSession session = session(
        UUID.randomUUID().toString(),
        params.cwd(),
        params.additionalDirectories(),
        params.mcpServers());
    agent.opened.accept(session);
    keep(session, call);
    return new NewSessionResponse(session.id())
        .withModes(session.modes())
        .withConfigOptions(session.optionsOrNull());
  }

  private LoadSessionResponse load(SessionLoader loader, LoadSessionRequest params, Call call)
      throws Exception {
    AgentSession session = restored(
        loader,
        params.sessionId(),
        params.cwd(),
        params.additionalDirectories(),
        params.mcpServers(),
        call);
    return new LoadSessionResponse()
        .withModes(session.modes())
        .withConfigOptions(session.optionsOrNull());
  }

  private ResumeSessionResponse resume(SessionLoader loader, ResumeSessionRequest params, Call call)
      throws Exception {
    AgentSession session = restored(
        loader,
        params.sessionId(),
        params.cwd(),
        params.additionalDirectories(),
        params.mcpServers(),
        call);
    return new ResumeSessionResponse()
        .withModes(session.modes())
        .withConfigOptions(session.optionsOrNull());
  }

  private AgentSession restored(
      SessionLoader loader,
      String id,
      String cwd,
      @Nullable List<String> folders,
      @Nullable List<McpServer> servers,
      Call call)
      throws Exception {
    requireLogin();
    AgentSession session = session(id, cwd, folders, servers);
    loader.load(session);
    keep(session, call);
    return session;
  }

  /** Creates a session after a check of its params. */
  private AgentSession session(
      String id, String cwd, @Nullable List<String> folders, @Nullable List<McpServer> servers) {
    requireAbsolute("cwd", cwd);
    List<String> further = folders == null ? List.of() : folders;
    further.forEach(each -> requireAbsolute("additionalDirectories", each));
    if (!further.isEmpty() && !agent.severalFolders) {
      throw AcpErrors.invalid("the agent has not announced 'additionalDirectories'");
    }
    List<McpServer> given = servers == null ? List.of() : servers;
    for (McpServer each : given) {
      if (each instanceof McpServerHttp && !Boolean.TRUE.equals(agent.mcp.http())) {
        throw AcpErrors.invalid("the agent has not announced 'mcpCapabilities.http'");
      } else if (each instanceof McpServerSse && !Boolean.TRUE.equals(agent.mcp.sse())) {
        throw AcpErrors.invalid("the agent has not announced 'mcpCapabilities.sse'");
      }
    }
    return new AgentSession(this, agent, id, cwd, further, given);
  }

  private static void requireAbsolute(String member, String path) {
    if (!AbsolutePaths.is(path)) {
      throw AcpErrors.invalid("'" + member + "' has to be an absolute path");
    }
  }

  /** Adds a session, and sends its commands after the answer to the request. */
  private void keep(AgentSession session, Call call) {
    AgentSession before = null;
    RpcException refusal = null;
    synchronized (sessions) {
      if (closed) {
        refusal = AcpErrors.refused("the connection has ended");
      } else if (sessions.size() >= MOST_SESSIONS && !sessions.containsKey(session.id())) {
        refusal = AcpErrors.refused(MOST_SESSIONS + " sessions are open; close some");
      } else {
        before = sessions.put(session.id(), session);
      }
    }
    if (refusal != null) {
      agent.closed.accept(session);
      throw refusal;
    }
    if (before != null) { // the client has loaded this session again
      before.cancel();
    }
    if (!agent.commands.isEmpty()) {
      call.afterAnswer(() -> session.update(new AvailableCommandsUpdate(agent.commands)));
    }
  }

  private AgentSession find(String id) {
    synchronized (sessions) {
      AgentSession session = sessions.get(id);
      if (session != null) {
        return session;
      }
    }
    requireLogin();
    throw AcpErrors.notFound(id);
  }

  private CloseSessionResponse closeSession(CloseSessionRequest params, Call call) {
    AgentSession session = find(params.sessionId());
    synchronized (sessions) {
      sessions.remove(params.sessionId(), session);
    }
    end(session);
    return new CloseSessionResponse();
  }

  private SetSessionModeResponse setMode(SetSessionModeRequest params, Call call) {
    find(params.sessionId()).chooseMode(params.modeId());
    return new SetSessionModeResponse();
  }

  private SetSessionConfigOptionResponse setOption(
      SetSessionConfigOptionRequest params, Call call) {
    AgentSession session = find(params.sessionId());
    session.chooseOption(params.configId(), params.value());
    return new SetSessionConfigOptionResponse(session.shownOptions());
  }

  // ---------------------------------------------------------------- turns

  private CompletableFuture<PromptResponse> prompt(PromptRequest params, Call call) {
    requireInitialized("session/prompt");
    AgentSession session = find(params.sessionId());
    PromptContent.require(agent.prompts, params.prompt());
    return session.start(params.prompt(), call);
  }

  private @Nullable Void cancel(CancelNotification params, Call call) {
    AgentSession session;
    synchronized (sessions) {
      session = sessions.get(params.sessionId());
    }
    if (session != null) {
      session.cancel();
    }
    return null;
  }

  /** Returns the modes with the given current mode, or null if the agent does not have modes. */
  @Nullable SessionModeState modes(@Nullable String current) {
    return current == null ? null : new SessionModeState(current, agent.modes);
  }
}
