package dev.repartee.acp.local;

import dev.repartee.RpcException;
import dev.repartee.acp.AcpErrors;
import dev.repartee.message.RpcError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Resolves the paths of an agent, and confines them to one folder. Immutable. */
final class Folder {
  private final Path given;
  private final Path root;

  /**
   * Creates a folder.
   *
   * @throws IOException if the folder does not exist
   */
  Folder(Path folder) throws IOException {
    this.given = folder.toAbsolutePath().normalize();
    this.root = folder.toRealPath();
    if (!Files.isDirectory(root)) {
      throw new NotDirectoryException(folder.toString());
    }
  }

  /** Returns the folder without symbolic links. */
  Path root() {
    return root;
  }

  /**
   * Returns the real path of an existing file or folder.
   *
   * @throws RpcException if it does not exist or is outside of this folder
   */
  Path existing(String named) {
    Path wanted = wanted(named);
    Path real;
    try {
      real = wanted.toRealPath();
    } catch (IOException e) {
      throw AcpErrors.notFound(named);
    }
    if (!real.startsWith(root)) {
      throw outside(named);
    }
    return real;
  }

  /**
   * Returns the real path of a file that may not exist.
   *
   * @throws RpcException if the path is outside of this folder, or contains a link without a target
   */
  Path place(String named) {
    Path wanted = wanted(named);
    // Only an existing path has a real path. This method therefore resolves the deepest existing
    // folder.
    Path present = wanted;
    while (!Files.exists(present, LinkOption.NOFOLLOW_LINKS)) {
      Path parent = present.getParent();
      if (parent == null) {
        throw outside(named);
      }
      present = parent;
    }
    Path real;
    try {
      real = present.toRealPath();
    } catch (IOException e) {
      throw outside(named); // a link without a target
    }
    Path place = real.resolve(present.relativize(wanted)).normalize();
    if (!real.startsWith(root) || !place.startsWith(root) || place.equals(root)) {
      throw outside(named);
    }
    return place;
  }

  /** Returns the normalized path. It begins with the real or the given path of this folder. */
  private Path wanted(String named) {
    Path path = parse(named);
    if (path == null || !path.isAbsolute()) {
      throw invalid("'" + named + "' is not an absolute path");
    }
    Path normal = path.normalize();
    // Refuses other paths before it reads the disk, because the answer could reveal their
    // existence.
    if (!normal.startsWith(root) && !normal.startsWith(given)) {
      throw outside(named);
    }
    return normal;
  }

  private static @Nullable Path parse(String named) {
    try {
      return Path.of(named);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private RpcException outside(String named) {
    return invalid("'" + named + "' is outside of the folder " + root);
  }

  /** Returns the error for invalid params. */
  static RpcException invalid(String reason) {
    return new RpcException(RpcError.INVALID_PARAMS, "Invalid params", reason);
  }
}
