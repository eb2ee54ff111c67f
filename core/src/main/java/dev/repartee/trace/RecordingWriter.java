package dev.repartee.trace;

import dev.repartee.internal.FailureLog;
import dev.repartee.json.JsonWriter;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes the lines of a recording, each with one write. Thread-safe. */
final class RecordingWriter implements Consumer<Entry>, AutoCloseable {
  /** The first bytes of every recording. */
  private static final String MARK = "{\"repartee\":\"recording\"";

  private final String name;

  /** The room for the last line of a full recording. */
  private static final int LAST = 64;

  // Guarded by this.
  private @Nullable OutputStream out;
  private long room;

  private RecordingWriter(String name, OutputStream out, long bytes) {
    this.name = name;
    this.out = out;
    this.room = bytes - LAST;
  }

  /** Returns a writer to standard error, which stays open. */
  static RecordingWriter stderr(long bytes) {
    OutputStream err = new OutputStream() {
      @Override
      public void write(int b) {
        System.err.write(b);
      }

      @Override
      public void write(byte[] b, int from, int length) {
        System.err.write(b, from, length);
        System.err.flush();
      }
    };
    return new RecordingWriter("standard error", err, bytes);
  }

  /** Creates a file for its owner only. A new file, since permissions of an old one would stay. */
  static RecordingWriter create(Path file, long bytes) throws IOException {
    try {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        if (!isReplaceable(file)) {
          throw new IOException("it exists and is no recording; name another file");
        }
        Files.delete(file);
      }
      Files.createFile(file, permissions(file));
      // Not a FileChannel: the interrupt of a thread that writes would close it.
      return new RecordingWriter(file.toString(), new FileOutputStream(file.toFile(), true), bytes);
    } catch (IOException | UnsupportedOperationException e) {
      throw new IOException("cannot write the recording '" + file + "': " + reason(e), e);
    }
  }

  /** The messages of the file system name only the file. */
  private static String reason(Exception e) {
    return switch (e.getClass().getSimpleName()) {
      case "NoSuchFileException" -> "its folder does not exist";
      case "AccessDeniedException" -> "the permission is missing";
      default -> String.valueOf(e.getMessage());
    };
  }

  private static FileAttribute<?>[] permissions(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isReplaceable(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(MARK.length());
      return start.length == 0 || new String(start, StandardCharsets.UTF_8).equals(MARK);
    }
  }

  /** Writes the first line. */
  void begin(JsonWriter header) {
    write(header, Duration.ZERO);
  }

  @Override
  public void accept(Entry entry) {
    write(EntryText.line(entry), entry.at());
  }

  private synchronized void write(JsonWriter line, Duration at) {
    OutputStream to = out;
    if (to == null) {
      return;
    }
    try {
      room -= line.size();
      if (room < 0) {
        JsonWriter last = EntryText.line(new Entry.Full(at));
        to.write(last.array(), 0, last.size());
        end("the recording " + name + " is full; fileBytes sets its size");
      } else {
        to.write(line.array(), 0, line.size());
      }
    } catch (IOException e) {
      end("the recording " + name + " ends: " + e.getMessage());
    }
  }

  private void end(String why) {
    new FailureLog().write(why, null);
    close();
  }

  @Override
  public synchronized void close() {
    OutputStream ended = out;
    out = null;
    if (ended != null) {
      try {
        ended.close();
      } catch (IOException e) {
        // Nothing is buffered, so nothing is lost.
      }
    }
  }
}
