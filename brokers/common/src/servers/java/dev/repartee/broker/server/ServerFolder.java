package dev.repartee.broker.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The folder of a server, which is deleted after the end of the server, with the JVM at last. */
final class ServerFolder implements AutoCloseable {
  /** Ends the server. */
  interface End {
    void run() throws InterruptedException;
  }

  private final Path path;
  private final End end;

  private ServerFolder(Path path, End end) {
    this.path = path;
    this.end = end;
  }

  static ServerFolder create(String name, End end) throws IOException {
    ServerFolder folder = new ServerFolder(Files.createTempDirectory(name), end);
    Runtime.getRuntime().addShutdownHook(new Thread(folder::closeAtLast));
    return folder;
  }

  Path path() {
    return path;
  }

  Path resolve(String file) {
    return path.resolve(file);
  }

  private void closeAtLast() {
    try {
      close();
    } catch (IOException e) {
      // The folder is in the folder of temporary files.
    }
  }

  @Override
  public void close() throws IOException {
    try {
      end.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the server ends", e);
    }
    if (Files.exists(path)) {
      try (Stream<Path> files = Files.walk(path)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
