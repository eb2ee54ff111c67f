package dev.repartee.examples.guides;

import dev.repartee.mcp.types.Revision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A server of the TypeScript SDK. */
@EnabledIf(value = "isInstalled", disabledReason = NodeModules.MISSING)
@Tag("ci")
class TypeScriptServerTest extends SdkServerContract {
  @TempDir
  static Path folder;

  private Process server;

  static boolean isInstalled() {
    return NodeModules.has("@modelcontextprotocol/server");
  }

  @Override
  String start() throws Exception {
    // An ES module finds other modules only in a folder above it.
    Files.createSymbolicLink(folder.resolve("node_modules"), Path.of(NodeModules.file("")));
    Path program = Files.copy(program("server.mjs"), folder.resolve("server.mjs"));
    server = NodeModules.start(List.of("node", program.toString()));
    return address(server);
  }

  @Override
  void stop() throws Exception {
    if (server != null) {
      server.destroyForcibly();
    }
    Files.deleteIfExists(folder.resolve("node_modules"));
  }

  @Override
  Revision revision() {
    return Revision.V2026_07_28;
  }
}
