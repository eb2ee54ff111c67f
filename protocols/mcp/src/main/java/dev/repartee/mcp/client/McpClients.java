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
 * The tools of many servers behind one client. Each server is connected on a thread of its own, so
 * a slow or dead server does not delay the others: its tools are missing from {@link #tools} until
 * it answers, and {@link #failures} tells why.
 *
 * <p>A tool keeps its name if only one server has it; if several have it, each of them is prefixed
 * with the name of its server: {@code weather_forecast}. A name that begins with the name of a
 * server and an underscore belongs to that server, whether it is connected or not: if another
 * server has a tool of such a name, that tool is prefixed, too, and is reported to the {@link
 * dev.repartee.Listener} of its options as a violation. Thread-safe.
 */
public final class McpClients implements AutoCloseable {
  private final Map<String, Server> servers = new LinkedHashMap<>();
  private final Duration patience;
  private volatile Map<String, Entry> names = Map.of();

  /** The tools of the last listing with a name that belongs to another server. */
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
   * @param name the name that is unique among all servers
   * @param server the name of the server
   * @param tool the tool
   */
  public record Entry(String name, String server, RemoteTool tool) {}

  /** Opens the connection of a server. */
  private interface Connect {
    McpClient connect() throws Exception;
  }

  /** One server. Its fields are thread-safe; a failed connection is tried again on demand. */
  private final class Server {
    private final Connect connect;
    private volatile CompletableFuture<McpClient> client = new CompletableFuture<>();
    private @Nullable Future<?> connecting; // guarded by this
    private volatile @Nullable CompletableFuture<List<RemoteTool>> listing;
    private volatile @Nullable Throwable failure;

    Server(Connect connect) {
      this.connect = connect;
    }

    /** Connects, again if the last attempt has failed. */
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

    /** Ends the connection, also one that is being opened. */
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

    /** Returns the tools, from a listing that runs already if there is one. */
    synchronized CompletableFuture<List<RemoteTool>> tools() {
      CompletableFuture<List<RemoteTool>> running = listing;
      if (running != null && !running.isDone()) {
        return running;
      }
      return list(connect());
    }

    private CompletableFuture<List<RemoteTool>> list(CompletableFuture<McpClient> from) {
      // The failure is set before the listing completes: failures() may be asked for it next.
      CompletableFuture<List<RemoteTool>> next = from.thenApplyAsync(
              client -> client.tools().toList(), Futures.WORKERS)
          .whenComplete((tools, why) -> failure = why == null ? null : Futures.failure(why));
      listing = next;
      return next;
    }
  }

  /**
   * Returns the tools of all servers that answer within the time of {@link Builder#patience}. The
   * servers are asked at the same time. A server that has failed is connected again.
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

  /** Reports tools with a name that belongs to another server, unless the last listing had them. */
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
        client.report("the tool '" + name + "' has a name that belongs to the server '"
            + owner(name) + "', so it is called '" + entry.name + "'");
      }
    }
    foreign = now;
  }

  private static @Nullable List<RemoteTool> await(
      CompletableFuture<List<RemoteTool>> tools, long until) {
    try {
      return tools.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return null; // failures() tells the reason
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** Returns the name of a tool that no other tool has: names of servers have no underscores. */
  private static String alias(String server, String tool) {
    return server + "_" + tool;
  }

  /** Returns the server to which the names with the same beginning belong, or null. */
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

  /** Returns a call by unique name with further settings; see {@link #call}. */
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
   * @throws IllegalArgumentException if there is no server of that name
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
   * Closes all clients, at the same time, and waits until they are closed. Interrupts connections
   * that are being opened, and does not wait for their end.
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

    /** Sets the time that {@link McpClients#tools} waits for servers, 5 seconds by default. */
    public Builder patience(Duration patience) {
      this.patience = patience;
      return this;
    }

    /** Begins to connect to all servers. Does not wait. */
    public McpClients connect() {
      return new McpClients(this);
    }
  }
}
