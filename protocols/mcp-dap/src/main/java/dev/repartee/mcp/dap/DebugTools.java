package dev.repartee.mcp.dap;

import dev.repartee.Options;
import dev.repartee.dap.DapServer;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.Workspace;
import dev.repartee.transport.Attribute;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A debug adapter as tools for a model:
 *
 * <pre>{@code
 * McpServer server = McpServer.builder("python", "1.0").build();
 * DebugTools tools =
 *     DebugTools.builder("exec:python3 -m debugpy.adapter", folder).addTo(server);
 * try (tools) {
 *   server.listen("stdio:").join();
 * }
 * }</pre>
 *
 * <p>The tools are {@code launch}, {@code attach}, {@code set_breakpoints}, {@code
 * set_function_breakpoints}, {@code set_exception_breakpoints}, {@code continue}, {@code
 * step_over}, {@code step_in}, {@code step_out}, {@code pause}, {@code wait}, {@code stack_trace},
 * {@code variables}, {@code evaluate}, {@code set_variable}, {@code threads}, {@code output},
 * {@code restart}, {@code terminate} and {@code disconnect}.
 *
 * <p>Each MCP session has its own breakpoints and program; each program has its own adapter, which
 * {@code launch} starts. Both end with the session. Requests without a session, as in 2026-07-28
 * over HTTP, are refused.
 *
 * <p><b>The tools run any program, and any code in it, with the rights of this process.</b> The
 * folder does not limit this.
 *
 * <p>Thread-safe.
 */
public final class DebugTools implements AutoCloseable {
  private static final int MAX_FILE_BYTES = 4 << 20;

  /** The adapters that expect a list as {@code env}; newer versions also accept an object. */
  private static final Pattern LLDB = Pattern.compile("lldb-(vscode|dap)");

  /**
   * A separate key for each object: these tools may replace the tools of another adapter while
   * clients use them.
   */
  private final Attribute<Debugger> key = Attribute.named("debugger");

  private final Program.Setup setup;
  private final Semaphore adapters;
  private final Set<Debugger> debuggers = ConcurrentHashMap.newKeySet();
  private final Workspace workspace;
  private volatile boolean closed;

  private DebugTools(Builder made) throws IOException {
    this.workspace = new Workspace(made.folder, MAX_FILE_BYTES);
    this.setup = new Program.Setup(workspace.startingIn(made.uri), made.options, made.terminals);
    this.adapters = new Semaphore(made.maxPrograms);
  }

  /**
   * Returns a builder of the tools of a debug adapter.
   *
   * @param uri the endpoint of the adapter, such as {@code exec:lldb-dap} or {@code
   *     tcp://127.0.0.1:4711}. A process gets the folder as its working directory, unless the URI
   *     has the option {@code cwd}
   * @param folder the workspace folder: relative paths start there, and only source lines of its
   *     files are shown
   */
  public static Builder builder(String uri, Path folder) {
    return new Builder(uri, folder);
  }

  /** Returns the names of the tools. */
  public static List<String> names() {
    return Stream.of(DebugTool.values()).map(DebugTool::toolName).toList();
  }

  Debugger debugger(McpCall call) {
    return call.inSession(key, () -> {
      Debugger debugger = new Debugger(setup, adapters, debuggers::remove);
      debuggers.add(debugger);
      if (closed) {
        debuggers.remove(debugger);
        throw new ToolException("This server is shutting down.");
      }
      return debugger;
    });
  }

  /**
   * Ends all launched programs and all adapters, and waits for their end, up to 30 seconds. Calls
   * that start a program fail from then on.
   */
  @Override
  public void close() {
    closed = true;
    CompletableFuture.allOf(List.copyOf(debuggers).stream()
            .map(each -> {
              CompletableFuture<Void> over = new CompletableFuture<>();
              Threads.start("repartee-mcp-dap-close", () -> {
                try {
                  each.close();
                } finally {
                  over.complete(null);
                }
              });
              return over;
            })
            .toArray(CompletableFuture[]::new))
        .join();
  }

  /** Builds a {@link DebugTools}. Not thread-safe. */
  public static final class Builder {
    private final String uri;
    private final Path folder;
    private Options options = DapServer.options().build();
    private Map<String, Json> configuration = Map.of();
    private boolean terminals;
    private int maxPrograms = 8;

    private Builder(String uri, Path folder) {
      this.uri = uri;
      this.folder = folder;
    }

    /**
     * Sets the options of the connections to the adapters, made by {@link DapServer#options}. The
     * {@code callTimeout} of their limits applies to each request.
     */
    public Builder options(Options options) {
      this.options = options;
      return this;
    }

    /**
     * Sets members of every {@code launch} and {@code attach} request, such as {@code type} or
     * {@code python}; the model may replace them.
     *
     * @throws IllegalArgumentException if it is not an object
     */
    public Builder configuration(Json configuration) {
      if (configuration.kind() != Json.Kind.OBJECT) {
        throw new IllegalArgumentException("a configuration has to be an object, but is "
            + configuration.kind().phrase());
      }
      this.configuration = configuration.members();
      return this;
    }

    /**
     * Sets whether an adapter may run commands with {@code runInTerminal}. They are child processes
     * without a terminal, which end with the program. False by default: then such a request is
     * refused.
     */
    public Builder terminals(boolean terminals) {
      this.terminals = terminals;
      return this;
    }

    /**
     * Sets the maximum number of programs of all sessions at a time, 8 by default.
     *
     * @throws IllegalArgumentException if it is not from 1 to 1,000
     */
    public Builder maxPrograms(int maxPrograms) {
      if (maxPrograms < 1 || maxPrograms > 1_000) {
        throw new IllegalArgumentException(
            "the maximum of programs is from 1 to 1000, not " + maxPrograms);
      }
      this.maxPrograms = maxPrograms;
      return this;
    }

    /**
     * Adds the tools to a server. Does not start an adapter yet.
     *
     * @throws IOException if the folder does not exist
     * @throws IllegalArgumentException if the URI is not valid
     */
    public DebugTools addTo(McpServer server) throws IOException {
      DebugTools tools = new DebugTools(this);
      Map<String, Json> defaults = new LinkedHashMap<>();
      if (uri.contains("debugpy")) {
        // Otherwise a child process of the program would wait for a session that is refused.
        defaults.put("subProcess", Json.FALSE);
      }
      defaults.putAll(configuration);
      Toolbox box = new Toolbox(tools.workspace, defaults, LLDB.matcher(uri).find());
      for (DebugTool each : DebugTool.values()) {
        server.tools().add(each.tool(tools, box));
      }
      return tools;
    }
  }
}
