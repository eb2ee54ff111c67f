package dev.repartee.internal.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.internal.PrivateFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines. A full file is renamed to {@code FILE.1}, and {@code FILE.1} to {@code FILE.2};
 * the oldest file is deleted. Only the owner can read a new file. A device or a pipe, such as {@code
 * /dev/stdout}, is never renamed. For one thread.
 */
public final class RotatingFile implements Consumer<String>, AutoCloseable {
  /** The usual size at which a file is renamed, in bytes. */
  public static final long MAX_FILE = 10 << 20;

  /** The number of older files. */
  public static final int OLDER = 5;

  private final Path path;
  private final long maxFile;
  private final Consumer<IOException> failed;
  private final boolean isRegular;
  private @Nullable FileChannel file;
  private long size;
  private boolean isBroken;
  private String head = "";

  /**
   * Opens a file, and appends to one that exists.
   *
   * @param maxFile the size at which it is renamed, in bytes
   * @param failed gets the first failure of several in a row
   * @throws IOException if it cannot be written
   */
  public RotatingFile(Path path, long maxFile, Consumer<IOException> failed) throws IOException {
    this.maxFile = maxFile;
    this.failed = failed;
    open(path);
    this.isRegular = Files.isRegularFile(path);
    this.path = isRegular ? path.toRealPath() : path; // a link stays
  }

  /** Sets the first lines of each new file. To be called before the first line. */
  public void head(String lines) {
    head = lines + "\n";
  }

  /**
   * Writes a line, and its end.
   *
   * @throws UncheckedIOException if it cannot be written; this is the case for each line until the
   *     file can be written again
   */
  @Override
  public void accept(String line) {
    try {
      String start = isBroken ? "\n" : ""; // ends a line of which a part was written
      ByteBuffer bytes = UTF_8.encode(start + line + "\n");
      if (isRegular && size > 0 && size + bytes.remaining() > maxFile) {
        rotate();
      }
      FileChannel out = file == null ? open(path) : file;
      if (size == 0 && !head.isEmpty()) {
        bytes = UTF_8.encode(head + line + "\n");
      }
      while (bytes.hasRemaining()) {
        size += out.write(bytes);
      }
      isBroken = false;
    } catch (IOException e) {
      if (!isBroken) {
        failed.accept(e);
      }
      isBroken = true;
      throw new UncheckedIOException(e);
    }
  }

  private FileChannel open(Path name) throws IOException {
    FileChannel opened = FileChannel.open(
        name,
        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
        PrivateFile.attributes(name));
    file = opened;
    size = opened.size();
    return opened;
  }

  @Override
  public void close() throws IOException {
    FileChannel opened = file;
    file = null;
    if (opened != null) {
      opened.close();
    }
  }

  private void rotate() throws IOException {
    close();
    if (!Files.exists(path)) {
      return; // someone has removed or renamed it
    }
    for (int i = OLDER - 1; i > 0; i--) {
      if (Files.exists(older(i))) {
        Files.move(older(i), older(i + 1), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Files.move(path, older(1), StandardCopyOption.REPLACE_EXISTING);
  }

  private Path older(int number) {
    return path.resolveSibling(path.getFileName() + "." + number);
  }
}
