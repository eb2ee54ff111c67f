package dev.repartee.build;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * The files of a folder, except files in hidden folders and in folders of builds: there, other
 * processes of the same build write and delete files while a test lists them.
 */
public final class SourceFiles {
  private SourceFiles() {}

  /**
   * Returns the files with an ending, sorted.
   *
   * @param depth the maximum number of names between the folder and a file, the file included
   */
  public static List<Path> below(Path folder, int depth, String ending) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        folder, EnumSet.noneOf(FileVisitOption.class), depth, new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            String name = String.valueOf(dir.getFileName());
            boolean skipped = !dir.equals(folder)
                && (name.equals("target") || name.equals("node_modules") || name.startsWith("."));
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && file.toString().endsWith(ending)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    files.sort(null);
    return files;
  }
}
