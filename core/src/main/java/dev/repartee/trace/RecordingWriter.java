package dev.repartee.trace;

import dev.repartee.internal.PrivateFile;
import dev.repartee.internal.log.FailureLog;
import dev.repartee.json.JsonWriter;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;

/** Writes the lines of a recording, each with one write. For one thread. */
final class RecordingWriter implements AutoCloseable {
  /** The first bytes of every recording. */
  private static final String MARK = "{\"repartee\":\"recording\"";

  /** The room for the last line of a full recording. */
  private static final int LAST = 64;

  private final String name;
  private final OutputStream out;
  private long room;

  /** The length of all whole lines in bytes. */
  private long whole;

  RecordingWriter(String name, OutputStream out, long bytes) {
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
      Files.createFile(file, PrivateFile.attributes(file));
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

  private static boolean isReplaceable(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(MARK.length());
      return start.length == 0 || new String(start, StandardCharsets.UTF_8).equals(MARK);
    }
  }

  /**
   * Writes a line.
   *
   * @param at the time of its entry
   * @return false if the recording has ended: it is full, or a write failed
   */
  boolean write(JsonWriter line, Duration at) {
    try {
      if (line.size() > room) {
        JsonWriter last = EntryText.line(new Entry.Full(at));
        out.write(last.array(), 0, last.size());
        new FailureLog().write("the recording " + name + " is full; fileBytes sets its size", null);
        return false;
      }
      out.write(line.array(), 0, line.size());
      room -= line.size();
      whole += line.size();
      return true;
    } catch (IOException e) {
      truncate();
      new FailureLog().write("the recording " + name + " ends: " + e.getMessage(), null);
      return false;
    }
  }

  /** Removes the beginning of a line that a full disk has left, since no reader accepts it. */
  private void truncate() {
    if (out instanceof FileOutputStream file) {
      try {
        file.getChannel().truncate(whole);
      } catch (IOException e) {
        // The reader reports the line.
      }
    }
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      // Nothing is buffered, and nothing can be lost.
    }
  }
}
