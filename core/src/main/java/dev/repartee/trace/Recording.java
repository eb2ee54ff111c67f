package dev.repartee.trace;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording: a file that a {@link Trace} has written, in the form that {@code
 * docs/recording.md} specifies.
 *
 * <pre>{@code
 * try (Recording recording = Recording.read(Path.of("calls.jsonl"))) {
 *   recording.entries().forEach(System.out::println);
 * }
 * }</pre>
 *
 * <p>Unknown members and events, as a later release may write them, are ignored. Every other
 * deviation is an error that names the line. Holds one line at a time in memory. Not thread-safe.
 */
public final class Recording implements AutoCloseable {
  /**
   * The first line of a recording.
   *
   * @param started the time at which the trace started
   * @param mask the {@linkplain Mask#label() name} of the mask; empty if the line states none
   */
  public record Header(Instant started, String mask) {
    /**
     * Reads the first line.
     *
     * @throws JsonException if it is not the header of a recording of a known version; the message
     *     names the member
     */
    public static Header read(Json line) {
      return EntryText.header(line);
    }
  }

  /** The maximum length of a line in bytes: more than a {@link Trace} writes. */
  private static final int MAX_LINE = 128 << 20;

  private final Path file;
  private final InputStream in;
  private final Header header;
  private long number;

  private Recording(Path file, InputStream in) throws IOException {
    this.file = file;
    this.in = in;
    byte[] first = line();
    try {
      this.header = Header.read(Json.parse(first == null ? new byte[0] : first));
    } catch (JsonException e) {
      throw new IOException(place() + "not a recording: " + e.getMessage(), e);
    }
  }

  /**
   * Opens a recording and reads its first line.
   *
   * @throws IOException if the file cannot be read, or is not a recording of a known version; the
   *     message names the file
   */
  public static Recording read(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file), 64 << 10);
    try {
      return new Recording(file, in);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** Returns the time at which the trace started. */
  public Instant started() {
    return header.started();
  }

  /** Returns the {@linkplain Mask#label() name} of the mask; empty if the file states none. */
  public String mask() {
    return header.mask();
  }

  /**
   * Returns the entries that were not read yet, in the order of the file, which are read on demand.
   * The stream throws {@link UncheckedIOException} if the file cannot be read, or if a line is not
   * valid; the message names the line.
   */
  public Stream<Entry> entries() {
    return StreamSupport.stream(
        new Spliterators.AbstractSpliterator<Entry>(
            Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL) {
          @Override
          public boolean tryAdvance(Consumer<? super Entry> action) {
            Entry entry = next();
            if (entry != null) {
              action.accept(entry);
            }
            return entry != null;
          }
        },
        false);
  }

  /** Returns the next entry; null at the end. */
  private @Nullable Entry next() {
    try {
      for (byte[] line = line(); line != null; line = line()) {
        Entry entry = Entry.read(Json.parse(line));
        if (entry != null) {
          return entry;
        }
      }
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonException e) {
      throw new UncheckedIOException(new IOException(place() + e.getMessage(), e));
    }
  }

  private String place() {
    return "'" + file + "', line " + number + ": ";
  }

  /** Reads a line; null at the end. */
  private byte @Nullable [] line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(512);
    number++;
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        if (line.size() == 0) {
          return null;
        }
        throw new IOException(place() + "the file ends inside a line");
      }
      if (line.size() == MAX_LINE) {
        throw new IOException(place() + "longer than " + MAX_LINE + " bytes");
      }
      line.write(b);
    }
    return line.toByteArray();
  }

  /** Closes the file. */
  @Override
  public void close() throws IOException {
    in.close();
  }
}
