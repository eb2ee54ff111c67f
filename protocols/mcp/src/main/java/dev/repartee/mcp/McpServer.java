package dev.repartee.mcp;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.mcp.auth.Protection;
import dev.repartee.mcp.http.StreamableHttpHandler;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.mcp.state.StateSeal;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.Revision;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Lenience;
import dev.repartee.transport.http.HttpService;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server: serves tools, resources and prompts to clients of every {@link Revision} over any
 * transport. Each {@link Catalog} of tools, prompts and resources may change while the server runs.
 *
 * <pre>{@code
 * McpServer.builder("weather", "1.0")
 *     .tool(Tool.named("forecast")
 *         .description("Tells the weather of a city")
 *         .handle(City.class, (call, city) -> "Sunny in " + city.name()))
 *     .build()
 *     .listen("stdio:")
 *     .join();
 * }</pre>
 *
 * <p>Thread-safe. One server may listen at any number of endpoints at the same time.
 */
public final class McpServer {
  private final Settings settings;
  private final Catalog<Tool> tools;
  private final Catalog<Prompt> prompts;
  private final Catalog<ServedResource> resources;
  private final Catalog<ServedTemplate> templates;
  private final Subscribers subscribers = new Subscribers();
  private final StateSeal seal;
  private final TaskStore tasks;
  private final Protocol protocol;

  private McpServer(Builder made) {
    this.settings = made.settings();
    this.tools = catalog(Tool::name, Subscribers.Kind.TOOLS, made.tools);
    this.prompts = catalog(Prompt::name, Subscribers.Kind.PROMPTS, made.prompts);
    this.resources =
        catalog(served -> served.resource().uri(), Subscribers.Kind.RESOURCES, made.resources);
    this.templates = catalog(
        served -> served.template.uriTemplate(), Subscribers.Kind.RESOURCES, made.templates);
    this.seal = new StateSeal(made.secret, made.inputTimeout, made.clock);
    this.tasks = new TaskStore(this);
    this.protocol = new Protocol(this);
  }

  private <T> Catalog<T> catalog(Function<T, String> key, Subscribers.Kind kind, List<T> entries) {
    Catalog<T> catalog = new Catalog<>(key, () -> subscribers.changed(kind));
    entries.forEach(catalog::add);
    return catalog;
  }

  /** Returns a builder of a server with that name and version. */
  public static Builder builder(String name, String version) {
    return new Builder(Implementation.of(name, version));
  }

  /**
   * Returns a builder of a server with that name, version, title, description, website and icons.
   */
  public static Builder builder(Implementation self) {
    return new Builder(self);
  }

  /**
   * Listens at an endpoint until the returned server is closed. The URI is {@code stdio:}, {@code
   * http://HOST:PORT/PATH}, or a URI of another installed transport. Over HTTP the path serves
   * Streamable HTTP, with sessions (2025-03-26 to 2025-11-25) and without (2026-07-28), and the
   * HTTP with SSE transport of 2024-11-05.
   *
   * @return the listening server; its {@code close} ends all its sessions and connections
   * @throws IOException if the endpoint cannot be bound
   * @throws IllegalArgumentException if no installed transport supports the URI
   */
  public Server listen(String uri) throws IOException {
    return Repartee.listen(uri, peers(), settings.options());
  }

  /**
   * Returns this server as a new factory of peers, for one path of {@link dev.repartee.HttpRoutes}
   * or for one {@link Repartee#listen(String, PeerFactory, dev.repartee.Options)}. Listening
   * servers cannot share a factory.
   */
  public PeerFactory peers() {
    return new McpPeerFactory();
  }

  /**
   * Serves one connection over a channel of your own, for example in process. The channel must not
   * have been started; this method starts it.
   *
   * @return the peer of the connection, which closes it
   */
  public Peer open(Channel channel) {
    Principal principal = channel.attributes().get(Principal.KEY);
    return Connection.open(
        protocol, channel, SessionMemory.owner(principal, channel.info().remote()));
  }

  /** Opens and tracks the connections of one endpoint. */
  private final class McpPeerFactory implements PeerFactory {
    private final Set<Peer> peers = ConcurrentHashMap.newKeySet();

    /**
     * The HTTP handler. Null until an HTTP transport asks for it; on standard input always null.
     */
    private volatile @Nullable StreamableHttpHandler http;

    @Override
    public Peer open(Channel channel) {
      if (settings.protection() != null && channel.info().transport().startsWith("ws")) {
        return refuse(channel);
      }
      Peer peer = McpServer.this.open(channel);
      peers.add(peer);
      peer.closed().whenComplete((nothing, cause) -> peers.remove(peer));
      return peer;
    }

    /**
     * Closes a WebSocket connection of a protected server. Only HTTP requests carry tokens, and a
     * WebSocket would bypass the check.
     */
    private Peer refuse(Channel channel) {
      Peer peer = Peer.open(channel, Service.NONE, settings.options());
      peer.close();
      return peer;
    }

    @Override
    public HttpService http(String path) {
      StreamableHttpHandler handler = new StreamableHttpHandler(new HttpBackend(protocol), path);
      http = handler;
      return handler;
    }

    @Override
    public Access access() {
      return settings.options().access();
    }

    @Override
    public void closing() {
      StreamableHttpHandler handler = http;
      if (handler != null) {
        handler.closing();
      }
      peers.forEach(subscribers::leave);
    }

    @Override
    public void closed() {
      StreamableHttpHandler handler = http;
      if (handler != null) {
        handler.closed();
      }
    }
  }

  // ---------------------------------------------------------------- tools, prompts, resources

  /** Returns the tools, by their names. */
  public Catalog<Tool> tools() {
    return tools;
  }

  /** Returns the prompts, by their names. */
  public Catalog<Prompt> prompts() {
    return prompts;
  }

  /** Returns the resources, by their URIs. */
  public Catalog<ServedResource> resources() {
    return resources;
  }

  /** Returns the resource templates, by their URI templates. */
  public Catalog<ServedTemplate> templates() {
    return templates;
  }

  /**
   * Notifies the clients that subscribed to the resource of that URI that its contents have changed
   * ({@code notifications/resources/updated}). Does not block: a client that does not read gets the
   * notification later, once for several changes.
   */
  public void updated(String uri) {
    subscribers.updated(uri);
  }

  /**
   * Reports that the user has finished an elicitation in URL mode: sends {@code
   * notifications/elicitation/complete} to the client of 2025-11-25 that was given the URL.
   *
   * @param id the id that {@link Elicitation#url} was given
   */
  public void completeElicitation(String id) {
    subscribers.completeElicitation(id);
  }

  /**
   * Sends a log message ({@code notifications/message}) that does not belong to a call. It goes to
   * the clients that have sent {@code notifications/initialized} and want the level. Does not
   * block: a client that does not read misses it. Clients of 2026-07-28 get log messages of their
   * own calls only ({@link McpCall#log(LogLevel, Object)}).
   *
   * @param logger the name of the component that logs, or null
   * @param data a string, or any value that {@link Json#of} can write; never a secret
   * @deprecated The specification has deprecated Logging: write to standard error, or use
   *     OpenTelemetry (SEP-2577, since 2026-07-28). It works in all revisions.
   */
  @Deprecated(since = "MCP 2026-07-28")
  public void log(LogLevel level, @Nullable String logger, Object data) {
    subscribers.log(level, ServerSession.message(level, logger, data));
  }

  Subscribers subscribers() {
    return subscribers;
  }

  StateSeal seal() {
    return seal;
  }

  TaskStore tasks() {
    return tasks;
  }

  Settings settings() {
    return settings;
  }

  /** Returns whether a tool needs a session. */
  boolean needsSessions() {
    return tools.all().stream().anyMatch(Tool::needsSession);
  }

  /** The values of a {@link Builder} except tools, prompts and resources. */
  record Settings(
      Implementation self,
      @Nullable String instructions,
      int pageSize,
      Duration cacheTime,
      boolean isCachePublic,
      Duration inputTimeout,
      int maxTasks,
      Duration taskTime,
      @Nullable Protection protection,
      Options options,
      Clock clock,
      Map<String, Json> extensions,
      Map<String, RequestHandler> methods) {}

  /** Builds a {@link McpServer}. Not thread-safe. */
  public static final class Builder {
    private final Implementation self;
    private final List<Tool> tools = new ArrayList<>();
    private final List<Prompt> prompts = new ArrayList<>();
    private final List<ServedResource> resources = new ArrayList<>();
    private final List<ServedTemplate> templates = new ArrayList<>();
    private final Map<String, Json> extensions = new LinkedHashMap<>();
    private final Map<String, RequestHandler> methods = new LinkedHashMap<>();
    private @Nullable String instructions;
    private int pageSize = 100;
    private Duration cacheTime = Duration.ZERO;
    private boolean cachePublic;
    private Duration inputTimeout = Duration.ofMinutes(10);
    private int maxTasks = 1_000;
    private Duration taskTime = Duration.ofHours(1);
    private byte @Nullable [] secret;
    private @Nullable Protection protection;
    private Options options = Options.builder().lenience(Lenience.values()).build();
    private Clock clock = Clock.systemUTC();

    private Builder(Implementation self) {
      this.self = self;
    }

    /** Adds a tool, or replaces the tool of the same name. */
    public Builder tool(Tool tool) {
      tools.add(tool);
      return this;
    }

    /**
     * Adds the public methods of an object that are annotated with {@link McpTool}. The parameters
     * of a method are the arguments of the tool; its return value becomes the result as described
     * at {@link Tool.Handler#handle}.
     *
     * @throws IllegalArgumentException if no method is annotated, or if an annotated method cannot
     *     be a tool; the message names the method and the reason
     */
    public Builder tools(Object object) {
      return tools(JavaTools.of(object.getClass(), object));
    }

    /**
     * Adds the annotated methods of a class or interface, called on an object of that type; for a
     * proxy, whose own class has no annotations. See {@link #tools(Object)}.
     *
     * @throws IllegalArgumentException as {@link #tools(Object)} does
     */
    public <T> Builder tools(Class<T> type, T object) {
      return tools(JavaTools.of(type, object));
    }

    /** Adds tools, for example the tools of a {@link dev.repartee.mcp.bridge.RemoteService}. */
    public Builder tools(List<Tool> tools) {
      this.tools.addAll(tools);
      return this;
    }

    /** Adds a prompt, or replaces the prompt of the same name. */
    public Builder prompt(Prompt prompt) {
      prompts.add(prompt);
      return this;
    }

    /** Adds a resource, or replaces the resource of the same URI. */
    public Builder resource(Resource resource, ServedResource.Reader reader) {
      resources.add(new ServedResource(resource, reader));
      return this;
    }

    /**
     * Adds a resource template, or replaces the template with the same URI template.
     *
     * @throws IllegalArgumentException if the URI template is not valid; see {@link
     *     ResourceTemplate}
     */
    public Builder template(ResourceTemplate template, ServedTemplate.Reader reader) {
      return template(template, reader, Map.of());
    }

    /**
     * Adds a resource template with completion of its variables.
     *
     * @param completers the completers by the names of the variables
     * @throws IllegalArgumentException if the URI template is not valid, or a name in {@code
     *     completers} is not a variable of it
     */
    public Builder template(
        ResourceTemplate template,
        ServedTemplate.Reader reader,
        Map<String, Prompt.Completer> completers) {
      templates.add(new ServedTemplate(template, reader, completers));
      return this;
    }

    /**
     * Declares an extension to clients of 2026-07-28, in {@code capabilities.extensions}. Earlier
     * revisions do not have this member. {@link McpCall#capabilities()} returns the extensions of a
     * client.
     *
     * @param name such as {@code io.modelcontextprotocol/ui}: a prefix of dot-separated labels, a
     *     slash and a name
     * @param settings an object, empty for an extension without settings
     * @throws IllegalArgumentException if the name or the settings are not valid
     */
    public Builder extension(String name, Json settings) {
      Extensions.requireName(name);
      if (settings.kind() != Json.Kind.OBJECT) {
        throw new IllegalArgumentException(
            "the settings of the extension '" + name + "' have to be an object, such as {}");
      }
      extensions.put(name, settings);
      return this;
    }

    /**
     * Adds a request of an extension, such as {@code skills/list}, or replaces the request of the
     * same name. It is served in all revisions, with the same authorization, limits and layers as
     * the requests of MCP.
     *
     * @throws IllegalArgumentException if the name is not valid or reserved; {@link #build} throws
     *     it for the name of a request of MCP
     */
    public Builder method(String name, RequestHandler handler) {
      Extensions.requireMethod(name);
      methods.put(name, handler);
      return this;
    }

    /** Sets instructions for the client's model on how to use this server. None by default. */
    public Builder instructions(String instructions) {
      this.instructions = instructions;
      return this;
    }

    /**
     * Sets the maximum number of entries in a page of a list; 100 by default. A page has fewer
     * entries if they would take more than half of {@code frameBytes}.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public Builder pageSize(int pageSize) {
      if (pageSize < 1) {
        throw new IllegalArgumentException("a page has at least one entry, not " + pageSize);
      }
      this.pageSize = pageSize;
      return this;
    }

    /**
     * Sets the time for which clients of 2026-07-28 may cache lists and resource contents ({@code
     * ttlMs}). Zero by default: clients do not cache.
     *
     * @param everybody true if all principals get the same results, so that a shared cache may keep
     *     them ({@code cacheScope} is {@code public})
     * @throws IllegalArgumentException if the time is negative
     */
    public Builder cache(Duration time, boolean everybody) {
      if (time.isNegative()) {
        throw new IllegalArgumentException("the cache time is negative: " + time);
      }
      this.cacheTime = time;
      this.cachePublic = everybody;
      return this;
    }

    /**
     * Sets the time limit for a client to answer an elicitation, a sampling or a roots request; ten
     * minutes by default. It is also the lifetime of a sealed request state.
     */
    public Builder inputTimeout(Duration inputTimeout) {
      this.inputTimeout = inputTimeout;
      return this;
    }

    /**
     * Sets the maximum number of tasks, running and ended, and the lifetime of each from its
     * creation; 1,000 and one hour by default. When its lifetime has passed, a task is cancelled if
     * it still runs, and then deleted. A tool call that would exceed the maximum fails with -31000;
     * so does one while {@link dev.repartee.limits.Limits#runningCalls} task handlers run.
     *
     * @throws IllegalArgumentException if the number is not positive, or the time is not from one
     *     millisecond to 36,500 days
     */
    public Builder tasks(int most, Duration time) {
      if (most < 1) {
        throw new IllegalArgumentException("the maximum of tasks is at least 1, not " + most);
      } else if (time.compareTo(Duration.ofMillis(1)) < 0
          || time.compareTo(Duration.ofDays(36_500)) > 0) {
        throw new IllegalArgumentException(
            "the lifetime of a task is from 1 ms to 36500 days, not " + time);
      }
      this.maxTasks = most;
      this.taskTime = time;
      return this;
    }

    /**
     * Sets the secret that seals the request state of stateless calls. Instances of a server that
     * share clients need the same secret. By default each server generates a random secret.
     *
     * @param secret 32 bytes, which are copied
     * @throws IllegalArgumentException if the secret does not have 32 bytes
     */
    public Builder secret(byte[] secret) {
      if (secret.length != StateSeal.SECRET_BYTES) {
        throw new IllegalArgumentException(
            "a secret has " + StateSeal.SECRET_BYTES + " bytes, not " + secret.length);
      }
      this.secret = secret.clone();
      return this;
    }

    /**
     * Requires an OAuth access token with every HTTP request. A request that has a principal already,
     * by an authenticator of the options for example, needs only the scopes of the protection.
     */
    public Builder authorization(Protection protection) {
      this.protection = protection;
      return this;
    }

    /**
     * Sets limits, access, layers around all requests, the listener, and the deviations from
     * JSON-RPC that are tolerated. Rules of the access name requests, such as {@code tools/call}, or
     * single tools, {@code tools/call/NAME}. By default every {@link Lenience} is tolerated. The
     * dialect of the options is ignored: MCP sets its own.
     */
    public Builder options(Options options) {
      this.options = options.toBuilder()
          .access(options.access().dividing(Protocol.TOOLS_CALL))
          .build();
      return this;
    }

    /** Sets the clock that decides when request states and tasks expire. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    private Settings settings() {
      return new Settings(
          self,
          instructions,
          pageSize,
          cacheTime,
          cachePublic,
          inputTimeout,
          maxTasks,
          taskTime,
          protection,
          options,
          clock,
          Collections.unmodifiableMap(new LinkedHashMap<>(extensions)),
          Collections.unmodifiableMap(new LinkedHashMap<>(methods)));
    }

    /**
     * Builds the server. It does not listen yet.
     *
     * @throws IllegalArgumentException if a {@link #method} has the name of a request of MCP
     */
    public McpServer build() {
      return new McpServer(this);
    }
  }
}
