package dev.repartee.benchmarks.startup;

import dev.repartee.benchmarks.report.Text;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The size of a program with its dependencies: jars, or packages of Node.
 *
 * @param files the number of jars or packages
 * @param bytes their total size
 */
record InstalledSize(int files, long bytes) {
  /** Returns the size of class path entries; a folder of classes counts as a jar. */
  static InstalledSize ofClassPath(List<Path> entries) throws IOException {
    long bytes = 0;
    for (Path entry : entries) {
      bytes += Files.isDirectory(entry) ? jarred(entry) : Files.size(entry);
    }
    return new InstalledSize(entries.size(), bytes);
  }

  /** Returns the size of the packages in a folder that npm has installed. */
  static InstalledSize ofNodeModules(Path modules) throws IOException {
    long packages;
    try (Stream<Path> all = Files.find(modules, 3, (path, a) -> isPackage(modules, path))) {
      packages = all.count();
    }
    long bytes = 0;
    try (Stream<Path> files = Files.walk(modules)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
    }
    return new InstalledSize((int) packages, bytes);
  }

  /**
   * Returns whether the file describes a package: {@code name/package.json}, or one below a scope
   * such as {@code @types}.
   */
  private static boolean isPackage(Path modules, Path file) {
    Path within = modules.relativize(file);
    int depth = !within.toString().startsWith("@") ? 2 : 3;
    return within.getNameCount() == depth && file.endsWith("package.json");
  }

  private static long jarred(Path classes) throws IOException {
    Counter counter = new Counter();
    try (ZipOutputStream jar = new ZipOutputStream(counter);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        jar.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
        Files.copy(file, jar);
      }
    }
    return counter.bytes;
  }

  /** Counts the written bytes. */
  private static final class Counter extends OutputStream {
    long bytes;

    @Override
    public void write(int b) {
      bytes++;
    }

    @Override
    public void write(byte[] b, int from, int length) {
      bytes += length;
    }
  }

  /** Returns a table row. */
  String row(String name) {
    return Text.of("| %s | %d | %.2f |%n", name, files, bytes / 1e6);
  }
}
