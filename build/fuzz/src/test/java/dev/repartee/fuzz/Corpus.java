package dev.repartee.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.framing.Framing;
import dev.repartee.testkit.contract.FrameFeed;
import dev.repartee.testkit.examples.ClassificationTable;
import dev.repartee.testkit.examples.WorkedExamples;
import dev.repartee.testkit.examples.WorkedExamples.Example;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The inputs to test a target with and to start fuzzing from: the files in its {@linkplain
 * Target#folders() folders} of {@code build/fuzz/corpus}, and the examples of testkit.
 */
final class Corpus {
  private Corpus() {}

  /** One input. */
  record Input(String name, byte[] bytes) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Input> of(Target target, Path corpus) throws IOException {
    List<Input> inputs = new ArrayList<>();
    for (String folder : target.folders()) {
      if (Files.isDirectory(corpus.resolve(folder))) {
        try (Stream<Path> files = Files.list(corpus.resolve(folder))) {
          for (Path file : files.sorted().toList()) {
            inputs.add(new Input(folder + "/" + file.getFileName(), Files.readAllBytes(file)));
          }
        }
      }
    }
    if (target.folders().contains(Target.MESSAGES)) {
      examples().forEach(e -> inputs.add(new Input(e.name(), e.sent().getBytes(UTF_8))));
    }
    Framing framing = target.framing();
    if (framing != null) {
      FrameFeed feed = new FrameFeed(framing);
      examples().forEach(e -> inputs.add(new Input(e.name(), feed.write(e.sent()))));
    }
    return inputs;
  }

  private static Stream<Example> examples() {
    return Stream.of(
            WorkedExamples.all(), ClassificationTable.all(), ClassificationTable.responses(true))
        .flatMap(List::stream);
  }

  /** Writes the inputs of a target to files: {@code Corpus TARGET CORPUS-FOLDER OUTPUT-FOLDER}. */
  public static void main(String[] args) throws IOException {
    List<Input> inputs = of(Target.named(args[0]), Path.of(args[1]));
    Path to = Files.createDirectories(Path.of(args[2]));
    for (int i = 0; i < inputs.size(); i++) {
      Files.write(to.resolve(Integer.toString(i)), inputs.get(i).bytes());
    }
  }
}
