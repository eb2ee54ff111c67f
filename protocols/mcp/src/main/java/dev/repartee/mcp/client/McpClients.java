package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.ToolResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The tools of many servers behind one client. Each server is connected on a thread of its own, so
 * a slow or dead server does not delay the others: its tools are missing from {@link #tools} until
 * it answers, and {@link #failures} tells why.
 *
 * <p>A tool keeps its name if only one server has it; if several have it, each of them is prefixed
 * with the name of its server: {@code weather_forecast}. Thread-safe.
 */
public final class McpClients implements AutoCloseable {
  McpClients() {}

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

  /** Returns the tools of all servers that answer within the time of {@link Builder#patience}. */
  public List<Entry> tools() {
    throw new UnsupportedOperationException();
  }

  /** Returns the tools in the form of a model API, with their unique names. */
  public Json toolsFor(ModelApi api) {
    throw new UnsupportedOperationException();
  }

  /**
   * Calls a tool by its unique name, or by {@code SERVER_NAME}.
   *
   * @throws IllegalArgumentException if no server that answers has the tool
   */
  public ToolResult call(String name, @Nullable Object arguments) {
    throw new UnsupportedOperationException();
  }

  /** Returns a call by unique name with further settings; see {@link #call}. */
  public ToolCall request(String name) {
    throw new UnsupportedOperationException();
  }

  /** Returns the client of a server as soon as it is connected. */
  public CompletableFuture<McpClient> client(String server) {
    throw new UnsupportedOperationException();
  }

  /** Returns the servers that failed to connect or to list their tools, with the reasons. */
  public Map<String, Throwable> failures() {
    throw new UnsupportedOperationException();
  }

  /** Closes all clients, at the same time. */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  /** Builds {@link McpClients}. Not thread-safe. */
  public static final class Builder {
    private Builder() {}

    /**
     * Adds a server.
     *
     * @param name 1 to 32 ASCII letters, digits and hyphens
     * @param client the settings of its client
     * @param uri its address
     */
    public Builder server(String name, McpClient.Builder client, String uri) {
      throw new UnsupportedOperationException();
    }

    /** Sets the time that {@link McpClients#tools} waits for servers, 5 seconds by default. */
    public Builder patience(java.time.Duration patience) {
      throw new UnsupportedOperationException();
    }

    /** Begins to connect to all servers. Does not wait. */
    public McpClients connect() {
      throw new UnsupportedOperationException();
    }
  }
}
