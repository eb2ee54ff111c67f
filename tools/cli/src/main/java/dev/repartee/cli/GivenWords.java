package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Repairs arguments that the JVM could not decode. The JVM replaces each byte that is invalid in
 * the encoding of its locale by U+FFFD, without an error. Linux keeps the original bytes. An
 * argument in UTF-8 can therefore be decoded again. If the bytes are not UTF-8, or the system does
 * not keep them, the argument is rejected rather than sent.
 */
final class GivenWords {
  private static final char LOST = '\uFFFD';

  private GivenWords() {}

  /** Returns the arguments as the user gave them. */
  static String[] of(String... decoded) {
    return repaired(decoded, Path.of("/proc/self/cmdline"));
  }

  static String[] repaired(String[] decoded, Path commandLine) {
    List<String> given = null;
    String[] words = decoded.clone();
    for (int i = 0; i < words.length; i++) {
      if (words[i].indexOf(LOST) >= 0) {
        given = given == null ? split(commandLine) : given;
        // The options of the JVM precede the arguments of the command.
        int at = given.size() - words.length + i;
        String exact = at < 0 ? null : utf8(given.get(at));
        if (exact == null) {
          // Reports only the position, because the argument may be a secret.
          throw Failure.usage("argument " + (i + 1) + " holds bytes that are not UTF-8; in JSON, a"
              + " character may be written as \\u and four digits");
        }
        words[i] = exact;
      }
    }
    return words;
  }

  /** Returns the words of the command line, a character for each byte; empty if it is unknown. */
  private static List<String> split(Path commandLine) {
    try {
      String text = new String(Files.readAllBytes(commandLine), ISO_8859_1);
      List<String> words = List.of(text.split("\0", -1));
      return words.subList(0, words.size() - 1); // each word ends with NUL
    } catch (IOException notLinux) {
      return List.of();
    }
  }

  private static @Nullable String utf8(String word) {
    try {
      return UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(word.getBytes(ISO_8859_1)))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
