package dev.repartee.cli;

import dev.repartee.Options;
import dev.repartee.Server;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.lsp.LanguageTools;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code repartee mcp serve} for a language server. */
final class LanguageServerOptions {
  static final String INSTRUCTIONS = "These tools ask a language server about the code of a"
      + " workspace folder. Name positions by a line and the symbol in it. Lines and columns"
      + " count from 1, and paths are relative to the folder.";

  private static final int MAX_SETTINGS = 16 << 20;

  @Option(
      names = "--as",
      paramLabel = "PROTOCOL",
      description =
          "The protocol of the service: lsp for a language server. Default: JSON-RPC" + " methods.")
  @Nullable String protocol;

  @Option(
      names = "--workspace",
      paramLabel = "DIR",
      description = "With --as lsp: the folder that the language server works on. Its tools use no"
          + " other files. Default: the working directory.")
  @Nullable Path folder;

  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description = "With --as lsp: a JSON object with the settings that the language server asks"
          + " for (workspace/configuration).")
  @Nullable Path settings;

  @Option(
      names = "--write",
      description = "With --as lsp: let the tool rename write files of the folder. Without it all"
          + " tools are read-only.")
  boolean writes;

  /** Checks that the options go together. */
  void check(@Nullable String uri, boolean named) {
    if (protocol == null) {
      if (folder != null || settings != null || writes) {
        throw Failure.usage(
            "--workspace, --settings and --write are for a language server; add" + " --as lsp");
      }
    } else if (!protocol.equals("lsp")) {
      throw Failure.usage("'" + protocol + "' is no protocol that can be tools; known is lsp");
    } else if (uri == null || named) {
      throw Failure.usage("--as lsp needs the URI of a language server, such as exec:clangd, and"
          + " neither --class, --method nor --describe");
    }
  }

  /** Starts the language server and adds its tools to an MCP server. */
  Listening.Served serve(McpServer server, String uri, Options options) {
    Path root = folder == null ? Path.of("") : folder;
    if (!Files.isDirectory(root)) {
      throw Failure.usage("there is no folder '" + root + "'; name one with --workspace");
    }
    LanguageTools.Builder builder =
        LanguageTools.builder(uri, root).options(options).writes(writes);
    if (settings != null) {
      builder.settings(settings(settings));
    }
    try {
      return new LanguageServer(server, builder.start(server));
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (IOException e) {
      throw Connection.unreachable(uri, e);
    }
  }

  private static Json settings(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      Json settings = Json.parse(in.readNBytes(MAX_SETTINGS));
      if (settings.kind() == Json.Kind.OBJECT) {
        return settings;
      }
      throw Failure.usage("'" + file + "' is no JSON object; --settings needs one");
    } catch (JsonException e) {
      throw Failure.usage("'" + file + "' is not JSON: " + Failure.reason(e));
    } catch (IOException e) {
      throw Failure.usage("'" + file + "' cannot be read; --settings needs a JSON file");
    }
  }

  /** A language server, and the MCP server that has its tools. */
  private record LanguageServer(McpServer server, LanguageTools tools) implements Listening.Served {
    @Override
    public Server listen(String uri) throws IOException {
      return server.listen(uri);
    }

    @Override
    public void close() {
      tools.close();
    }
  }
}
