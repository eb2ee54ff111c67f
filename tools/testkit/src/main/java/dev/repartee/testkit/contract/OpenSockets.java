package dev.repartee.testkit.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Counts the open sockets and pipes of this process (Linux only). */
final class OpenSockets {
  private static final Path FILES = Path.of("/proc/self/fd");

  private OpenSockets() {}

  /** Returns the number of open sockets and pipes; 0 if the system does not report it. */
  static int count() {
    if (!Files.isDirectory(FILES)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(FILES)) {
      return (int) files.filter(OpenSockets::isSocket).count();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static boolean isSocket(Path file) {
    try {
      String what = Files.readSymbolicLink(file).toString();
      return List.of("socket:", "pipe:").stream().anyMatch(what::startsWith);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
