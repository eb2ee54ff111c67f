package dev.repartee.testkit.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The texts of <a href="https://github.com/nst/JSONTestSuite">JSONTestSuite</a>: texts that a
 * parser must accept, must reject, or may accept or reject. They are not part of this library: the
 * system property {@link #FOLDER} names the folder {@code test_parsing} of the suite.
 */
public final class JsonTestSuite {
  /** The name of the system property. */
  public static final String FOLDER = "repartee.jsontestsuite";

  private JsonTestSuite() {}

  /**
   * One text.
   *
   * @param name the name of its file; its first letter is y for accept, n for reject, i for either
   * @param bytes the text
   */
  public record Text(String name, byte[] bytes) {
    /** Asserts that a server may send this answer to the text, which is never a valid request. */
    public void assertMayBeAnswered(String answer) {
      boolean syntax = answer.contains("-32700");
      boolean request = answer.contains("-32600");
      boolean right = switch (name.charAt(0)) {
        case 'y' -> request && !syntax;
        case 'n' -> syntax && answer.contains("at offset ");
        default -> syntax || request;
      };
      if (!right) {
        throw new AssertionError(name + " must not be answered by " + answer);
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Returns all texts, sorted by name; skips the test if they are missing. */
  public static List<Text> texts() {
    Path folder = Path.of(System.getProperty(FOLDER, "the system property " + FOLDER));
    Assumptions.assumeTrue(
        Files.isDirectory(folder), () -> "the texts of JSONTestSuite are not in " + folder);
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().map(JsonTestSuite::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Text read(Path file) {
    try {
      return new Text(String.valueOf(file.getFileName()), Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
