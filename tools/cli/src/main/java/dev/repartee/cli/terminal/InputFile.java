package dev.repartee.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file on the command line. Messages never contain its text, which may be secret. */
public final class InputFile {
  private InputFile() {}

  /**
   * Returns the bytes of a file.
   *
   * @param limit the number of bytes at which the file is refused
   * @param large the end of the sentence about such a file, after its name
   * @param purpose the end of the sentence for a missing file, such as {@code " to read"}
   */
  public static byte[] bytes(String file, int limit, String large, String purpose) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] bytes = in.readNBytes(limit);
      if (bytes.length == limit) {
        throw Failure.usage("'" + file + "' " + large);
      }
      return bytes;
    } catch (NoSuchFileException | InvalidPathException e) {
      throw Failure.usage("there is no file '" + file + "'" + purpose);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /** Returns the text of a file, which must be UTF-8. */
  public static String text(String file, int limit, String large) {
    try {
      return UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes(file, limit, large, "")))
          .toString();
    } catch (CharacterCodingException e) {
      throw unreadable(file, e);
    }
  }

  private static Failure unreadable(String file, IOException e) {
    return Failure.usage("'" + file + "' cannot be read: " + Failure.reason(e));
  }
}
