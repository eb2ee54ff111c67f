package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Stores each entry in a separate file; processes that share the folder lose no entries, even
 * without a lock. The name of a file is a digest of the name of its entry. A folder or file that
 * belongs to another user, or that other users may read or change, is refused. Thread-safe.
 */
final class FolderStore implements TokenStore {
  private static final String FOLDER = "rwx------";
  private static final String FILE = "rw-------";
  private static final int SIZE = 1 << 20;

  private final Path folder;
  private volatile @Nullable UserPrincipal user;

  FolderStore(Path folder) {
    this.folder = folder;
    if (!folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      throw new UnsupportedOperationException(
          "the file system of " + folder + " cannot hide files from other users;"
              + " implement TokenStore with the key chain of the system");
    }
  }

  @Override
  public @Nullable String read(String name) throws IOException {
    Path file = file(name);
    try {
      requireOwnFolder();
      requireOwn(file, "remove it and log in again");
      if (Files.size(file) > SIZE) {
        throw new IOException(file + " has more than " + SIZE + " bytes");
      }
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public void write(String name, String secret) throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(FOLDER)));
    requireOwnFolder();
    Path draft = Files.createTempFile(
        folder,
        "draft",
        null,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(FILE)));
    try {
      Files.writeString(draft, secret);
      Files.move(draft, file(name), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  @Override
  public void remove(String name) throws IOException {
    try {
      requireOwnFolder();
      Files.deleteIfExists(file(name));
    } catch (NoSuchFileException e) {
      // Without the folder the entry does not exist.
    }
  }

  private void requireOwnFolder() throws IOException {
    requireOwn(folder, "run 'chmod 700 " + folder + "'");
  }

  /**
   * Refuses a folder or file that belongs to another user, or that other users may read or change.
   */
  private void requireOwn(Path path, String remedy) throws IOException {
    PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class);
    if (path.getFileSystem() == FileSystems.getDefault() && !found.owner().equals(user())) {
      throw new IOException(
          path + " belongs to the user '" + found.owner().getName() + "', not to '"
              + user().getName() + "', the user of this program; use a folder that you own");
    }
    String mode = PosixFilePermissions.toString(found.permissions());
    if (!mode.endsWith("------")) {
      throw new IOException("other users may read or change " + path + " (" + mode
          + "), which has secrets; " + remedy);
    }
  }

  /** Returns the user of this process: the owner of a file that it creates. */
  private UserPrincipal user() throws IOException {
    UserPrincipal known = user;
    if (known == null) {
      Path probe = Files.createTempFile("repartee", null);
      try {
        known = Files.getOwner(probe);
      } finally {
        Files.delete(probe);
      }
      user = known;
    }
    return known;
  }

  private Path file(String name) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
      return folder.resolve(HexFormat.of().formatHex(digest) + ".json");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK has no SHA-256", e);
    }
  }
}
