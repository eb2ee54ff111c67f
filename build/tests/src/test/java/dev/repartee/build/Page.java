package dev.repartee.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

/**
 * The fenced blocks of a Markdown page.
 *
 * @param name its path below the root of the tree
 */
record Page(String name, List<Block> blocks) {
  private static final Set<String> OUTPUTS = Set.of("text", "json", "jsonl");

  /**
   * A block.
   *
   * @param line the number of the first line of its text
   * @param words the info string: the language, and the words that {@link PagesTest} explains
   * @param output the block of text or JSON directly after it
   */
  record Block(int line, List<String> words, String text, Optional<String> output) {
    String language() {
      return words.get(0);
    }

    boolean is(String word) {
      return words.contains(word);
    }

    boolean isRun() {
      return (is("sh") || is("console")) && !is("example");
    }

    /** Returns the values of {@code KEY=VALUE,VALUE}. */
    List<String> values(String key) {
      return words.stream()
          .filter(word -> word.startsWith(key + "="))
          .flatMap(word -> Arrays.stream(word.substring(key.length() + 1).split(",")))
          .toList();
    }
  }

  static Page read(Path root, Path file) throws IOException {
    List<Block> blocks = new ArrayList<>();
    Parser parser =
        Parser.builder().includeSourceSpans(IncludeSourceSpans.BLOCKS).build();
    parser.parse(Files.readString(file)).accept(new AbstractVisitor() {
      @Override
      public void visit(FencedCodeBlock block) {
        int line = block.getSourceSpans().get(0).getLineIndex() + 2;
        Optional<String> output = Optional.of(block)
            .map(FencedCodeBlock::getNext)
            .map(next -> next instanceof FencedCodeBlock after ? after : null)
            .filter(after -> OUTPUTS.contains(after.getInfo()))
            .map(FencedCodeBlock::getLiteral);
        blocks.add(new Block(line, words(block), block.getLiteral(), output));
      }
    });
    return new Page(root.relativize(file).toString(), blocks);
  }

  private static List<String> words(FencedCodeBlock block) {
    return List.of(Objects.requireNonNullElse(block.getInfo(), "").split(" +"));
  }

  /** Returns the programs and packages that blocks of this page need. */
  List<String> needs() {
    return blocks.stream()
        .flatMap(block -> block.values("needs").stream())
        .distinct()
        .toList();
  }

  /** Returns the number of lines of the blocks that are run. */
  long commands() {
    return blocks.stream()
        .filter(Block::isRun)
        .flatMap(block -> block.text.lines())
        .count();
  }

  @Override
  public String toString() {
    return name; // of the test
  }
}
