package dev.repartee.a2a.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** An installed PostgreSQL with a new, empty folder of data. */
final class Postgres implements AutoCloseable {
  private final Process process;
  private final int port;
  private final AtomicInteger schemas = new AtomicInteger();

  private Postgres(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Returns the folder of the programs; null if PostgreSQL is not installed. Since it refuses to run
   * as root, root needs the user that Debian creates for it.
   */
  static @Nullable Path programs() throws IOException {
    if (isRoot() && !Files.readString(Path.of("/etc/passwd")).contains("\npostgres:")) {
      return null;
    }
    List<Path> folders = new ArrayList<>();
    for (String each : System.getenv("PATH").split(System.getProperty("path.separator"))) {
      folders.add(Path.of(each));
    }
    Path debian = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions
            .sorted(Comparator.reverseOrder())
            .map(path -> path.resolve("bin"))
            .forEach(folders::add);
      }
    }
    return folders.stream()
        .filter(folder -> Files.isExecutable(folder.resolve("initdb"))
            && Files.isExecutable(folder.resolve("postgres")))
        .findFirst()
        .orElse(null);
  }

  /** Starts a server. The folder must be empty, and no other server may use it. */
  static Postgres start(Path programs, Path folder) throws Exception {
    if (isRoot()) {
      Files.setOwner(
          folder,
          folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postgres"));
    }
    Path data = folder.resolve("data");
    String init = output(
        launch(folder, programs.resolve("initdb"), "-D", data, "-U", "test", "-A", "trust", "-N"));
    if (!Files.isRegularFile(data.resolve("PG_VERSION"))) {
      throw new IOException("initdb has failed: " + init);
    }
    for (int attempt = 1; ; attempt++) {
      int port = freePort();
      Process process = launch(
          folder,
          programs.resolve("postgres"),
          "-D",
          data,
          "-k",
          "",
          "-h",
          "127.0.0.1",
          "-p",
          port,
          "-F");
      if (awaitReady(process)) {
        return new Postgres(process, port);
      } else if (attempt == 3) {
        throw new IOException("postgres does not start");
      }
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static Process launch(Path folder, Object... command) throws IOException {
    List<String> line = new ArrayList<>();
    if (isRoot()) {
      line.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"));
    }
    Arrays.stream(command).map(Object::toString).forEach(line::add);
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().put("LC_ALL", "C");
    return builder.directory(folder.toFile()).redirectErrorStream(true).start();
  }

  private static String output(Process process) throws IOException, InterruptedException {
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return output;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Reads the log until the server accepts connections, and afterwards in a thread. */
  private static boolean awaitReady(Process process) throws IOException {
    BufferedReader log = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      if (line.contains("ready to accept connections")) {
        Thread rest = new Thread(() -> drain(log), "postgres-log");
        rest.setDaemon(true);
        rest.start();
        return true;
      }
    }
    return false;
  }

  private static void drain(BufferedReader log) {
    try {
      log.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // The server has ended.
    }
  }

  /** Returns a source of connections to a new schema. */
  PGSimpleDataSource newSchema() throws SQLException {
    String name = "test" + schemas.incrementAndGet();
    try (Connection connection = source("public").getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA " + name);
    }
    return source(name);
  }

  private PGSimpleDataSource source(String schema) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {"127.0.0.1"});
    source.setPortNumbers(new int[] {port});
    source.setDatabaseName("postgres");
    source.setUser("test");
    source.setCurrentSchema(schema);
    return source;
  }

  /** Ends the server and its children with SIGQUIT, although connections may be open. */
  @Override
  public void close() throws IOException {
    try {
      new ProcessBuilder("kill", "-QUIT", String.valueOf(process.pid())).start();
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while postgres ends", e);
    }
  }
}
