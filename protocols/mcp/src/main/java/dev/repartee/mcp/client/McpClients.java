package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Offers the tools of many servers as one client. The servers are connected in parallel. Until a
 * server answers, {@link #tools} omits its tools and {@link #failures} reports the reason.
 *
 * <p>A tool keeps its name if only one server has a tool of that name. Otherwise each tool of that
 * name is prefixed with the name of its server, as in {@code weather_forecast}. A name that begins
 * with a server name and an underscore is reserved for that server, even while it is not connected.
 * A tool of another server with such a name is prefixed, too, and reported as a violation to the
 * {@link dev.repartee.Listener} of its options. Thread-safe.
 */
public final class McpClients implements AutoCloseable {
  private final Map<String, Server> servers = new LinkedHashMap<>();
  private final Duration patience;
  private volatile Map<String, Entry> names = Map.of();

  /** The tools of the last listing that have a name reserved for another server. */
  private volatile Set<String> foreign = Set.of();

  private volatile boolean closed;

  private McpClients(Builder builder) {
    this.patience = builder.patience;
    builder.servers.forEach((name, connect) -> servers.put(name, new Server(connect)));
    servers.values().forEach(Server::connect);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A tool of one of the servers.
   *
   * @param name the unique name among all servers
   * @param server the name of the server
   * @param tool the tool
   */
  public record Entry(String name, String server, RemoteTool tool) {}

  /** Opens the connection of a server. */
  private interface Connect {
    McpClient connect() throws Exception;
  }

  /** One server. Thread-safe. A failed connection is tried again on demand. */
  private final class Server {
    private final Connect connect;
    private volatile CompletableFuture<McpClient> client = new CompletableFuture<>();
    private @Nullable Future<?> connecting; // guarded by this
    private volatile @Nullable CompletableFuture<List<RemoteTool>> listing;
    private volatile @Nullable Throwable failure;

    Server(Connect connect) {
      this.connect = connect;
    }

    /** Returns the client. Connects first if that has not been done or the last attempt failed. */
    synchronized CompletableFuture<McpClient> connect() {
      CompletableFuture<McpClient> last = client;
      if (listing != null && !last.isCompletedExceptionally()) {
        return last;
      }
      if (closed) {
        return CompletableFuture.failedFuture(end());
      }
      CompletableFuture<McpClient> next = new CompletableFuture<>();
      FutureTask<?> task = new FutureTask<>(() -> {
        open(next);
        return next;
      });
      client = next;
      connecting = task;
      Futures.WORKERS.execute(task);
      listing = null;
      list(next);
      return next;
    }

    private void open(CompletableFuture<McpClient> next) {
      try {
        McpClient connected = connect.connect();
        failure = null;
        if (!next.complete(connected)) { // closed meanwhile
          Thread.interrupted();
          connected.close();
        }
      } catch (Throwable e) {
        failure = e;
        next.completeExceptionally(e);
      }
    }

    /** Closes the connection, even if it is still being opened. */
    CompletableFuture<?> close() {
      CompletableFuture<McpClient> last;
      Future<?> task;
      synchronized (this) {
        last = client;
        task = connecting;
      }
      if (last.completeExceptionally(end()) && task != null) {
        task.cancel(true); // the interrupted thread ends its connection
      }
      return last.isCompletedExceptionally()
          ? CompletableFuture.completedFuture(last)
          : last.thenAcceptAsync(McpClient::close, Futures.WORKERS);
    }

    private DisconnectedException end() {
      return new DisconnectedException("these clients are closed", null);
    }

    /** Returns the tools. Joins a listing that is already running. */
    synchronized CompletableFuture<List<RemoteTool>> tools() {
      CompletableFuture<List<RemoteTool>> running = listing;
      if (running != null && !running.isDone()) {
        return running;
      }
      return list(connect());
    }

    private CompletableFuture<List<RemoteTool>> list(CompletableFuture<McpClient> from) {
      // Sets the failure before the listing completes, because the caller may then ask failures()
      // for it.
      CompletableFuture<List<RemoteTool>> next = from.thenApplyAsync(
              client -> client.tools().toList(), Futures.WORKERS)
          .whenComplete((tools, why) -> failure = why == null ? null : Futures.failure(why));
      listing = next;
      return next;
    }
  }

  /**
   * Returns the tools of all servers that answer within {@link Builder#patience}. Asks the servers
   * in parallel. Connects again to a server that has failed.
   */
  public List<Entry> tools() {
    Map<String, CompletableFuture<List<RemoteTool>>> asked = new LinkedHashMap<>();
    servers.forEach((name, server) -> asked.put(name, server.tools()));
    long until = System.nanoTime() + patience.toNanos();
    Map<String, List<RemoteTool>> found = new LinkedHashMap<>();
    asked.forEach((name, tools) -> {
      List<RemoteTool> some = await(tools, until);
      if (some != null) {
        found.put(name, some);
      }
    });
    List<Entry> all = named(found);
    Map<String, Entry> byName = new HashMap<>();
    all.forEach(entry -> byName.put(entry.name, entry));
    all.forEach(entry -> byName.put(alias(entry.server, entry.tool.name()), entry));
    names = byName;
    report(all);
    return all;
  }

  /**
   * Reports the tools with a name reserved for another server, unless they were reported before.
   */
  private void report(List<Entry> all) {
    Set<String> before = foreign;
    Set<String> now = new HashSet<>();
    for (Entry entry : all) {
      String name = entry.tool.name();
      Server server = servers.get(entry.server);
      McpClient client = server == null ? null : server.client.getNow(null);
      if (!mayHave(entry.server, name)
          && now.add(entry.name)
          && !before.contains(entry.name)
          && client != null) {
        client.report("the tool '" + name + "' has a name that is reserved for the server '"
            + owner(name) + "'; it is called '" + entry.name + "'");
      }
    }
    foreign = now;
  }

  private static @Nullable List<RemoteTool> await(
      CompletableFuture<List<RemoteTool>> tools, long until) {
    try {
      return tools.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return null; // failures() returns the reason
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /**
   * Returns the prefixed name of a tool. It is unique because server names contain no underscore.
   */
  private static String alias(String server, String tool) {
    return server + "_" + tool;
  }

  /** Returns the server for which a name is reserved, or null. */
  private @Nullable String owner(String name) {
    int end = name.indexOf('_');
    return end >= 0 && servers.containsKey(name.substring(0, end)) ? name.substring(0, end) : null;
  }

  private boolean mayHave(String server, String name) {
    String owner = owner(name);
    return owner == null || owner.equals(server);
  }

  private List<Entry> named(Map<String, List<RemoteTool>> found) {
    Map<String, Map<String, RemoteTool>> byServer = new LinkedHashMap<>();
    Map<String, Integer> count = new HashMap<>();
    Set<String> aliases = new HashSet<>();
    found.forEach((server, tools) -> {
      Map<String, RemoteTool> own = new LinkedHashMap<>();
      tools.forEach(tool -> own.putIfAbsent(tool.name(), tool));
      byServer.put(server, own);
      for (String name : own.keySet()) {
        aliases.add(alias(server, name));
        if (mayHave(server, name)) {
          count.merge(name, 1, Integer::sum);
        }
      }
    });
    List<Entry> all = new ArrayList<>();
    byServer.forEach((server, tools) -> tools.forEach((name, tool) -> {
      boolean isFree =
          mayHave(server, name) && count.getOrDefault(name, 0) == 1 && !aliases.contains(name);
      all.add(new Entry(isFree ? name : alias(server, name), server, tool));
    }));
    return all;
  }

  /** Returns the tools in the form of a model API, with their unique names. */
  public Json toolsFor(ModelApi api) {
    return ToolForms.of(
        api, tools().stream().map(entry -> Map.entry(entry.name, entry.tool)).toList());
  }

  /**
   * Calls a tool by its unique name, or by {@code SERVER_NAME}.
   *
   * @throws IllegalArgumentException if no server that answers has the tool
   */
  public ToolResult call(String name, @Nullable Object arguments) {
    return request(name).arguments(arguments).call();
  }

  /** Returns a builder of a call with further settings; see {@link #call} for the name. */
  public ToolCall request(String name) {
    Entry entry = names.get(name);
    if (entry == null) {
      tools();
      entry = names.get(name);
    }
    if (entry == null) {
      Map<String, Throwable> failed = failures();
      throw new IllegalArgumentException("no server has the tool '" + name + "'"
          + (failed.isEmpty() ? "" : "; not available are " + String.join(", ", failed.keySet())));
    }
    return Futures.await(client(entry.server), name).request(entry.tool.name());
  }

  /**
   * Returns the client of a server as soon as it is connected.
   *
   * @throws IllegalArgumentException if the server does not exist
   */
  public CompletableFuture<McpClient> client(String server) {
    Server known = servers.get(server);
    if (known == null) {
      throw new IllegalArgumentException(
          "there is no server '" + server + "'; known are " + String.join(", ", servers.keySet()));
    }
    return known.connect().copy();
  }

  /** Returns the servers that failed to connect or to list their tools, with the reasons. */
  public Map<String, Throwable> failures() {
    Map<String, Throwable> all = new LinkedHashMap<>();
    servers.forEach((name, server) -> {
      Throwable why = server.failure;
      CompletableFuture<?> listing = server.listing;
      if (why != null) {
        all.put(name, why);
      } else if (listing != null && !listing.isDone()) {
        all.put(
            name,
            new DisconnectedException("the server '" + name + "' has not answered yet", null));
      }
    });
    return all;
  }

  /**
   * Closes all clients in parallel and waits until they are closed. Connections that are still
   * being opened are interrupted; this method does not wait for them.
   */
  @Override
  public void close() {
    closed = true;
    List<CompletableFuture<?>> closing = new ArrayList<>();
    servers.values().forEach(server -> closing.add(server.close()));
    CompletableFuture.allOf(closing.toArray(CompletableFuture<?>[]::new)).join();
  }

  /** Builds {@link McpClients}. Not thread-safe. */
  public static final class Builder {
    private final Map<String, Connect> servers = new LinkedHashMap<>();
    private Duration patience = Duration.ofSeconds(5);

    private Builder() {}

    /**
     * Adds a server.
     *
     * @param name 1 to 32 ASCII letters, digits and hyphens
     * @param client the settings of its client
     * @param uri its address
     * @throws IllegalArgumentException if the name has another form or was added before
     */
    public Builder server(String name, McpClient.Builder client, String uri) {
      if (!name.matches("[A-Za-z0-9-]{1,32}")) {
        throw new IllegalArgumentException(
            "the name of a server is 1 to 32 letters, digits and hyphens, not '" + name + "'");
      }
      McpClient.Builder settings = client.copy();
      if (servers.putIfAbsent(name, () -> settings.connect(uri)) != null) {
        throw new IllegalArgumentException("there is a server '" + name + "' already");
      }
      return this;
    }

    /** Sets the time for which {@link McpClients#tools} waits for servers; 5 seconds by default. */
    public Builder patience(Duration patience) {
      this.patience = patience;
      return this;
    }

    /** Starts to connect to all servers. Does not block. */
    public McpClients connect() {
      return new McpClients(this);
    }
  }
}
