package dev.repartee.cli.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.InputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** A file with a secret of the user of a command. Messages never contain its text. */
final class SecretFile {
  private static final int MAX_FILE = 64 << 10;

  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

  private SecretFile() {}

  /**
   * Reads a file.
   *
   * @throws dev.repartee.cli.terminal.Failure if it cannot be read
   */
  static String read(String file, String option) {
    byte[] text =
        InputFile.bytes(file, MAX_FILE, "is too large for " + option, " to read for " + option);
    return new String(text, UTF_8);
  }

  /** Returns whether other users of the machine can read a file. */
  static boolean isReadableByOthers(String file) {
    try {
      return Files.getPosixFilePermissions(Path.of(file)).stream().anyMatch(OTHERS::contains);
    } catch (IOException | UnsupportedOperationException | InvalidPathException e) {
      return false; // such as a file system without permissions
    }
  }
}
