package dev.repartee.mcp.client;

import dev.repartee.Options;
import dev.repartee.json.Json;
import dev.repartee.mcp.Elicitation;
import dev.repartee.mcp.Implementation;
import dev.repartee.mcp.LogLevel;
import dev.repartee.mcp.Prompt;
import dev.repartee.mcp.Resource;
import dev.repartee.mcp.ResourceContents;
import dev.repartee.mcp.ResourceTemplate;
import dev.repartee.mcp.Revision;
import dev.repartee.mcp.Root;
import dev.repartee.mcp.Sampling;
import dev.repartee.mcp.ToolResult;
import dev.repartee.mcp.auth.HttpAuthorization;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
 * <p>Thread-safe. Methods without a future wait for the answer, for {@link Builder#timeout} at
 * most. Errors of all calls: {@link dev.repartee.RpcException} if the server answers with an error,
 * {@link dev.repartee.CallTimeoutException}, {@link dev.repartee.transport.DisconnectedException},
 * and {@link dev.repartee.ProtocolException} with the broken rule if the answer breaks the
 * protocol.
 */
public final class McpClient implements AutoCloseable {
  McpClient() {}

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
    throw new UnsupportedOperationException();
  }

  /** Returns the name and version of the server, if it told them. They are not verified. */
  public @Nullable Implementation server() {
    throw new UnsupportedOperationException();
  }

  /** Returns the capabilities of the server, an object as the server sent it. */
  public Json capabilities() {
    throw new UnsupportedOperationException();
  }

  /** Returns the instructions of the server for the model, or null. */
  public @Nullable String instructions() {
    throw new UnsupportedOperationException();
  }

  // ---------------------------------------------------------------- tools

  /**
   * Returns the tools. The stream fetches a page when it needs one; {@code toList()} fetches all.
   * The pages are kept for the time that the server allows, until it reports a change. Over HTTP,
   * tools with an invalid {@code x-mcp-header} are left out and reported to the listener of the
   * options.
   *
   * @throws dev.repartee.ProtocolException from the stream, if the server sends the same page again
   *     or more than 100,000 entries
   */
  public Stream<RemoteTool> tools() {
    throw new UnsupportedOperationException();
  }

  /** Returns the tools in the form of a model API: an array, or for Gemini an object. */
  public Json toolsFor(ModelApi api) {
    throw new UnsupportedOperationException();
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
    throw new UnsupportedOperationException();
  }

  /** Returns a handle of a task that was started before; sends nothing. */
  public RemoteTask task(String id) {
    throw new UnsupportedOperationException();
  }

  /**
   * Returns an implementation of an interface whose methods call tools of the same name, or of the
   * name in {@link dev.repartee.Rpc}. Parameters have the names of {@link
   * dev.repartee.json.Param}, or those of the source compiled with {@code -parameters}. The result
   * is read from the structured content, or from the text if there is none; a method may also
   * return {@link ToolResult}, and a {@link CompletableFuture} of any of these. A result with
   * {@code isError} becomes a {@link dev.repartee.mcp.ToolException} with its text.
   *
   * @throws IllegalArgumentException if the type is not an interface, or has a method that cannot
   *     be a call
   */
  public <T> T proxy(Class<T> type) {
    throw new UnsupportedOperationException();
  }

  // ---------------------------------------------------------------- resources and prompts

  /** Returns the resources, like {@link #tools}. */
  public Stream<Resource> resources() {
    throw new UnsupportedOperationException();
  }

  /** Returns the resource templates, like {@link #tools}. */
  public Stream<ResourceTemplate> templates() {
    throw new UnsupportedOperationException();
  }

  /** Returns the prompts, like {@link #tools}. */
  public Stream<RemotePrompt> prompts() {
    throw new UnsupportedOperationException();
  }

  /** Reads a resource. The contents are kept for the time that the server allows. */
  public List<ResourceContents> read(String uri) {
    throw new UnsupportedOperationException();
  }

  /** Returns the messages of a prompt. */
  public Prompt.Result prompt(String name, Map<String, String> arguments) {
    throw new UnsupportedOperationException();
  }

  /**
   * Returns proposals for an argument of a prompt.
   *
   * @param chosen the values of other arguments that the user has already chosen
   */
  public Completion completePrompt(
      String prompt, String argument, String value, Map<String, String> chosen) {
    throw new UnsupportedOperationException();
  }

  /** Returns proposals for a variable of a resource template; see {@link #completePrompt}. */
  public Completion completeResource(
      String uriTemplate, String variable, String value, Map<String, String> chosen) {
    throw new UnsupportedOperationException();
  }

  // ---------------------------------------------------------------- further requests

  /**
   * Subscribes to changes. The subscription is opened again after its connection was lost, until it
   * is closed.
   *
   * @param to runs on a thread that reads the connection, so it must not block
   */
  public Subscription listen(ChangeFilter filter, Consumer<Change> to) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sets the level from which on the server sends log messages to {@link Builder#onLog}: with
   * {@code logging/setLevel}, or with each later request in the stateless revision.
   */
  public void logLevel(LogLevel level) {
    throw new UnsupportedOperationException();
  }

  /** Waits for an answer of the server: to {@code ping}, or to {@code server/discover}. */
  public void ping() {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends any request, such as one of an extension. The {@code _meta} of the revision is added.
   *
   * @param params an object
   */
  public CompletableFuture<Json> send(String method, Json params) {
    throw new UnsupportedOperationException();
  }

  /**
   * Ends the connection: running calls fail, an HTTP session is deleted, a process gets the end of
   * its input, then a time to exit, then a signal.
   */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  /** Builds clients. Not thread-safe; it may build several. */
  public static final class Builder {
    private final Implementation self;

    private Builder(Implementation self) {
      this.self = self;
    }

    /**
     * Sets the limits, headers, trace and listener of the connection. Headers are sent with each
     * HTTP request.
     */
    public Builder options(Options options) {
      throw new UnsupportedOperationException();
    }

    /** Sets the time to wait for each answer, 60 seconds by default. */
    public Builder timeout(Duration timeout) {
      throw new UnsupportedOperationException();
    }

    /**
     * Sets the revisions to use, all by default. Without 2026-07-28 the client begins with the
     * handshake; with 2026-07-28 only, it never falls back.
     */
    public Builder revisions(Revision... revisions) {
      throw new UnsupportedOperationException();
    }

    /**
     * Refuses results without {@code resultType} in the stateless revision. By default they count
     * as complete, as the specification says, and are reported to the listener of the options.
     */
    public Builder strict() {
      throw new UnsupportedOperationException();
    }

    /** Sets the authorization of HTTP requests; none by default. */
    public Builder authorization(HttpAuthorization authorization) {
      throw new UnsupportedOperationException();
    }

    /**
     * Answers forms and pages of the server, and declares the capability. Missing values of an
     * accepted form are filled with the defaults of its schema. The handler may block, as for a
     * user.
     */
    public Builder onElicitation(Function<Elicitation, Elicitation.Answer> handler) {
      throw new UnsupportedOperationException();
    }

    /** Answers requests for the model, and declares the capability. The handler may block. */
    public Builder onSampling(Function<Sampling, Sampling.Answer> handler) {
      throw new UnsupportedOperationException();
    }

    /** Answers requests for the roots, and declares the capability. The supplier may block. */
    public Builder roots(Supplier<List<Root>> roots) {
      throw new UnsupportedOperationException();
    }

    /**
     * Takes the log messages of the server. The consumer runs on a thread that reads the
     * connection, so it must not block.
     */
    public Builder onLog(Consumer<LogMessage> consumer) {
      throw new UnsupportedOperationException();
    }

    /** Takes the lines that an {@code exec:} process writes to its standard error. */
    public Builder onStderr(Consumer<String> consumer) {
      throw new UnsupportedOperationException();
    }

    /** Declares an extension with its settings, an object. */
    public Builder extension(String name, Json settings) {
      throw new UnsupportedOperationException();
    }

    /**
     * Connects to a server and agrees on a revision with it. Waits until then.
     *
     * @throws IOException if the server cannot be reached or started
     * @throws IllegalArgumentException if no installed transport supports the URI
     * @throws dev.repartee.RpcException if the server refuses the handshake
     * @throws dev.repartee.ProtocolException if the server breaks the protocol
     */
    public McpClient connect(String uri) throws IOException {
      throw new UnsupportedOperationException();
    }
  }
}
