package dev.repartee.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.repartee.fuzz.Corpus.Input;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the saved inputs and variants of them, because fixed faults must not return. */
@Tag("any-jdk")
class CorpusTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("repartee.root", "../.."), "build", "fuzz", "corpus");
  private static final int VARIANTS = 1_000;

  @ParameterizedTest(name = "{0}")
  @EnumSource
  void everySavedInputPasses(Target target) throws IOException {
    List<Input> inputs = Corpus.of(target, FOLDER);
    assertThat(inputs).isNotEmpty();
    inputs.forEach(input -> run(target, input.name(), input.bytes()));
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  void soDoInputsThatAreLikeTheSavedOnes(Target target) throws IOException {
    List<Input> inputs = Corpus.of(target, FOLDER);
    Random random = new Random(8259);
    for (int i = 0; i < VARIANTS; i++) {
      Input one = inputs.get(random.nextInt(inputs.size()));
      Input other = inputs.get(random.nextInt(inputs.size()));
      run(target, "variant " + i + " of " + one, variant(random, one.bytes(), other.bytes()));
    }
  }

  /** Inputs in any other folder would never be tested. */
  @Test
  void everyFolderBelongsToATarget() throws IOException {
    try (Stream<Path> folders = Files.list(FOLDER)) {
      assertThat(folders.map(folder -> String.valueOf(folder.getFileName())))
          .isSubsetOf(Arrays.stream(Target.values())
              .flatMap(target -> target.folders().stream())
              .toList());
    }
  }

  private static void run(Target target, String name, byte[] input) {
    try {
      target.run(input);
    } catch (RuntimeException | Error e) {
      fail(name + ": " + new String(input, ISO_8859_1), e);
    }
  }

  /** Returns the start of one input and the end of the other, with a few bytes changed. */
  private static byte[] variant(Random random, byte[] one, byte[] other) {
    int cut = random.nextInt(one.length + 1);
    byte[] rest = random.nextInt(3) == 0 ? other : one;
    int from =
        rest == one ? Math.max(0, cut - random.nextInt(4) + 1) : random.nextInt(other.length + 1);
    ByteArrayOutputStream variant = new ByteArrayOutputStream();
    variant.write(one, 0, cut);
    variant.write(rest, Math.min(from, rest.length), Math.max(0, rest.length - from));
    byte[] bytes = variant.toByteArray();
    for (int i = random.nextInt(3); i > 0 && bytes.length > 0; i--) {
      byte[] donor = other.length > 0 && random.nextBoolean() ? other : bytes;
      bytes[random.nextInt(bytes.length)] =
          random.nextInt(4) == 0 ? (byte) random.nextInt(256) : donor[random.nextInt(donor.length)];
    }
    return bytes;
  }
}
