package dev.repartee.mcp.client;

import dev.repartee.Options;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonTypes;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.client.http.StreamableHttpChannel;
import dev.repartee.mcp.schema.CheckThreads;
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
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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
 * <p>URIs: {@code exec:COMMAND} starts a process and uses its standard input and output; {@code
 * http:} and {@code https:} are Streamable HTTP, or HTTP with SSE of 2024-11-05; {@code ws:},
 * {@code tcp:}, {@code unix:} and {@code mem:} carry one message per frame.
 *
 * <p>The client begins with the stateless revision 2026-07-28 and falls back to a handshake as the
 * specification describes. The outcome is remembered for each server while this process runs.
 *
 * <p>A lost connection is opened again with the next call, and a process that has ended is started
 * again. Calls that had no answer yet fail with {@link
 * dev.repartee.transport.DisconnectedException}; they are never sent twice, since the server may
 * have run them.
 *
 * <p>Thread-safe. Methods without a future wait for the result, for {@link Builder#timeout} at
 * most, and while a handler of this client answers a question. Errors of all calls: {@link dev.repartee.RpcException} if the server answers with an error,
 * {@link dev.repartee.CallTimeoutException}, {@link dev.repartee.transport.DisconnectedException},
 * and {@link dev.repartee.ProtocolException} with the broken rule if the answer breaks the
 * protocol.
 */
public final class McpClient implements AutoCloseable {
  private final Settings settings;
  private final Inputs inputs;
  private final Requests requests;
  private final ResultCache cache = new ResultCache();
  private final Lists lists;
  private final Listenings listenings;
  private final CheckThreads checks = new CheckThreads();

  private McpClient(Settings settings, String uri) {
    this.settings = settings;
    this.inputs = new Inputs(settings);
    Notifications notifications = new Notifications(settings, inputs);
    this.requests =
        new Requests(settings, notifications, inputs, new Connector(settings, notifications, uri));
    this.lists = new Lists(settings, requests, cache);
    this.listenings = new Listenings(requests, cache);
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

  /** Returns the threads that check results: not those that read connections. */
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

  /** Returns the name and version of the server, if it told them. They are not verified. */
  public @Nullable Implementation server() {
    return requests.last().agreed().server();
  }

  /** Returns the capabilities of the server, an object as the server sent it. */
  public Json capabilities() {
    return requests.last().agreed().capabilities();
  }

  /** Returns the instructions of the server for the model, or null. */
  public @Nullable String instructions() {
    return requests.last().agreed().instructions();
  }

  // ---------------------------------------------------------------- tools

  /**
   * Returns the tools. The stream fetches a page when it needs one; {@code toList()} fetches all.
   * The pages are kept for the time that the server allows, until it reports a change. Over HTTP,
   * tools with an invalid {@code x-mcp-header} are left out and reported to the listener of the
   * options.
   *
   * @throws dev.repartee.ProtocolException from the stream, if the server sends the same page again
   *     or more than 100,000 entries, 10,000 pages or 64 MiB
   */
  public Stream<RemoteTool> tools() {
    return lists.tools();
  }

  /** Returns the tools in the form of a model API: an array, or for Gemini an object. */
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

  /** Starts a call with further settings: progress, time-out, log level, tasks. */
  public ToolCall request(String tool) {
    return new ToolCall(this, tool);
  }

  /** Returns a handle of a task that was started before; sends nothing. */
  public RemoteTask task(String id) {
    return new ServerTask(this, id, null, null, new CallClock());
  }

  /**
   * Returns an implementation of an interface whose methods call tools of the same name, or of the
   * name in {@link dev.repartee.Rpc}. Parameters have the names of {@link
   * dev.repartee.Param}, or those of the source compiled with {@code -parameters}. The result
   * is read from the structured content, or from the text if there is none; a method may also
   * return {@link ToolResult}, and a {@link CompletableFuture} of any of these. A result with
   * {@code isError} becomes a {@link dev.repartee.mcp.types.ToolException} with its text.
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
    return list("resources/list", "resources", Answers::resource);
  }

  /** Returns the resource templates, like {@link #tools}. */
  public Stream<ResourceTemplate> templates() {
    return list("resources/templates/list", "resourceTemplates", Answers::template);
  }

  /** Returns the prompts, like {@link #tools}. */
  public Stream<RemotePrompt> prompts() {
    return list("prompts/list", "prompts", Answers::prompt);
  }

  /** Reads a resource. The contents are kept for the time that the server allows. */
  public List<ResourceContents> read(String uri) {
    String method = "resources/read";
    String key = method + " " + uri;
    Requests.Answer answer = cache.get(key);
    if (answer == null) {
      long before = cache.changes();
      Json params = Json.of(Map.of("uri", uri));
      answer =
          Futures.await(requests.send(Outgoing.of(method, params, settings.timeout())), method);
      cache.put(key, answer, before);
    }
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
   * @param chosen the values of other arguments that the user has already chosen
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
   * Subscribes to changes. The subscription is opened again after its connection was lost, until it
   * is closed.
   *
   * @param to runs on a thread that reads the connection, so it must not block
   */
  public Subscription listen(ChangeFilter filter, Consumer<Change> to) {
    CompletableFuture<Subscription> opened = listenings.open(filter, to);
    String late = "the server has not acknowledged the subscription within " + settings.timeout();
    return Futures.within(opened, settings.timeout(), "the subscription", late);
  }

  /**
   * Sets the level from which on the server sends log messages to {@link Builder#onLog}: with
   * {@code logging/setLevel}, or with each later request in the stateless revision.
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
   * Tells the server that the {@linkplain Builder#roots roots} have changed, so that it asks for
   * them again (specification 2025-11-25, "Roots"). Sends {@code notifications/roots/list_changed}
   * in the handshake revisions. In the stateless one it sends nothing, since a server asks within
   * each call. Without a connection it sends nothing either: a new one begins with the new roots.
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

  /** Waits for an answer of the server: to {@code ping}, or to {@code server/discover}. */
  public void ping() {
    String method = revision().isStateless() ? "server/discover" : "ping";
    Futures.await(send(method, Json.EMPTY_OBJECT), method);
  }

  /**
   * Sends any request, such as one of an extension. The {@code _meta} of the revision is added.
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
   * Ends the connection: running calls fail, an HTTP session is deleted, a process gets the end of
   * its input, then a time to exit, then a signal.
   */
  @Override
  public void close() {
    requests.close();
  }

  /** Reports a violation of the server to the listener of the options. */
  void report(String violation) {
    settings.options().listener().violation(requests.last().peer().channel(), violation);
  }

  private <T> Stream<T> list(String method, String member, Function<Json, T> reader) {
    return lists.stream(method, member, (answer, entries) -> {
      List<T> all = new ArrayList<>(entries.size());
      for (Json entry : entries) {
        all.add(Answers.read(method, answer.link().server(), entry, reader));
      }
      return all;
    });
  }

  @Override
  public String toString() {
    return "McpClient[" + requests.last().server() + "]";
  }

  /** Builds clients. Not thread-safe; it may build several. */
  public static final class Builder {
    private final Implementation self;
    private Options options = Options.DEFAULT;
    private Duration timeout = Duration.ofSeconds(60);
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
     * Sets the time to wait for the result of a call, and for {@link #connect} as a whole, 60
     * seconds by default. {@link ToolCall#timeout} tells all that it contains. Each page of a list
     * and each poll of a task is a call.
     */
    public Builder timeout(Duration timeout) {
      if (timeout.isZero() || timeout.isNegative()) {
        throw new IllegalArgumentException("the time to wait has to be positive, not " + timeout);
      }
      this.timeout = timeout;
      return this;
    }

    /**
     * Sets the revisions to use, all by default. Without 2026-07-28 the client begins with the
     * handshake; with 2026-07-28 only, it never falls back.
     */
    public Builder revisions(Revision... revisions) {
      if (revisions.length == 0) {
        throw new IllegalArgumentException("a client needs at least one revision");
      }
      this.revisions = EnumSet.copyOf(List.of(revisions));
      return this;
    }

    /**
     * Refuses results without {@code resultType} in the stateless revision. By default they count
     * as complete, as the specification says, and are reported to the listener of the options.
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
     * Answers forms and pages of the server, and declares the capability. Missing values of an
     * accepted form are filled with the defaults of its schema. A page has an address of {@code
     * http:} or {@code https:}; a question with any other breaks the protocol and does not reach the
     * handler. The handler may block, as for a user; the time-outs of calls stand still meanwhile.
     */
    public Builder onElicitation(Function<Elicitation, Elicitation.Answer> handler) {
      this.elicitation = handler;
      return this;
    }

    /**
     * Answers requests for the model, and declares the capability. The handler may block; the
     * time-outs of calls stand still meanwhile.
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
     * Answers requests for the roots, and declares the capability. The supplier may block. {@link
     * McpClient#rootsChanged} reports a change.
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
     * Takes the log messages of the server. The consumer runs on a thread that reads the
     * connection, so it must not block.
     *
     * @deprecated The specification has deprecated Logging: write to standard error, or use
     *     OpenTelemetry (SEP-2577, since 2026-07-28). It works in all revisions.
     */
    @Deprecated(since = "MCP 2026-07-28")
    public Builder onLog(Consumer<LogMessage> consumer) {
      this.log = consumer;
      return this;
    }

    /** Takes the lines that an {@code exec:} process writes to its standard error. */
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
     * Connects to a server and agrees on a revision with it. Waits until then.
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

    /** Returns a builder with the same settings that later changes do not affect. */
    Builder copy() {
      Builder copy = new Builder(self);
      copy.options = options;
      copy.timeout = timeout;
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
