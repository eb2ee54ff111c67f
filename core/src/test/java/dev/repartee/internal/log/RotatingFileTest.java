package dev.repartee.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class RotatingFileTest {
  private static final int MAX = 20;

  private final List<IOException> failures = new ArrayList<>();

  @TempDir
  Path folder;

  private RotatingFile open(Path path) throws IOException {
    return new RotatingFile(path, MAX, failures::add);
  }

  private static void write(RotatingFile file, int lines) {
    for (int i = 0; i < lines; i++) {
      file.accept("line " + i);
    }
  }

  private List<Path> files() throws IOException {
    try (var found = Files.list(folder)) {
      return found.sorted().toList();
    }
  }

  /** As root, /dev/stdout would be renamed otherwise. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aDeviceIsNotRenamed() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("log"), Path.of("/dev/null"));
    try (RotatingFile file = open(link)) {
      write(file, 10);
    }
    assertThat(files()).containsExactly(link);
    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(failures).isEmpty();
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void theFileThatALinkNamesIsRenamed() throws Exception {
    Path target = folder.resolve("target");
    Path link = Files.createSymbolicLink(folder.resolve("log"), target);
    try (RotatingFile file = open(link)) {
      write(file, 3);
    }
    assertThat(files()).containsExactly(link, target, folder.resolve("target.1"));
    assertThat(link).hasContent("line 2");
  }

  @Test
  void aFileThatSomeoneHasRemovedIsCreatedAgain() throws Exception {
    Path path = folder.resolve("log");
    Files.writeString(folder.resolve("log.1"), "older");
    try (RotatingFile file = open(path)) {
      write(file, 2);
      Files.delete(path);
      file.accept("line 2");
    }
    assertThat(path).hasContent("line 2");
    assertThat(folder.resolve("log.1")).hasContent("older");
    assertThat(failures).isEmpty();
  }

  @Test
  void eachFileBeginsWithTheHead() throws Exception {
    Path path = folder.resolve("log");
    try (RotatingFile file = open(path)) {
      file.head("#head");
      write(file, 3);
    }
    assertThat(path).hasContent("#head\nline 2");
    assertThat(folder.resolve("log.1")).hasContent("#head\nline 0\nline 1");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void eachLineThatCannotBeWrittenFailsAndTheFirstIsReported() throws Exception {
    try (RotatingFile file = open(Path.of("/dev/full"))) {
      for (int i = 0; i < 3; i++) {
        assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> write(file, 1));
      }
    }
    assertThat(failures).hasSize(1);
  }
}
