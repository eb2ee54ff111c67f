package dev.repartee.internal;

import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** The permissions of new files that only their owner can read and write. */
public final class PrivateFile {
  private PrivateFile() {}

  /**
   * Returns the attributes to create a file with; none if its file system has no POSIX permissions,
   * as on Windows. An existing file keeps its permissions.
   */
  public static FileAttribute<?>[] attributes(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }
}
