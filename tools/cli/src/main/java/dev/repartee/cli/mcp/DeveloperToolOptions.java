package dev.repartee.cli.mcp;

import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.Listening;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.dap.DapServer;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.lsp.LspServer;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.dap.DebugTools;
import dev.repartee.mcp.lsp.LanguageTools;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code repartee mcp serve} for a language server or a debug adapter. */
final class DeveloperToolOptions {
  private static final int MAX_SETTINGS = 16 << 20;

  private static final String LANGUAGE = """
      These tools ask a language server about the code of a workspace folder. Name positions by a \
      line and the symbol in it. Lines and columns count from 1, and paths are relative to the \
      folder.""";

  private static final String DEBUG = """
      These tools debug a program: set_breakpoints, then launch, then inspect with stack_trace, \
      variables and evaluate, and resume with step_over, step_in, step_out and continue. Lines \
      count from 1, and paths are relative to the workspace folder. The references of frames and \
      variables are valid until the program resumes. End with terminate.""";

  @Option(names = "--as", paramLabel = "PROTOCOL", description = """
          The protocol of the service: lsp for a language server, dap for a debug adapter. \
          Default: JSON-RPC methods.""")
  @Nullable String protocol;

  @Option(names = "--workspace", paramLabel = "DIR", description = """
          With --as: the folder of the project. The tools read no other files. A debugger, \
          however, runs programs, which can read other files. Default: the working directory.""")
  @Nullable Path folder;

  @Option(names = "--settings", paramLabel = "FILE", description = """
          With --as lsp: a JSON object with the settings that the language server requests \
          (workspace/configuration).""")
  @Nullable Path settings;

  @Option(names = "--write", description = """
          With --as lsp: allow the tool rename to write files of the folder. Without it all tools \
          are read-only.""")
  boolean writes;

  @Option(names = "--configuration", paramLabel = "FILE", description = """
          With --as dap: a JSON object with members for every launch and attach, such as type or \
          python; the model may replace them.""")
  @Nullable Path configuration;

  @Option(names = "--terminals", description = """
          With --as dap: allow the debug adapter to run commands with runInTerminal, as child \
          processes. Without it such a request is refused.""")
  boolean terminals;

  /** Returns whether the service is a language server or a debug adapter. */
  boolean areGiven() {
    return protocol != null;
  }

  /** Checks that the options can be combined. */
  void check(@Nullable String uri, boolean named) {
    if (protocol == null && folder != null) {
      throw Failure.usage(
          "--workspace is for a language server or a debug adapter; add --as lsp or --as dap");
    } else if (protocol != null && !protocol.equals("lsp") && !protocol.equals("dap")) {
      throw Failure.usage(
          "'" + protocol + "' cannot be served as tools; supported are lsp and dap");
    } else if (!"lsp".equals(protocol) && (settings != null || writes)) {
      throw Failure.usage("--settings and --write are for a language server; add --as lsp");
    } else if (!"dap".equals(protocol) && (configuration != null || terminals)) {
      throw Failure.usage("--configuration and --terminals are for a debug adapter; add --as dap");
    } else if (protocol != null && (uri == null || named)) {
      throw Failure.usage("--as " + protocol + " needs the URI of a "
          + (protocol.equals("lsp")
              ? "language server, such as exec:clangd"
              : "debug adapter, such as exec:lldb-dap")
          + ", and neither --class, --method nor --describe");
    }
  }

  /**
   * Adds the tools to an MCP server.
   *
   * @param builder builds the server from its instructions
   */
  Listening.Served serve(
      McpServer.Builder builder, String uri, Connection connection, Stdio stdio) {
    Path root = folder == null ? Path.of("") : folder;
    if (!Files.isDirectory(root)) {
      throw Failure.usage("there is no folder '" + root + "'; name one with --workspace");
    }
    boolean language = "lsp".equals(protocol);
    McpServer server = builder.instructions(language ? LANGUAGE : DEBUG).build();
    try {
      return Listening.Served.of(
          server::listen,
          language
              ? languageTools(uri, root, connection, stdio).start(server)::close
              : debugTools(uri, root, connection, stdio).addTo(server)::close);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (IOException e) {
      throw Connection.unreachable(uri, e);
    }
  }

  private LanguageTools.Builder languageTools(
      String uri, Path root, Connection connection, Stdio stdio) throws IOException {
    LanguageTools.Builder tools = LanguageTools.builder(uri, root)
        .options(connection.options(LspServer.options().build(), uri, stdio))
        .writes(writes);
    return settings == null ? tools : tools.settings(object(settings, "--settings"));
  }

  private DebugTools.Builder debugTools(String uri, Path root, Connection connection, Stdio stdio)
      throws IOException {
    DebugTools.Builder tools = DebugTools.builder(uri, root)
        .options(connection.options(DapServer.options().build(), uri, stdio))
        .terminals(terminals);
    return configuration == null
        ? tools
        : tools.configuration(object(configuration, "--configuration"));
  }

  private static Json object(Path file, String option) {
    try (InputStream in = Files.newInputStream(file)) {
      Json settings = Json.parse(in.readNBytes(MAX_SETTINGS));
      if (settings.kind() == Json.Kind.OBJECT) {
        return settings;
      }
      throw Failure.usage("'" + file + "' is not a JSON object; " + option + " needs one");
    } catch (JsonException e) {
      throw Failure.usage("'" + file + "' is not JSON: " + Failure.reason(e));
    } catch (IOException e) {
      throw Failure.usage("'" + file + "' cannot be read; " + option + " needs a JSON file");
    }
  }
}
