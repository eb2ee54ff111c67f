package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each entry in a file of its own, so processes that share the folder lose no entries without
 * a lock. The name of a file is a digest of that of its entry. Thread-safe.
 */
final class FolderStore implements TokenStore {
  private static final String FOLDER = "rwx------";
  private static final String FILE = "rw-------";
  private static final int SIZE = 1 << 20;

  private final Path folder;

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
      if (Files.size(file) > SIZE) {
        throw new IOException(file + " has more than " + SIZE + " bytes");
      }
      if (!PosixFilePermissions.toString(Files.getPosixFilePermissions(file)).endsWith("------")) {
        throw new IOException("other users may read or change " + file
            + ", which has secrets; remove it and log in again");
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
    Files.deleteIfExists(file(name));
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
