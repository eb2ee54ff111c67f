package dev.repartee.ssh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Checks the permissions of security-relevant files, as OpenSSH does. */
final class OwnersFile {
  private static final Set<PosixFilePermission> READ_BY_OTHERS =
      Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
  private static final Set<PosixFilePermission> WRITTEN_BY_OTHERS =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private OwnersFile() {}

  /**
   * Checks that only the owner of a private key can read it.
   *
   * @throws IOException if others can; the message contains the file and the remedy
   */
  static void requireUnreadableByOthers(Path file) throws IOException {
    if (permits(file, READ_BY_OTHERS) || permits(file, WRITTEN_BY_OTHERS)) {
      throw new IOException("the private key '" + file
          + "' is accessible to other users; change that with: chmod 600 " + file);
    }
  }

  /**
   * Checks that only the owner of a list of keys can change it.
   *
   * @throws IOException if others can; the message contains the file and the remedy
   */
  static void requireUnchangeableByOthers(Path file) throws IOException {
    if (permits(file, WRITTEN_BY_OTHERS)) {
      throw new IOException("other users can change the authorized keys in '" + file
          + "'; change that with: chmod go-w " + file);
    }
  }

  private static boolean permits(Path file, Set<PosixFilePermission> any) throws IOException {
    return Files.getFileStore(file).supportsFileAttributeView("posix")
        && Files.getPosixFilePermissions(file).stream().anyMatch(any::contains);
  }
}
