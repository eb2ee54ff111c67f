package dev.repartee.broker.server;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder of a server, which is deleted after the end of the server, at the latest with the JVM.
 */
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

  /**
   * Returns the path of a program in a folder of the PATH, or otherwise in one of the other
   * folders.
   */
  static Optional<String> command(String program, List<String> more) {
    return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)), more.stream())
        .map(each -> new File(each, program))
        .filter(File::canExecute)
        .map(File::getPath)
        .findFirst();
  }

  /** Sends a signal, such as STOP, to a process and its children. */
  static void signal(Process process, String name) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .forEach(each -> command.add(String.valueOf(each.pid())));
    new ProcessBuilder(command).start().waitFor();
  }

  Path path() {
    return path;
  }

  Path resolve(String file) {
    return path.resolve(file);
  }

  /** Starts a program, which writes its output to the log. */
  Process start(String... command) throws IOException {
    Files.deleteIfExists(log());
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log().toFile())
        .start();
  }

  /** Waits until the log has a text; fails with the log if the program ends. */
  void await(Process program, Pattern text) throws IOException, InterruptedException {
    while (true) {
      boolean ended = program.waitFor(10, TimeUnit.MILLISECONDS);
      String output = Files.readString(log());
      if (text.matcher(output).find()) {
        return;
      }
      if (ended) {
        throw new IOException(output);
      }
    }
  }

  private Path log() {
    return resolve("log");
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
