package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.internal.Clock;
import dev.repartee.internal.log.FailureLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The content of a file, which is read again after a change. {@link #value} looks for a change at
 * most once a second. A file that has become unreadable or invalid keeps its last valid content,
 * and one warning is logged. Thread-safe.
 *
 * <p>The look is on the calling thread, though that reads connections: it takes microseconds. If it
 * were on another thread, the first caller after a long pause would be admitted by the old content.
 *
 * @param <T> the type of the parsed content
 */
final class WatchedFile<T> {
  /** The maximum size of a file in bytes. */
  static final int SIZE = 16 << 20;

  static final FailureLog LOG = new FailureLog();

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Set<PosixFilePermission> OTHERS = EnumSet.complementOf(EnumSet.of(
      PosixFilePermission.OWNER_READ,
      PosixFilePermission.OWNER_WRITE,
      PosixFilePermission.OWNER_EXECUTE));

  /** Parses the text of the file. */
  interface Parser<T> {
    /**
     * Returns the content.
     *
     * @throws IllegalArgumentException if the text is invalid; the message names the line and the
     *     remedy, without secrets
     */
    T parse(String text);
  }

  /** The properties of a file that show a change. */
  private record Version(FileTime time, long size, @Nullable Object key) {
    static Version of(Path path) throws IOException {
      BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
      return new Version(found.lastModifiedTime(), found.size(), found.fileKey());
    }
  }

  private final Path path;
  private final boolean secret;
  private final Clock clock;
  private final Parser<? extends T> parser;

  // Written under the lock of this.
  private volatile T value;
  private volatile long checked;
  private @Nullable Version version;

  /**
   * Reads the file.
   *
   * @param secret whether to warn if other users may read the file
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if its content is invalid
   */
  WatchedFile(Path path, boolean secret, Clock clock, Parser<? extends T> parser)
      throws IOException {
    this.path = path;
    this.secret = secret;
    this.clock = clock;
    this.parser = parser;
    checked = clock.nanos();
    version = Version.of(path);
    value = read();
  }

  /** Returns the present content. */
  T value() {
    long now = clock.nanos();
    if (now - checked >= PAUSE.toNanos()) {
      check(now);
    }
    return value;
  }

  private synchronized void check(long now) {
    if (now - checked < PAUSE.toNanos()) {
      return; // another thread has looked
    }
    Version found = null;
    try {
      found = Version.of(path);
      if (!found.equals(version)) {
        value = read();
      }
    } catch (IOException | IllegalArgumentException e) {
      if (!Objects.equals(found, version)) { // once for each change
        LOG.write(
            path + " has changed and cannot be used; the content before stays in force: "
                + message(e),
            null);
      }
    }
    version = found;
    checked = now;
  }

  private static String message(Exception e) {
    String simple = e.getClass().getSimpleName();
    return e instanceof IOException ? simple : Objects.requireNonNullElse(e.getMessage(), simple);
  }

  private T read() throws IOException {
    if (secret) {
      warnOfOtherUsers();
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(SIZE + 1);
    }
    if (bytes.length > SIZE) {
      throw new IllegalArgumentException(path + " has more than " + SIZE + " bytes");
    }
    try {
      return parser.parse(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(path + " is no UTF-8 text", e);
    }
  }

  private void warnOfOtherUsers() throws IOException {
    if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return;
    }
    Set<PosixFilePermission> found = Files.getPosixFilePermissions(path);
    if (found.stream().anyMatch(OTHERS::contains)) {
      LOG.write(
          "other users may use " + path + " (" + PosixFilePermissions.toString(found)
              + "), which has credentials; run 'chmod 600 " + path + "'",
          null);
    }
  }
}
