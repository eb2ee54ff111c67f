package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A class-data archive for the processes that the tests start. Without it, each process would need
 * twice the CPU time to start. The JVM archives only classes in jars; therefore the folders of the
 * class path are packed. The name of the archive depends on the JVM and on the state of the class
 * path, so that a later build does not use it.
 */
final class CommandArchive {
  /** The options of a JVM that uses the archive, with the class path. */
  static final List<String> OPTIONS = options();

  private CommandArchive() {}

  private static List<String> options() {
    try {
      Path folder = Files.createDirectories(Path.of("target", "child", key()).toAbsolutePath());
      Path archive = folder.resolve("classes.jsa");
      List<String> path = new ArrayList<>();
      // Surefire starts several processes. They wait until the first has created the archive.
      try (FileChannel file = FileChannel.open(
          folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        file.lock(); // until the file is closed
        boolean made = Files.exists(archive);
        for (Path entry : entries()) {
          Path jar = folder.resolve(path.size() + ".jar");
          if (Files.isDirectory(entry) && !made) {
            pack(entry, jar);
          }
          path.add((Files.isDirectory(entry) ? jar : entry).toString());
        }
        if (!made) {
          make(archive, String.join(File.pathSeparator, path));
        }
      }
      return List.of(
          "-XX:SharedArchiveFile=" + archive, "-cp", String.join(File.pathSeparator, path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void make(Path archive, String path) throws IOException {
    // With other options a JVM would refuse the archive, and report that on standard output.
    List<String> command = new ArrayList<>(Child.JVM);
    command.addAll(
        List.of("-XX:ArchiveClassesAtExit=" + archive, "-cp", path, Rehearsal.class.getName()));
    Process process = new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
    try (OutputStream in = process.getOutputStream()) {
      in.write("""
          {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}
          """.getBytes(UTF_8));
    }
    process.onExit().join();
  }

  private static String key() throws IOException {
    long newest = 0;
    for (Path entry : entries()) {
      try (Stream<Path> files = Files.walk(entry)) {
        for (Path file : files.toList()) {
          newest = Math.max(newest, Files.getLastModifiedTime(file).toMillis());
        }
      }
    }
    int path = entries().stream().map(Path::toString).collect(joining()).hashCode();
    return Integer.toHexString((Child.JVM + "" + path).hashCode()) + "-" + newest;
  }

  private static List<Path> entries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(Files::exists)
        .map(CommandArchive::asTheCommand)
        .toList();
  }

  /** Returns the jar of picocli that the command uses: its classes can be archived. See pom.xml. */
  private static Path asTheCommand(Path entry) {
    Path used = Path.of("target", "lib").resolve(entry.getFileName()).toAbsolutePath();
    return entry.getFileName().toString().startsWith("picocli-") && Files.exists(used)
        ? used
        : entry;
  }

  private static void pack(Path folder, Path jar) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        zip.putNextEntry(
            new ZipEntry(folder.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, zip);
        zip.closeEntry();
      }
    }
  }
}
