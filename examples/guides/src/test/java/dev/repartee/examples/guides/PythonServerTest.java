package dev.repartee.examples.guides;

import dev.repartee.mcp.types.Revision;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

/** A server of the Python SDK. */
@EnabledIf(
    value = "isInstalled",
    disabledReason =
        "-Drepartee.python.mcp names no environment in which .ci/run has installed mcp")
@Tag("ci")
class PythonServerTest extends SdkServerContract {
  private static final Path PYTHON =
      Path.of(System.getProperty("repartee.python.mcp", ""), "bin", "python").toAbsolutePath();

  private Process server;

  static boolean isInstalled() {
    return Files.isExecutable(PYTHON);
  }

  @Override
  String start() throws Exception {
    server = new ProcessBuilder(PYTHON.toString(), program("server.py").toString())
        .redirectErrorStream(true)
        .start();
    return address(server);
  }

  @Override
  void stop() {
    if (server != null) {
      server.destroyForcibly();
    }
  }

  @Override
  Revision revision() {
    return Revision.V2026_07_28;
  }
}
