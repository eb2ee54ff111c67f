package dev.repartee.mcp;

import dev.repartee.Channel;
import dev.repartee.Endpoint;
import dev.repartee.HttpService;
import dev.repartee.Json;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Reception;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Serves tools, resources and prompts to clients of every {@link Revision}, each in its own, over any
 * transport. What is served may change while it is: clients that want to know are told.
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
 * <p>Thread-safe; one server may listen at any number of endpoints.
 */
public final class McpServer {
  private final Builder made;
  private final Catalog<Tool> tools;
  private final Catalog<Prompt> prompts;
  private final Catalog<ServedResource> resources;
  private final Catalog<ServedTemplate> templates;
  private final Audience audience = new Audience();
  private final StateSeal seal;
  private final TaskStore tasks;
  private final Protocol protocol;

  private McpServer(Builder made) {
    this.made = made;
    this.tools = new Catalog<>("tools", () -> audience.changed(Audience.Kind.TOOLS));
    this.prompts = new Catalog<>("prompts", () -> audience.changed(Audience.Kind.PROMPTS));
    this.resources = new Catalog<>("resources", () -> audience.changed(Audience.Kind.RESOURCES));
    this.templates =
        new Catalog<>("resourceTemplates", () -> audience.changed(Audience.Kind.RESOURCES));
    made.tools.values().forEach(this::add);
    made.prompts.values().forEach(this::add);
    made.resources.values().forEach(r -> resources.put(r.resource().uri(), r));
    made.templates.values().forEach(t -> templates.put(t.template().uriTemplate(), t));
    this.seal = new StateSeal(made.secret, made.inputTimeout, made.clock);
    this.tasks = new TaskStore(this);
    this.protocol = new Protocol(this);
  }

  /** Starts a server of that name and version. */
  public static Builder builder(String name, String version) {
    return new Builder(Implementation.of(name, version));
  }

  /** Starts a server that says more of itself. */
  public static Builder builder(Implementation self) {
    return new Builder(self);
  }

  /**
   * Listens at an endpoint until closed: {@code stdio:}, {@code http://HOST:PORT/PATH}, or any other that
   * an installed transport knows. Over HTTP it serves Streamable HTTP, stateless and with sessions, and
   * at the same path HTTP with a separate stream of events, as 2024-11-05 has it.
   *
   * @throws IOException if it cannot be bound
   * @throws IllegalArgumentException if the URI is none that an installed transport knows
   */
  public Server listen(String uri) throws IOException {
    return Repartee.listen(uri, new Entrance(path(uri)), made.options);
  }

  /** Serves one connection, on a channel of your own that was not started: in process, say. */
  public Peer open(Channel channel) {
    return Connection.open(protocol, channel);
  }

  /** What comes to one endpoint. */
  private final class Entrance implements Reception {
    private final String path;
    private final Set<Peer> peers = ConcurrentHashMap.newKeySet();

    /** Null where nobody asked for it, as on standard input. */
    private volatile @Nullable HttpFront http;

    Entrance(String path) {
      this.path = path;
    }

    @Override
    public Peer open(Channel channel) {
      if (made.protection != null && channel.info().transport().startsWith("ws")) {
        return refuse(channel);
      }
      Peer peer = McpServer.this.open(channel);
      peers.add(peer);
      peer.closed().whenComplete((nothing, cause) -> peers.remove(peer));
      return peer;
    }

    /** A WebSocket would be a way around the tokens, which come with requests. */
    private Peer refuse(Channel channel) {
      Peer peer = Peer.open(channel, Service.NONE, made.options);
      peer.close();
      return peer;
    }

    @Override
    public HttpService http() {
      HttpFront front = new HttpFront(protocol, path);
      http = front;
      return front;
    }

    @Override
    public void closing() {
      HttpFront front = http;
      if (front != null) {
        front.closing();
      }
      peers.forEach(audience::leave);
    }

    @Override
    public void closed() {
      HttpFront front = http;
      if (front != null) {
        front.closed();
      }
    }
  }

  /** The path that an endpoint of HTTP is at; any for others. */
  private static String path(String uri) {
    String address = Endpoint.parse(uri).address();
    int slash = address.indexOf('/', address.startsWith("//") ? 2 : 0);
    return slash < 0 ? "/" : address.substring(slash);
  }

  // ---------------------------------------------------------------- what is served

  /** Adds a tool, in the place of one of the same name. */
  public void add(Tool tool) {
    tools.put(tool.name(), tool);
  }

  /** Adds a prompt, in the place of one of the same name. */
  public void add(Prompt prompt) {
    prompts.put(prompt.name(), prompt);
  }

  /** Adds a resource, in the place of one of the same URI. */
  public void add(Resource resource, Resource.Reader reader) {
    resources.put(resource.uri(), new ServedResource(resource, reader));
  }

  /**
   * Adds resources by a template, in the place of one of the same template.
   *
   * @throws IllegalArgumentException if its URI template is not understood
   */
  public void add(ResourceTemplate template, ResourceTemplate.Reader reader) {
    templates.put(template.uriTemplate(), ServedTemplate.of(template, reader, Map.of()));
  }

  /** Removes resources by a template; answers whether there was one of that URI template. */
  public boolean removeTemplate(String uriTemplate) {
    return templates.remove(uriTemplate);
  }

  /** Removes a tool; answers whether there was one of that name. */
  public boolean removeTool(String name) {
    return tools.remove(name);
  }

  /** Removes a prompt; answers whether there was one of that name. */
  public boolean removePrompt(String name) {
    return prompts.remove(name);
  }

  /** Removes a resource; answers whether there was one of that URI. */
  public boolean removeResource(String uri) {
    return resources.remove(uri);
  }

  /** Tells the clients that asked for it that what a resource holds has changed. */
  public void updated(String uri) {
    audience.updated(uri);
  }

  /**
   * Tells the client of 2025-11-25 whose user was sent to a page that they are done with it.
   *
   * @param id what {@link Elicitation#url} was given
   */
  public void visited(String id) {
    audience.visited(id);
  }

  /** Tells all clients that their list of tools is out of date, though nothing was added here. */
  public void toolsChanged() {
    audience.changed(Audience.Kind.TOOLS);
  }

  /** The same of their list of prompts. */
  public void promptsChanged() {
    audience.changed(Audience.Kind.PROMPTS);
  }

  Catalog<Tool> tools() {
    return tools;
  }

  Catalog<Prompt> prompts() {
    return prompts;
  }

  Catalog<ServedResource> resources() {
    return resources;
  }

  Catalog<ServedTemplate> templates() {
    return templates;
  }

  Audience audience() {
    return audience;
  }

  StateSeal seal() {
    return seal;
  }

  TaskStore tasks() {
    return tasks;
  }

  Implementation self() {
    return made.self;
  }

  @Nullable String instructions() {
    return made.instructions;
  }

  @Nullable Protection protection() {
    return made.protection;
  }

  int pageSize() {
    return made.pageSize;
  }

  Duration cacheTime() {
    return made.cacheTime;
  }

  boolean isCachePublic() {
    return made.cachePublic;
  }

  Duration inputTimeout() {
    return made.inputTimeout;
  }

  int mostTasks() {
    return made.mostTasks;
  }

  Duration taskTime() {
    return made.taskTime;
  }

  Clock clock() {
    return made.clock;
  }

  Options options() {
    return made.options;
  }

  /** A resource and what reads it. */
  record ServedResource(Resource resource, Resource.Reader reader) {}

  /** A template, what reads by it, and what proposes values for its variables. */
  record ServedTemplate(
      ResourceTemplate template,
      UriTemplate uris,
      ResourceTemplate.Reader reader,
      Map<String, Prompt.Completer> completers) {
    static ServedTemplate of(
        ResourceTemplate template,
        ResourceTemplate.Reader reader,
        Map<String, Prompt.Completer> completers) {
      UriTemplate uris = new UriTemplate(template.uriTemplate());
      if (!uris.names().containsAll(completers.keySet())) {
        throw new IllegalArgumentException("'" + template.uriTemplate() + "' has no variables "
            + completers.keySet() + " but " + uris.names());
      }
      return new ServedTemplate(template, uris, reader, Map.copyOf(completers));
    }
  }

  /** A server in the making. For one thread. */
  public static final class Builder {
    private final Implementation self;
    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final Map<String, Prompt> prompts = new LinkedHashMap<>();
    private final Map<String, ServedResource> resources = new LinkedHashMap<>();
    private final Map<String, ServedTemplate> templates = new LinkedHashMap<>();
    private @Nullable String instructions;
    private int pageSize = 100;
    private Duration cacheTime = Duration.ZERO;
    private boolean cachePublic;
    private Duration inputTimeout = Duration.ofMinutes(10);
    private int mostTasks = 1_000;
    private Duration taskTime = Duration.ofHours(1);
    private byte @Nullable [] secret;
    private @Nullable Protection protection;
    private Options options = Options.DEFAULT.lenient(Options.Lenience.values());
    private Clock clock = Clock.systemUTC();

    private Builder(Implementation self) {
      this.self = self;
    }

    /** Serves a tool. */
    public Builder tool(Tool tool) {
      tools.put(tool.name(), tool);
      return this;
    }

    /**
     * Serves the methods of an object that are annotated with {@link McpTool}: their parameters are the
     * arguments, and what they return is the result, as {@link Tool.Handler#handle} has it.
     *
     * @throws IllegalArgumentException if there is none, or one cannot be called so; the sentence names
     *     it
     */
    public Builder tools(Object object) {
      JavaTools.of(object).forEach(this::tool);
      return this;
    }

    /** Serves these tools, such as those that a {@link RemoteService} has. */
    public Builder tools(List<Tool> tools) {
      tools.forEach(this::tool);
      return this;
    }

    /** Serves a prompt. */
    public Builder prompt(Prompt prompt) {
      prompts.put(prompt.name(), prompt);
      return this;
    }

    /** Serves a resource. */
    public Builder resource(Resource resource, Resource.Reader reader) {
      resources.put(resource.uri(), new ServedResource(resource, reader));
      return this;
    }

    /**
     * Serves resources by a template.
     *
     * @throws IllegalArgumentException if its URI template is not understood
     */
    public Builder template(ResourceTemplate template, ResourceTemplate.Reader reader) {
      return template(template, reader, Map.of());
    }

    /**
     * Serves resources by a template, and proposes values for its variables.
     *
     * @throws IllegalArgumentException if its URI template is not understood, or has no such variable
     */
    public Builder template(
        ResourceTemplate template,
        ResourceTemplate.Reader reader,
        Map<String, Prompt.Completer> completers) {
      templates.put(template.uriTemplate(), ServedTemplate.of(template, reader, completers));
      return this;
    }

    /** What a model should know to use this server well. */
    public Builder instructions(String instructions) {
      this.instructions = instructions;
      return this;
    }

    /**
     * How many entries a page of a list has; 100 unless it is said.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder pageSize(int pageSize) {
      if (pageSize < 1) {
        throw new IllegalArgumentException("a page has at least one entry, not " + pageSize);
      }
      this.pageSize = pageSize;
      return this;
    }

    /**
     * For how long clients of 2026-07-28 may keep what is listed and read; not at all unless it is said.
     *
     * @param everybody whether it is the same for all principals, so that a cache may share it
     */
    public Builder cache(Duration time, boolean everybody) {
      if (time.isNegative()) {
        throw new IllegalArgumentException("a time is not negative: " + time);
      }
      this.cacheTime = time;
      this.cachePublic = everybody;
      return this;
    }

    /** How long an answer of a client is waited for that a handler asks; ten minutes unless it is said. */
    public Builder inputTimeout(Duration inputTimeout) {
      this.inputTimeout = inputTimeout;
      return this;
    }

    /**
     * How many tasks there may be, those that have ended included, and how long each exists from when it
     * is created: what still runs then is cancelled, and it is forgotten. A thousand and an hour unless
     * it is said. A call that would be one too many is answered -31000, and so is one while as many
     * handlers of tasks run as {@link dev.repartee.Limits#runningCalls} says.
     *
     * @throws IllegalArgumentException if there may be none, or the time is not from a millisecond to
     *     36,500 days
     */
    public Builder tasks(int most, Duration time) {
      if (most < 1) {
        throw new IllegalArgumentException("there may be at least one task, not " + most);
      } else if (time.compareTo(Duration.ofMillis(1)) < 0
          || time.compareTo(Duration.ofDays(36_500)) > 0) {
        throw new IllegalArgumentException(
            "a task exists for a millisecond to 36500 days, not for " + time);
      }
      this.mostTasks = most;
      this.taskTime = time;
      return this;
    }

    /**
     * The secret that seals what stateless calls remember, where several instances serve the same
     * clients; a new one for each server unless it is said.
     *
     * @throws IllegalArgumentException if it has not 32 bytes
     */
    public Builder secret(byte[] secret) {
      if (secret.length != StateSeal.SECRET_BYTES) {
        throw new IllegalArgumentException(
            "a secret has " + StateSeal.SECRET_BYTES + " bytes, not " + secret.length);
      }
      this.secret = secret.clone();
      return this;
    }

    /** Asks for an access token with every HTTP request. */
    public Builder protectedBy(Protection protection) {
      this.protection = protection;
      return this;
    }

    /**
     * Sets limits, layers around all requests, a listener, and what is tolerated of clients: without
     * options of your own every {@link Options.Lenience}. The dialect is the protocol's own.
     */
    public Builder options(Options options) {
      this.options = options;
      return this;
    }

    /** The clock by which states and tasks expire. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /** The server. It listens nowhere yet. */
    public McpServer build() {
      return new McpServer(this);
    }
  }

  /** What clients are told that the server can do. */
  Json capabilities(Revision revision) {
    boolean resourceful = !resources.isEmpty() || !templates.isEmpty();
    boolean completes = prompts.all().stream().anyMatch(Prompt::isCompleted)
        || templates.all().stream().anyMatch(t -> !t.completers().isEmpty());
    boolean tasked = revision.isStateless()
        && tools.all().stream().anyMatch(tool -> tool.tasks() != Tool.TaskSupport.FORBIDDEN);
    Json listed = Json.parse("{\"listChanged\":true}");
    return new Members()
        .put("logging", Json.EMPTY_OBJECT)
        .put("tools", listed)
        .put("prompts", prompts.isEmpty() ? null : listed)
        .put(
            "resources",
            resourceful ? Json.parse("{\"subscribe\":true,\"listChanged\":true}") : null)
        .put(
            "completions",
            completes && revision.isAtLeast(Revision.V2025_03_26) ? Json.EMPTY_OBJECT : null)
        .put("extensions", tasked ? Tasks.CAPABILITY.get("extensions") : null)
        .json();
  }
}
