package dev.repartee.mcp.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.mcp.types.ToolException;
import dev.repartee.transport.Endpoint;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The folder that the tools may read. Resolves all paths of the model. Refuses a path that leaves
 * the folder, by {@code ..}, as an absolute path or through a symbolic link. Immutable.
 */
public final class Workspace {
  private static final String BOM = "\uFEFF";

  private final Path given;
  private final Path root;
  private final int maxBytes;

  /**
   * Creates a workspace.
   *
   * @param maxBytes the maximum size of a file that is read
   * @throws IOException if the folder does not exist
   */
  public Workspace(Path folder, int maxBytes) throws IOException {
    this.given = folder.toAbsolutePath().normalize();
    this.root = folder.toRealPath();
    this.maxBytes = maxBytes;
    if (!Files.isDirectory(root)) {
      throw new NotDirectoryException(folder.toString());
    }
  }

  /** Returns the folder without symbolic links. */
  public Path root() {
    return root;
  }

  /** Returns the last part of the folder's path. */
  public String name() {
    Path name = root.getFileName();
    return name == null ? root.toString() : name.toString();
  }

  /**
   * Returns the regular file at a path from the model, with symbolic links resolved.
   *
   * @throws ToolException if it does not exist, or is not in this folder
   */
  public Path file(String named) {
    Path wanted = wanted(named);
    if (!wanted.startsWith(root) && !wanted.startsWith(given)) { // hides whether it exists
      throw outside(named);
    }
    Path real;
    try {
      real = wanted.toRealPath();
    } catch (IOException e) {
      throw new ToolException("There is no file '" + named + "' in the workspace " + root
          + ". Paths are relative to the workspace.");
    }
    if (!real.startsWith(root)) {
      throw outside(named);
    } else if (!Files.isRegularFile(real)) {
      throw new ToolException("'" + named + "' is not a regular file.");
    }
    return real;
  }

  /**
   * Returns the URI of a server with this folder as working directory, if the URI starts a process
   * and does not name another directory.
   */
  public String startingIn(String uri) {
    Endpoint endpoint = Endpoint.parse(uri);
    if (!endpoint.scheme().equals("exec") || endpoint.options().containsKey("cwd")) {
      return uri;
    }
    Map<String, String> options = new LinkedHashMap<>(endpoint.options());
    options.put("cwd", URLEncoder.encode(root.toString(), UTF_8).replace("+", "%20"));
    return new Endpoint(endpoint.scheme(), endpoint.address(), options).toString();
  }

  private Path wanted(String named) {
    Path path = named.startsWith("file:") ? path(named) : null;
    try {
      return path == null ? root.resolve(named).normalize() : path;
    } catch (InvalidPathException e) {
      throw new ToolException("'" + named + "' is not a path: " + e.getReason());
    }
  }

  private ToolException outside(String named) {
    return new ToolException(
        "'" + named + "' is outside of the workspace " + root + "; only its files can be used.");
  }

  /** Returns the path of a {@code file:} URI of the server, or null for other URIs. */
  public static @Nullable Path path(String uri) {
    if (!uri.startsWith("file:")) {
      return null;
    }
    try {
      return Path.of(URI.create(uri)).normalize();
    } catch (IllegalArgumentException | FileSystemNotFoundException e) {
      return null;
    }
  }

  /**
   * Returns the file of this folder at a URI of the server, with symbolic links resolved, or null.
   */
  public @Nullable Path inside(String uri) {
    Path path = path(uri);
    if (path == null || !path.startsWith(root) && !path.startsWith(given)) {
      return null;
    }
    try {
      Path real = path.toRealPath();
      return real.startsWith(root) && Files.isRegularFile(real) ? real : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns the path in the form for results: relative if it is in this folder. */
  public String shown(Path path) {
    Path base = path.startsWith(root) ? root : path.startsWith(given) ? given : null;
    return base == null
        ? path.toString()
        : base.relativize(path).toString().replace(File.separatorChar, '/');
  }

  /**
   * Returns the path of a {@code file:} URI in the form for results. Returns other URIs unchanged.
   */
  public String shown(String uri) {
    Path path = path(uri);
    return path == null ? uri : shown(path);
  }

  /** The content of a file. */
  public record Content(String text, boolean hasBom) {
    /**
     * Returns the bytes of the file with another text. Keeps a byte order mark.
     *
     * @throws CharacterCodingException if the text has half of a surrogate pair
     */
    public byte[] with(String other) throws CharacterCodingException {
      // String.getBytes would replace it by a question mark.
      ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap((hasBom ? BOM : "") + other));
      return Arrays.copyOf(encoded.array(), encoded.limit());
    }
  }

  /**
   * Reads a file.
   *
   * @param file a path without symbolic links
   * @throws ToolException if the file is too large, is not UTF-8, cannot be read, is no longer a
   *     regular file, or a folder of its path has become a symbolic link
   */
  public Content read(Path file) {
    byte[] bytes;
    try {
      if (!file.toRealPath().equals(file)) { // NOFOLLOW_LINKS checks only the last name
        throw new ToolException(
            "'" + shown(file) + "' is reached through a symbolic link now; it is not read.");
      } else if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new ToolException("'" + shown(file) + "' is not a regular file.");
      }
      try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
        bytes = in.readNBytes(maxBytes + 1);
      }
    } catch (IOException e) {
      throw new ToolException("'" + shown(file) + "' cannot be read.");
    }
    if (bytes.length > maxBytes) {
      throw new ToolException(
          "'" + shown(file) + "' has more than " + maxBytes + " bytes, too much for this tool.");
    }
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      boolean hasBom = text.startsWith(BOM);
      return new Content(hasBom ? text.substring(1) : text, hasBom);
    } catch (CharacterCodingException e) {
      throw new ToolException("'" + shown(file) + "' is not a text in UTF-8.");
    }
  }
}
