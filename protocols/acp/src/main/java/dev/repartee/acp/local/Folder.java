package dev.repartee.acp.local;

import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.acp.AcpErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A folder that an agent may use: the paths of the agent are resolved here. Immutable. */
final class Folder {
  private final Path given;
  private final Path root;

  /**
   * Creates a folder.
   *
   * @throws IOException if there is no such folder
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
   * Returns the file or folder at a path, without symbolic links.
   *
   * @throws RpcException if there is none, or it is not in this folder
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
   * Returns the place of a file that may not exist, without symbolic links.
   *
   * @throws RpcException if it is not in this folder, or a link without a target is in its way
   */
  Path place(String named) {
    Path wanted = wanted(named);
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

  /** Returns a path with this folder or its given name as a prefix. */
  private Path wanted(String named) {
    Path path = parse(named);
    if (path == null || !path.isAbsolute()) {
      throw new RpcException(
          RpcError.INVALID_PARAMS, "Invalid params", "'" + named + "' is not an absolute path");
    }
    Path normal = path.normalize();
    if (!normal.startsWith(root) && !normal.startsWith(given)) { // does not tell if it exists
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
    return new RpcException(
        RpcError.INVALID_PARAMS,
        "Invalid params",
        "'" + named + "' is outside of the folder " + root);
  }
}
