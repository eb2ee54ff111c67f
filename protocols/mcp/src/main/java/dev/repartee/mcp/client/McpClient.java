package dev.repartee.mcp.client;

import dev.repartee.Options;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonTypes;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.PromptResult;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.Sampling;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.openrpc.schema.CheckThreads;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client of one MCP server, in all revisions:
 *
 * <pre>{@code
 * try (McpClient client = McpClient.connect("exec:npx -y @modelcontextprotocol/server-everything")) {
 *   client.tools().forEach(tool -> System.out.println(tool.name()));
 *   System.out.println(client.call("echo", Map.of("message", "hello")));
 * }
 * }</pre>
 *
 * <p>URIs: {@code exec:COMMAND} starts a process and uses its standard input and output. {@code
 * http:} and {@code https:} use Streamable HTTP, or HTTP with SSE of 2024-11-05. {@code ws:},
 * {@code tcp:}, {@code unix:} and {@code mem:} carry one message per frame.
 *
 * <p>The client begins with the stateless revision 2026-07-28 and falls back to a handshake as the
 * specification describes. The process remembers the outcome for each server.
 *
 * <p>After a lost connection, the next call connects again; after the exit of an {@code exec:}
 * process, the next call starts it again. Calls without an answer fail with {@link
 * dev.repartee.transport.DisconnectedException}. They are never sent twice, because the server may
 * have run them.
 *
 * <p>Thread-safe. Methods that do not return a future block until the result arrives, at most for
 * {@link Builder#timeout}. That time does not include the time that a handler of this client needs
 * to answer a question. All calls can throw {@link dev.repartee.RpcException} (the server answered
 * with an error), {@link dev.repartee.CallTimeoutException}, {@link
 * dev.repartee.transport.DisconnectedException}, and {@link dev.repartee.ProtocolException} (the
 * answer breaks the protocol; the message names the rule).
 */
public final class McpClient implements AutoCloseable {
  private final Settings settings;
  private final Inputs inputs;
  private final Requests requests;
  private final Lists lists;
  private final Listenings listenings;
  private final CheckThreads checks = new CheckThreads();

  private McpClient(Settings settings, String uri) {
    this.settings = settings;
    ResultCache cache = new ResultCache(settings.clock());
    this.inputs = new Inputs(settings);
    Notifications notifications = new Notifications(settings, inputs);
    this.requests =
        new Requests(settings, notifications, inputs, new Connector(settings, notifications, uri));
    this.lists = new Lists(settings, requests, cache);
    this.listenings = new Listenings(requests, cache, settings.clock());
    notifications.onChange(listenings::changed);
    requests.listeners(this::connected, lists::load);
  }

  private void connected(Link link) {
    StreamableHttpChannel http = link.http();
    if (http != null && link.isStateless()) {
      lists.mirror(http);
    }
    listenings.connected(link);
  }

  Settings settings() {
    return settings;
  }

  Inputs inputs() {
    return inputs;
  }

  Requests requests() {
    return requests;
  }

  Lists lists() {
    return lists;
  }

  /** Returns the threads that check results, so that the threads that read connections do not. */
  CheckThreads checks() {
    return checks;
  }

  JsonTypes types() {
    return settings.options().types();
  }

  /** Sends a request and reads its answer. */
  private <T> CompletableFuture<T> ask(String method, Json params, Function<Json, T> reader) {
    return Futures.map(
        requests.send(Outgoing.of(method, params, settings.timeout())),
        answer -> Answers.read(method, answer.link().server(), answer.json(), reader));
  }

  /**
   * Connects without handlers; see {@link Builder#connect}.
   *
   * @throws IOException if the server cannot be reached or started
   */
  public static McpClient connect(String uri) throws IOException {
    return builder("repartee", "1").connect(uri);
  }

  /**
   * Returns a builder.
   *
   * @param name the name of the application, for servers
   * @param version its version
   */
  public static Builder builder(String name, String version) {
    return new Builder(Implementation.of(name, version));
  }

  // ---------------------------------------------------------------- the server

  /** Returns the revision in use. */
  public Revision revision() {
    return requests.last().revision();
  }

  /**
   * Returns the name and version of the server, or null if it did not send them. They are not
   * verified.
   */
  public @Nullable Implementation server() {
    return requests.last().agreed().server();
  }

  /** Returns the capabilities of the server: the object as the server sent it. */
  public Json capabilities() {
    return requests.last().agreed().capabilities();
  }

  /** Returns the instructions of the server for the model, or null. */
  public @Nullable String instructions() {
    return requests.last().agreed().instructions();
  }

  // ---------------------------------------------------------------- tools

  /**
   * Returns the tools. The stream fetches each page when it needs it; {@code toList()} fetches all
   * pages. Pages are cached for the time that the server allows, or until it reports a change. Over
   * HTTP, tools with an invalid {@code x-mcp-header} are omitted and reported to the listener of
   * the options.
   *
   * @throws dev.repartee.ProtocolException from the stream, if the server sends the same page again
   *     or more than 100,000 entries, 10,000 pages or 64 MiB
   */
  public Stream<RemoteTool> tools() {
    return lists.tools();
  }

  /**
   * Returns the tools in the form that a model API expects: an object for Gemini, otherwise an
   * array.
   */
  public Json toolsFor(ModelApi api) {
    return ToolForms.of(api, tools().map(tool -> Map.entry(tool.name(), tool)).toList());
  }

  /**
   * Calls a tool and waits for its result; {@link #request} has further settings.
   *
   * @param arguments as of {@link ToolCall#arguments}
   */
  public ToolResult call(String tool, @Nullable Object arguments) {
    return request(tool).arguments(arguments).call();
  }

  /** Returns a builder of a call with further settings: progress, time-out, log level, tasks. */
  public ToolCall request(String tool) {
    return new ToolCall(this, tool);
  }

  /** Returns a handle of a task that was started before. Does not send a request. */
  public RemoteTask task(String id) {
    return new ServerTask(this, id, null, null, new CallClock(settings.clock()));
  }

  /**
   * Returns an implementation of an interface whose methods call tools of the same name, or of the
   * name in {@link dev.repartee.Rpc}. The name of an argument is given by {@link
   * dev.repartee.Param}, or else is the name of the parameter in a class compiled with {@code
   * -parameters}. The result is read from the structured content, or else from the text. A method
   * may also return {@link ToolResult}, or a {@link CompletableFuture} of any of these types. A
   * result with {@code isError} becomes a {@link dev.repartee.mcp.types.ToolException} with its
   * text.
   *
   * @throws IllegalArgumentException if the type is not an interface, or has a method that cannot
   *     be a call
   */
  public <T> T proxy(Class<T> type) {
    return ToolProxy.create(this, type);
  }

  // ---------------------------------------------------------------- resources and prompts

  /** Returns the resources, like {@link #tools}. */
  public Stream<Resource> resources() {
    return lists.stream("resources/list", "resources", Answers::resource);
  }

  /** Returns the resource templates, like {@link #tools}. */
  public Stream<ResourceTemplate> templates() {
    return lists.stream("resources/templates/list", "resourceTemplates", Answers::template);
  }

  /** Returns the prompts, like {@link #tools}. */
  public Stream<RemotePrompt> prompts() {
    return lists.stream("prompts/list", "prompts", Answers::prompt);
  }

  /** Reads a resource. The contents are cached for the time that the server allows. */
  public List<ResourceContents> read(String uri) {
    String method = "resources/read";
    Requests.Answer answer = lists.cached(method, uri, Json.of(Map.of("uri", uri)));
    return Answers.read(
        method,
        answer.link().server(),
        answer.json(),
        json -> Answers.all(Answers.object(json), "contents", Answers::contents));
  }

  /** Returns the messages of a prompt. */
  public PromptResult prompt(String name, Map<String, String> arguments) {
    Json params = new JsonObjectBuilder()
        .put("name", name)
        .put("arguments", arguments.isEmpty() ? null : arguments)
        .build();
    return Futures.await(ask("prompts/get", params, Answers::promptResult), "prompts/get");
  }

  /**
   * Returns proposals for an argument of a prompt.
   *
   * @param chosen the values of the arguments that the user has already chosen
   */
  public Completion completePrompt(
      String prompt, String argument, String value, Map<String, String> chosen) {
    return complete(Map.of("type", "ref/prompt", "name", prompt), argument, value, chosen);
  }

  private Completion complete(
      Map<String, String> ref, String argument, String value, Map<String, String> chosen) {
    String method = "completion/complete";
    boolean hasContext = !chosen.isEmpty() && revision().isAtLeast(Revision.V2025_06_18);
    Json params = new JsonObjectBuilder()
        .put("ref", ref)
        .put("argument", Map.of("name", argument, "value", value))
        .put("context", hasContext ? Map.of("arguments", chosen) : null)
        .build();
    return Futures.await(ask(method, params, Answers::completion), method);
  }

  /** Returns proposals for a variable of a resource template; see {@link #completePrompt}. */
  public Completion completeResource(
      String uriTemplate, String variable, String value, Map<String, String> chosen) {
    return complete(Map.of("type", "ref/resource", "uri", uriTemplate), variable, value, chosen);
  }

  // ---------------------------------------------------------------- further requests

  /**
   * Subscribes to changes. If the connection is lost, the subscription is opened again on the next
   * one, until it is closed.
   *
   * @param to must not block, because it runs on a thread that reads the connection
   */
  public Subscription listen(ChangeFilter filter, Consumer<Change> to) {
    CompletableFuture<Subscription> opened = listenings.open(filter, to);
    String late = "the server has not acknowledged the subscription within " + settings.timeout();
    return Futures.within(opened, settings.timeout(), "the subscription", late);
  }

  /**
   * Sets the minimum level of the log messages that the server sends to {@link Builder#onLog}. The
   * level is sent with {@code logging/setLevel}, or with each later request in the stateless
   * revision.
   *
   * @deprecated The specification has deprecated Logging: write to standard error, or use
   *     OpenTelemetry (SEP-2577, since 2026-07-28). It works in all revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public void logLevel(LogLevel level) {
    requests.level(level);
    Link link = Futures.await(requests.link(), "logging/setLevel");
    if (!link.isStateless()) {
      Json params = Json.of(Map.of("level", level.label()));
      Futures.await(send("logging/setLevel", params), "logging/setLevel");
    }
  }

  /**
   * Reports to the server that the {@linkplain Builder#roots roots} have changed (specification
   * 2025-11-25, "Roots"). Sends {@code notifications/roots/list_changed} in the handshake
   * revisions. Does nothing in the stateless revision, where a server asks for the roots within a
   * call. Does nothing without a connection either, because a new connection begins with the new
   * roots.
   *
   * @throws IllegalStateException if this client has no roots
   * @deprecated The specification has deprecated Roots: use arguments of tools, addresses of
   *     resources or settings of the server (SEP-2577, since 2026-07-28). It works in all
   *     revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public void rootsChanged() {
    if (settings.roots() == null) {
      throw new IllegalStateException("this client has no roots; set them with Builder.roots");
    }
    Link link = requests.last();
    if (link.isStateless()) {
      return;
    }
    try {
      link.peer().request("notifications/roots/list_changed").sendNotification();
    } catch (DisconnectedException e) {
      // The next connection begins with the new roots.
    }
  }

  /**
   * Sends {@code ping}, or {@code server/discover} in the stateless revision, and waits for the
   * answer.
   */
  public void ping() {
    String method = revision().isStateless() ? "server/discover" : "ping";
    Futures.await(send(method, Json.EMPTY_OBJECT), method);
  }

  /**
   * Sends any request, for instance of an extension. Adds the {@code _meta} of the revision.
   *
   * @param params an object
   */
  public CompletableFuture<Json> send(String method, Json params) {
    if (params.kind() != Json.Kind.OBJECT || params.get("_meta") != null) {
      throw new IllegalArgumentException(
          "params of '" + method + "' have to be an object without _meta, which the client adds");
    }
    return ask(method, params, json -> json);
  }

  /**
   * Ends the connection. Running calls fail. An HTTP session is deleted. The standard input of a
   * process is closed, and the process gets a signal if it does not exit in time.
   */
  @Override
  public void close() {
    requests.close();
  }

  /** Reports a violation of the server to the listener of the options. */
  void report(String violation) {
    settings.options().listener().violation(requests.last().peer().channel(), violation);
  }

  @Override
  public String toString() {
    return "McpClient[" + requests.last().server() + "]";
  }

  /** Builds clients. Not thread-safe. May be used several times. */
  public static final class Builder {
    private final Implementation self;
    private Options options = Options.DEFAULT;
    private Duration timeout = Duration.ofSeconds(60);
    private Clock clock = Clock.SYSTEM;
    private Set<Revision> revisions = EnumSet.allOf(Revision.class);
    private boolean strict;
    private @Nullable HttpAuthorization authorization;
    private @Nullable Function<Elicitation, Elicitation.Answer> elicitation;
    private @Nullable Function<Sampling, Sampling.Answer> sampling;
    private @Nullable Supplier<List<Root>> roots;
    private @Nullable Consumer<LogMessage> log;
    private @Nullable Consumer<String> stderr;
    private final Map<String, Json> extensions = new LinkedHashMap<>();

    private Builder(Implementation self) {
      this.self = self;
    }

    /**
     * Sets the limits, headers, trace and listener of the connection. Headers are sent with each
     * HTTP request.
     */
    public Builder options(Options options) {
      this.options = options;
      return this;
    }

    /**
     * Sets the time-out of a call, and of {@link #connect} as a whole; 60 seconds by default.
     * {@link ToolCall#timeout} describes the steps that it includes. Each page of a list and each
     * poll of a task is a separate call.
     */
    public Builder timeout(Duration timeout) {
      if (timeout.isZero() || timeout.isNegative()) {
        throw new IllegalArgumentException("the time to wait has to be positive, not " + timeout);
      }
      this.timeout = timeout;
      return this;
    }

    /**
     * Sets the allowed revisions; all by default. Without 2026-07-28 the client begins with the
     * handshake. With only 2026-07-28 it never falls back.
     */
    public Builder revisions(Revision... revisions) {
      if (revisions.length == 0) {
        throw new IllegalArgumentException("a client needs at least one revision");
      }
      this.revisions = EnumSet.copyOf(List.of(revisions));
      return this;
    }

    /**
     * Refuses results without {@code resultType} in the stateless revision. By default such a
     * result counts as complete, as the specification requires, and is reported to the listener of
     * the options.
     */
    public Builder strict() {
      this.strict = true;
      return this;
    }

    /**
     * Sets the authorization of HTTP requests; none by default. The extensions that it implements are
     * declared, unless {@link #extension} declares them with other settings.
     */
    public Builder authorization(HttpAuthorization authorization) {
      this.authorization = authorization;
      return this;
    }

    /**
     * Sets the handler for the forms and pages of the server, and declares the capability. Missing
     * values of an accepted form are filled with the defaults of its schema. The address of a page
     * must begin with {@code http:} or {@code https:}; a question with another address is refused
     * and does not reach the handler. The handler may block, for instance until a user answers. The
     * time-outs of calls are paused meanwhile.
     */
    public Builder onElicitation(Function<Elicitation, Elicitation.Answer> handler) {
      this.elicitation = handler;
      return this;
    }

    /**
     * Sets the handler for requests to the model, and declares the capability. The handler may
     * block. The time-outs of calls are paused meanwhile.
     *
     * @deprecated The specification has deprecated Sampling: call the API of a model instead
     *     (SEP-2577, since 2026-07-28). It works in all revisions.
     */
    @Deprecated(since = "MCP 2026-07-28")
    public Builder onSampling(Function<Sampling, Sampling.Answer> handler) {
      this.sampling = handler;
      return this;
    }

    /**
     * Sets the supplier of the roots, and declares the capability. The supplier may block. Report
     * changes with {@link McpClient#rootsChanged}.
     *
     * @deprecated The specification has deprecated Roots: use arguments of tools, addresses of
     *     resources or settings of the server (SEP-2577, since 2026-07-28). It works in all
     *     revisions.
     */
    @Deprecated(since = "MCP 2026-07-28")
    public Builder roots(Supplier<List<Root>> roots) {
      this.roots = roots;
      return this;
    }

    /**
     * Sets the consumer of the server's log messages. It must not block, because it runs on a
     * thread that reads the connection.
     *
     * @deprecated The specification has deprecated Logging: write to standard error, or use
     *     OpenTelemetry (SEP-2577, since 2026-07-28). It works in all revisions.
     */
    @Deprecated(since = "MCP 2026-07-28")
    public Builder onLog(Consumer<LogMessage> consumer) {
      this.log = consumer;
      return this;
    }

    /** Sets the consumer of the lines that an {@code exec:} process writes to standard error. */
    public Builder onStderr(Consumer<String> consumer) {
      this.stderr = consumer;
      return this;
    }

    /** Declares an extension with its settings, an object. */
    public Builder extension(String name, Json settings) {
      if (settings.kind() != Json.Kind.OBJECT) {
        throw new IllegalArgumentException(
            "the settings of the extension '" + name + "' have to be an object, such as {}");
      }
      extensions.put(name, settings);
      return this;
    }

    /**
     * Connects to a server and agrees on a revision. Blocks until both are done.
     *
     * @throws IOException if the server cannot be reached or started
     * @throws dev.repartee.CallTimeoutException if the server does not answer within the {@link
     *     #timeout}
     * @throws IllegalArgumentException if no installed transport supports the URI
     * @throws dev.repartee.RpcException if the server refuses the handshake
     * @throws dev.repartee.ProtocolException if the server breaks the protocol
     */
    public McpClient connect(String uri) throws IOException {
      McpClient client = new McpClient(settings(), uri);
      client.requests.connect();
      return client;
    }

    /** Sets the clock of the time-outs and pauses, for tests. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /** Returns an independent copy of this builder. */
    Builder copy() {
      Builder copy = new Builder(self);
      copy.options = options;
      copy.timeout = timeout;
      copy.clock = clock;
      copy.revisions = revisions;
      copy.strict = strict;
      copy.authorization = authorization;
      copy.elicitation = elicitation;
      copy.sampling = sampling;
      copy.roots = roots;
      copy.log = log;
      copy.stderr = stderr;
      copy.extensions.putAll(extensions);
      return copy;
    }

    private Settings settings() {
      Map<String, Json> declared = new LinkedHashMap<>();
      if (authorization != null) {
        declared.putAll(authorization.extensions());
      }
      declared.putAll(extensions);
      return new Settings(
          self,
          options,
          timeout,
          clock,
          Collections.unmodifiableSet(EnumSet.copyOf(revisions)),
          strict,
          authorization,
          elicitation,
          sampling,
          roots,
          log,
          stderr,
          Collections.unmodifiableMap(declared));
    }
  }
}
