package dev.repartee;

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
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The file of a listening Unix socket: for its owner alone from the first moment on, and never taken
 * from a server that lives.
 *
 * <p>It is bound in a fresh directory that nobody else can enter, made 0600, and then renamed to where
 * it belongs, all while a lock file beside it is held that keeps two starting servers apart.
 */
final class UnixSocketFile {
  /** The kernel's bound is 103 to 107 bytes; the directory to bind in needs a few of them. */
  static final int MAX_BYTES = 100;

  private static final int SOCKET = 0140000;
  private static final int TYPE = 0170000;
  private static final int ATTEMPTS = 100;
  private static final int LOCK_MILLIS = 20;

  /** Lengths of a lock file, which has a hole and takes one block on the disk. */
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
   * The file that an endpoint names.
   *
   * @throws IllegalArgumentException if it names none, or the kernel could not take the name
   */
  static UnixSocketFile of(Endpoint endpoint) {
    String name = endpoint.address();
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

  UnixDomainSocketAddress address() {
    return UnixDomainSocketAddress.of(path);
  }

  /** Binds the server to this file; answers what to know the file by when it is removed. */
  Object claim(ServerSocketChannel server) throws IOException {
    Path parent = path.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent, PRIVATE_DIRECTORY);
    }
    // A file lock holds for the process; within it, this one does.
    synchronized (UnixSocketFile.class) {
      Path lockFile = path.resolveSibling("." + path.getFileName() + ".repartee-lock");
      FileChannel lock = lock(lockFile);
      try {
        refuseUnlessStale();
        return bind(server);
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
    }
  }

  /**
   * Whether that is the name of the file that was opened. Its last holder removes it, so what was locked
   * may be nobody's file any more, while another server has locked a new one. A channel does not tell its
   * inode, and to read the file by its name would release the lock, as closing any descriptor of a file
   * does. So the channel gives the file a random length, and the name has to show it.
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
      probe.configureBlocking(false); // a full backlog is a sign of life, not to be waited for
      probe.connect(address());
      return true;
    } catch (ConnectException e) {
      return false; // its server ended without removing it
    } catch (SocketException e) {
      return key(path) != null; // removed meanwhile; else its backlog is full, or it is not for us
    } finally {
      probe.close();
    }
  }

  private Object bind(ServerSocketChannel server) throws IOException {
    Path directory = privateDirectory();
    try {
      Path bound = directory.resolve("s");
      server.bind(UnixDomainSocketAddress.of(bound), TcpTransport.BACKLOG);
      Files.setPosixFilePermissions(bound, PRIVATE_FILE.value());
      Object key = key(bound);
      Files.move(bound, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return java.util.Objects.requireNonNull(key);
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
        // Taken; another name may be free.
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
   * Removes the file if it is still the one that was claimed. The server must not have been closed yet:
   * while it lives no other server takes its place, and its inode is no other file's.
   */
  void remove(Object claimed) {
    try {
      if (claimed.equals(key(path))) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      // Somebody else has taken care of it, or nobody can.
    }
  }
}
