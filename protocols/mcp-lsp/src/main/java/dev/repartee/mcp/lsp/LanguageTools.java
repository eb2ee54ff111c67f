package dev.repartee.mcp.lsp;

import dev.repartee.Options;
import dev.repartee.json.Json;
import dev.repartee.lsp.LspServer;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A language server over one workspace folder, as tools for a model:
 *
 * <pre>{@code
 * McpServer server = McpServer.builder("c++", "1.0").build();
 * LanguageTools tools = LanguageTools.builder("exec:clangd", folder).start(server);
 * try (tools) {
 *   server.listen("stdio:").join();
 * }
 * }</pre>
 *
 * <p>The server is started once, with the folder as its workspace and, if it is a process, as its
 * working directory. There are tools for the features that the server announces: {@code hover},
 * {@code definition}, {@code declaration}, {@code type_definition}, {@code implementation}, {@code
 * references}, {@code diagnostics}, {@code document_symbols}, {@code workspace_symbols} and {@code
 * rename}. If it registers features later, the list of tools changes. A server that has ended is
 * started again by the next call, at most five times in three minutes.
 *
 * <p>A model names a position by a line and the text of the symbol in it, or by line and column.
 * Files are opened at the server when they are needed, and compared with the disk before each call.
 * Only UTF-8 files inside of the folder can be named; symbolic links that lead out of it are
 * refused. Log messages and progress of the language server are forwarded to the client while a
 * call waits.
 *
 * <p>Thread-safe.
 */
public final class LanguageTools implements AutoCloseable {
  private final McpServer server;
  private final Supervisor supervisor;
  private final Toolbox box;
  private final boolean writes;

  /** The features that have tools; guarded by this. */
  private final Set<Feature> offered = EnumSet.noneOf(Feature.class);

  private LanguageTools(Builder made, McpServer server) throws IOException {
    Notices notices = new Notices();
    Workspace workspace = new Workspace(made.folder, made.maxFileBytes);
    Session.Setup setup = new Session.Setup(
        workspace.startingIn(made.uri),
        made.options,
        workspace,
        made.settings,
        made.initialization,
        made.maxOpenFiles,
        notices);
    this.server = server;
    this.writes = made.writes;
    this.supervisor = new Supervisor(
        () -> {
          Session session = Session.start(setup, this::offer);
          offer(session.features());
          return session;
        },
        System::nanoTime);
    this.box = new Toolbox(supervisor, notices, made.diagnosticsWait);
  }

  /**
   * Returns a builder of the tools of a language server.
   *
   * @param uri the endpoint of the server, such as {@code exec:clangd} or {@code
   *     tcp://127.0.0.1:7000}. A process gets the folder as its working directory, unless the URI
   *     has the option {@code cwd}
   * @param folder the workspace folder
   */
  public static Builder builder(String uri, Path folder) {
    return new Builder(uri, folder);
  }

  /** Adds the tools of the features, and removes the tools of removed features. */
  private synchronized void offer(Features features) {
    for (Feature feature : Feature.values()) {
      if (feature.isOf(features)) {
        if (offered.add(feature)) {
          server.tools().add(feature.tool(box, writes));
        }
      } else if (offered.remove(feature)) {
        server.tools().remove(feature.toolName());
      }
    }
  }

  /** Returns the names of the tools at this moment. */
  public synchronized List<String> names() {
    return offered.stream().map(Feature::toolName).toList();
  }

  /**
   * Ends the language server with {@code shutdown} and {@code exit}, within ten seconds. Calls of
   * the tools fail from then on.
   */
  @Override
  public void close() {
    supervisor.close();
  }

  /** Builds a {@link LanguageTools}. Not thread-safe. */
  public static final class Builder {
    private final String uri;
    private final Path folder;
    private Options options = LspServer.options().build();
    private @Nullable Json settings;
    private @Nullable Json initialization;
    private boolean writes;
    private int maxFileBytes = 4 << 20;
    private int maxOpenFiles = 100;
    private Duration diagnosticsWait = Duration.ofSeconds(10);

    private Builder(String uri, Path folder) {
      this.uri = uri;
      this.folder = folder;
    }

    /**
     * Sets the options of the connection to the language server, made by {@link LspServer#options}.
     * The {@code callTimeout} of their limits applies to each request, including
     * {@code initialize}.
     */
    public Builder options(Options options) {
      this.options = options;
      return this;
    }

    /**
     * Sets the settings that the language server requests ({@code workspace/configuration}): an
     * object with its sections. Without them, all settings are null.
     */
    public Builder settings(Json settings) {
      this.settings = settings;
      return this;
    }

    /** Sets the {@code initializationOptions} of the language server. */
    public Builder initializationOptions(Json initialization) {
      this.initialization = initialization;
      return this;
    }

    /**
     * Sets whether {@code rename} may write files, if the model requests it. False by default: then
     * all tools are read-only.
     */
    public Builder writes(boolean writes) {
      this.writes = writes;
      return this;
    }

    /**
     * Sets the maximum size of a file that is opened, 4 MiB by default.
     *
     * @throws IllegalArgumentException if it is not from 1 to 256 MiB
     */
    public Builder maxFileBytes(int maxFileBytes) {
      this.maxFileBytes = positive(maxFileBytes, 256 << 20);
      return this;
    }

    /**
     * Sets the maximum number of files that are open at the language server, 100 by default.
     *
     * @throws IllegalArgumentException if it is not from 1 to 10,000
     */
    public Builder maxOpenFiles(int maxOpenFiles) {
      this.maxOpenFiles = positive(maxOpenFiles, 10_000);
      return this;
    }

    /**
     * Sets the time that {@code diagnostics} waits for a server that publishes them unrequested,
     * ten seconds by default.
     */
    public Builder diagnosticsWait(Duration diagnosticsWait) {
      this.diagnosticsWait = diagnosticsWait;
      return this;
    }

    private static int positive(int number, int most) {
      if (number < 1 || number > most) {
        throw new IllegalArgumentException("the number is from 1 to " + most + ", not " + number);
      }
      return number;
    }

    /**
     * Starts the language server, waits until it is initialized, and adds the tools to a server.
     *
     * @throws IOException if the folder does not exist, or if the language server cannot be started
     *     or does not answer {@code initialize} with success in time
     * @throws IllegalArgumentException if the URI is not valid
     */
    public LanguageTools start(McpServer server) throws IOException {
      LanguageTools tools = new LanguageTools(this, server);
      tools.supervisor.start();
      return tools;
    }
  }
}
