package dev.repartee.acp.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.acp.types.ReadTextFileRequest;
import dev.repartee.acp.types.WriteTextFileRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FolderFilesTest {
  @TempDir
  private Path outer;

  private Path folder;
  private FolderFiles files;

  @BeforeEach
  void create() throws IOException {
    folder = Files.createDirectory(outer.resolve("work"));
    Files.writeString(folder.resolve("a.txt"), "one\r\ntwo\nthree");
    Files.writeString(outer.resolve("secret.txt"), "secret");
    files = new FolderFiles(folder);
  }

  private String read(Path path) {
    return files.readTextFile(new ReadTextFileRequest("s", path.toString())).content();
  }

  private String read(int line, Integer limit) {
    return files
        .readTextFile(new ReadTextFileRequest("s", folder.resolve("a.txt").toString())
            .withLine(line)
            .withLimit(limit))
        .content();
  }

  private void write(Path path) {
    files.writeTextFile(new WriteTextFileRequest("s", path.toString(), "written"));
  }

  private static void refuses(ThrowingCallable call, String why) {
    assertThatThrownBy(call)
        .isInstanceOf(RpcException.class)
        .satisfies(e -> assertThat(((RpcException) e).error().toString()).contains(why));
  }

  @Test
  void linesAreCountedFromOneAndKeepTheirEnds() {
    assertThat(read(1, null)).isEqualTo("one\r\ntwo\nthree");
    assertThat(read(1, 1)).isEqualTo("one\r\n");
    assertThat(read(2, 1)).isEqualTo("two\n");
    assertThat(read(3, 10)).isEqualTo("three");
    assertThat(read(4, 1)).isEmpty();
    assertThat(read(1, 0)).isEmpty();
  }

  @Test
  void writingCreatesTheFileAndReplacesAnOldOne() {
    write(folder.resolve("new/deep/b.txt"));
    write(folder.resolve("a.txt"));

    assertThat(read(folder.resolve("new/deep/b.txt"))).isEqualTo("written");
    assertThat(read(folder.resolve("a.txt"))).isEqualTo("written");
  }

  @Test
  void pathsOutsideOfTheFolderAreRefused() {
    refuses(() -> read(outer.resolve("secret.txt")), "outside of the folder");
    refuses(() -> read(folder.resolve("../secret.txt")), "outside of the folder");
    refuses(() -> write(folder.resolve("../new.txt")), "outside of the folder");
    refuses(() -> read(Path.of("a.txt")), "not an absolute path");
    refuses(() -> write(folder), "outside of the folder");
    assertThat(outer.resolve("new.txt")).doesNotExist();
  }

  @Test
  void linksThatLeaveTheFolderAreRefused() throws Exception {
    Files.createSymbolicLink(folder.resolve("link.txt"), outer.resolve("secret.txt"));
    Files.createSymbolicLink(folder.resolve("dir"), outer);
    Files.createSymbolicLink(folder.resolve("nowhere"), outer.resolve("new.txt"));

    refuses(() -> read(folder.resolve("link.txt")), "outside of the folder");
    refuses(() -> read(folder.resolve("dir/secret.txt")), "outside of the folder");
    refuses(() -> write(folder.resolve("link.txt")), "outside of the folder");
    refuses(() -> write(folder.resolve("dir/new.txt")), "outside of the folder");
    refuses(() -> write(folder.resolve("nowhere")), "outside of the folder");
    assertThat(outer.resolve("secret.txt")).hasContent("secret");
    assertThat(outer.resolve("new.txt")).doesNotExist();
  }

  @Test
  void linksInsideOfTheFolderAreFollowed() throws Exception {
    Files.createSymbolicLink(folder.resolve("link.txt"), folder.resolve("a.txt"));
    write(folder.resolve("link.txt"));

    assertThat(folder.resolve("a.txt")).hasContent("written");
    assertThat(Files.isSymbolicLink(folder.resolve("link.txt"))).isTrue();
  }

  @Test
  void theFolderMayItselfBeALink() throws Exception {
    Path link = Files.createSymbolicLink(outer.resolve("alias"), folder);
    files = new FolderFiles(link);

    assertThat(read(link.resolve("a.txt"))).startsWith("one");
    assertThat(read(folder.resolve("a.txt"))).startsWith("one");
    write(link.resolve("b.txt"));
    assertThat(folder.resolve("b.txt")).hasContent("written");
  }

  @Test
  void aMissingFileIsNotFoundAndOtherFilesAreNoText() throws Exception {
    Files.write(folder.resolve("binary"), new byte[] {(byte) 0xFF, 0});

    refuses(() -> read(folder.resolve("none")), "-32002");
    refuses(() -> read(folder.resolve("binary")), "not a text in UTF-8");
    refuses(() -> read(folder), "not a regular file");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aNamedPipeIsNotOpened() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    refuses(() -> read(pipe), "not a regular file");
    refuses(() -> write(pipe), "not a regular file");
  }
}
