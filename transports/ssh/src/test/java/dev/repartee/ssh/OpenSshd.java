package dev.repartee.ssh;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The server of OpenSSH as a separate process, on a port of this machine. */
final class OpenSshd implements AutoCloseable {
  private static final Path SSHD = Path.of("/usr/sbin/sshd");

  /** An empty folder that sshd requires if it runs as root; the system service creates it, too. */
  private static final Path SEPARATION = Path.of("/run/sshd");

  /**
   * The number of attempts with another port, since a free port may be used before sshd binds it.
   */
  private static final int ATTEMPTS = 5;

  private final Process process;
  private final int port;

  private OpenSshd(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static OpenSshd start(Keys keys) throws IOException {
    assumeTrue(Files.isExecutable(SSHD), "there is no /usr/sbin/sshd; install openssh-server");
    if (System.getProperty("user.name").equals("root")) {
      Files.createDirectories(SEPARATION);
    }
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < ATTEMPTS; i++) {
      OpenSshd started = start(keys, freePort(), all);
      if (started != null) {
        return started;
      }
    }
    throw new AssertionError(all);
  }

  /**
   * Starts the server; returns null if it ends, for example because another process uses the port.
   */
  private static @Nullable OpenSshd start(Keys keys, int port, StringBuilder all)
      throws IOException {
    Path config = keys.folder().resolve("sshd_config");
    Files.write(
        config,
        List.of(
            "ListenAddress 127.0.0.1",
            "Port " + port,
            "HostKey " + keys.host(),
            "AuthorizedKeysFile " + keys.authorized(),
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            "PidFile none"));
    Process process = new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", config.toString())
        .redirectErrorStream(true)
        .start();
    BufferedReader said =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = said.readLine();
    while (line != null && !line.contains("Server listening on")) {
      all.append(line).append('\n');
      line = said.readLine();
    }
    if (line == null) {
      return null;
    }
    Thread reading = new Thread(() -> said.lines().forEach(ignored -> {}), "sshd-output");
    reading.setDaemon(true);
    reading.start();
    return new OpenSshd(process, port);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  int port() {
    return port;
  }

  /** Kills the processes of all connections; the server continues. */
  void killConnections() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
