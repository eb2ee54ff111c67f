package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The file of a listening Unix socket. Only its owner can ever connect to it, and the file of a
 * running server is never replaced.
 *
 * <p>To claim the file, a server binds its socket in a fresh directory that no other user can
 * enter, sets the mode 0600, and then renames the socket to its final path. During that time it
 * holds a lock file beside the path, so that two starting servers do not interfere.
 */
public final class UnixSocketFile {
  /**
   * The kernel's limit is 103 to 107 bytes, depending on the system; the directory to bind in needs
   * a few of them.
   */
  public static final int MAX_BYTES = 100;

  /** The file type bits of a socket in {@code st_mode}. */
  private static final int SOCKET = 0140000;

  /** The mask of the file type bits in {@code st_mode}. */
  private static final int TYPE = 0170000;

  private static final int ATTEMPTS = 100;

  /** The average pause between two attempts to lock, in milliseconds. */
  private static final int LOCK_MILLIS = 20;

  /**
   * The number of different lengths of a lock file. The file is sparse and occupies one block on
   * the disk.
   */
  private static final int LENGTHS = 1 << 30;

  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY =
      mode("rwx------");
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE = mode("rw-------");

  private final Path path;
  private final String name;

  private UnixSocketFile(Path path, String name) {
    this.path = path;
    this.name = name;
  }

  /**
   * Returns the socket file with this path.
   *
   * @param endpoint the URI for error messages
   * @throws IllegalArgumentException if the path is empty, or longer than the kernel accepts
   */
  public static UnixSocketFile of(String name, Object endpoint) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("'" + endpoint + "' has no path; write it as unix:PATH");
    }
    int length = name.getBytes(UTF_8).length;
    if (length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the socket path '" + name + "' is " + length + " bytes long and may be " + MAX_BYTES
              + "; choose a shorter one, or a relative one from a directory nearby");
    }
    return new UnixSocketFile(Path.of(name), name);
  }

  private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  /** Returns the address of the socket. */
  public UnixDomainSocketAddress address() {
    return UnixDomainSocketAddress.of(path);
  }

  /**
   * Binds the server to this file. Returns the key of the file, to be passed to {@link #remove}.
   *
   * @throws IOException if another server uses the file, or it is not a socket; the message names
   *     the remedy
   */
  public Object claim(ServerSocketChannel server, int backlog) throws IOException {
    Path parent = path.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent, PRIVATE_DIRECTORY);
    }
    // A file lock is held by the whole process; threads of this process need another lock between
    // them.
    synchronized (UnixSocketFile.class) {
      Path lockFile = path.resolveSibling("." + path.getFileName() + ".repartee-lock");
      FileChannel lock = lock(lockFile);
      try {
        refuseUnlessStale();
        return bind(server, backlog);
      } finally {
        Files.deleteIfExists(lockFile);
        lock.close();
      }
    }
  }

  private FileChannel lock(Path file) throws IOException {
    for (int i = 0; i < ATTEMPTS; i++) {
      FileChannel channel = FileChannel.open(
          file,
          Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
          PRIVATE_FILE);
      boolean locked = false;
      try {
        locked = tryLock(channel) && isStillThere(channel, file);
      } finally {
        if (!locked) {
          channel.close();
        }
      }
      if (locked) {
        return channel;
      }
      pause();
    }
    throw new IOException("cannot listen on unix:" + name
        + ": another server is just starting there ('" + file + "' is locked)");
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // another copy of this class in this process has it
    } // another copy of this class in this process holds the lock
  }

  /**
   * Whether {@code file} still names the open lock file. The last holder deletes the lock file.
   * Between opening and locking, the file may have been deleted, and another server may have locked
   * a new one of the same name. A channel does not report its inode. To open and read the file by
   * its name would release the lock, since closing any descriptor of a file releases the locks of
   * the process (POSIX fcntl). Instead, this method gives the open file a random length, and checks
   * that the file with this name has the same length.
   */
  private static boolean isStillThere(FileChannel channel, Path file) throws IOException {
    long length = 1 + ThreadLocalRandom.current().nextInt(LENGTHS);
    channel.truncate(0).write(ByteBuffer.allocate(1), length - 1);
    try {
      return length
          == Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
              .size();
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(1 + ThreadLocalRandom.current().nextInt(2 * LOCK_MILLIS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new java.io.InterruptedIOException("interrupted while waiting for a lock file");
    }
  }

  private void refuseUnlessStale() throws IOException {
    int mode;
    try {
      mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return;
    }
    if ((mode & TYPE) != SOCKET) {
      throw new IOException("cannot listen on unix:" + name
          + ": it exists and is not a socket; remove it or choose another path");
    }
    if (isLive()) {
      throw new IOException("cannot listen on unix:" + name
          + ": it is in use by another server; stop that one or choose another path");
    }
  }

  private boolean isLive() throws IOException {
    SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      probe.configureBlocking(false); // a full backlog shows that the server is alive; do not wait
      probe.connect(address());
      return true;
    } catch (ConnectException e) {
      return false; // the server ended without removing the file
    } catch (SocketException e) {
      // No file: removed meanwhile. Otherwise the backlog is full, or access is denied.
      return key(path) != null;
    } finally {
      probe.close();
    }
  }

  private Object bind(ServerSocketChannel server, int backlog) throws IOException {
    Path directory = privateDirectory();
    try {
      Path bound = directory.resolve("s");
      server.bind(UnixDomainSocketAddress.of(bound), backlog);
      Files.setPosixFilePermissions(bound, PRIVATE_FILE.value());
      Object key = key(bound);
      Files.move(bound, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return Objects.requireNonNull(key);
    } finally {
      Files.deleteIfExists(directory.resolve("s"));
      Files.deleteIfExists(directory);
    }
  }

  private Path privateDirectory() throws IOException {
    for (int i = 0; i < ATTEMPTS; i++) {
      String random = Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36), 36);
      try {
        return Files.createDirectory(path.resolveSibling(".r" + random), PRIVATE_DIRECTORY);
      } catch (FileAlreadyExistsException e) {
        // In use; another name may be free.
      }
    }
    throw new IOException("cannot make a directory to bind in beside '" + name + "'");
  }

  private static @Nullable Object key(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Removes the file if it is still the claimed file. Must be called before the server socket is
   * closed: while that is open no other server replaces the file, and no other file gets its inode.
   */
  public void remove(Object claimed) {
    try {
      if (claimed.equals(key(path))) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      // Another process has removed the file, or it cannot be removed.
    }
  }
}
