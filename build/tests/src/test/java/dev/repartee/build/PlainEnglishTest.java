package dev.repartee.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Comments and pages call things by their nouns. Clauses with "what", "who" and the like describe a
 * thing instead of naming it. Therefore their number per 1,000 words is limited. Questions, code
 * and quoted strings do not count.
 */
@Tag("any-jdk")
class PlainEnglishTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final int DEPTH = 16;
  private static final double MOST_PER_1000_WORDS = 4;

  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z'-]*");
  private static final Pattern CLAUSE =
      Pattern.compile("(?i)\\b(what|who|whoever|whose|whom|whatever)\\b");

  /** A comment (groups 1 and 2), or a literal, where the marks of a comment have no meaning. */
  private static final Pattern COMMENT_OR_LITERAL = Pattern.compile(
      "//([^\\n]*)|/\\*(.*?)\\*/"
          + "|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'",
      Pattern.DOTALL);

  private static final Pattern JAVADOC_TAG = Pattern.compile("\\{@\\w+\\s[^}]*}");
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\\n]*`");
  private static final Pattern QUESTION = Pattern.compile("[^.!?:;]*\\?(?=[\\s\")]|$)");

  /** The clauses in some text, and its number of words. */
  private record Count(int words, List<String> clauses) {
    double perThousandWords() {
      return 1000.0 * clauses.size() / Math.max(words, 1);
    }
  }

  static Stream<String> modules() throws IOException {
    return SourceFiles.below(ROOT, 3, "pom.xml").stream()
        .filter(pom -> pom.endsWith("pom.xml") && Files.exists(pom.resolveSibling("src")))
        .map(pom -> ROOT.relativize(pom.getParent()).toString());
  }

  @ParameterizedTest
  @MethodSource("modules")
  void commentsNameThingsByTheirNoun(String module) throws IOException {
    List<String> clauses = new ArrayList<>();
    int words = 0;
    for (Path file : SourceFiles.below(ROOT.resolve(module).resolve("src"), DEPTH, ".java")) {
      String text = Files.readString(file);
      Matcher found = COMMENT_OR_LITERAL.matcher(text);
      while (found.find()) {
        String comment = found.group(1) != null ? found.group(1) : found.group(2);
        if (comment != null) {
          Count count = count(JAVADOC_TAG.matcher(comment).replaceAll(PlainEnglishTest::lines));
          words += count.words();
          count.clauses().forEach(clause -> clauses.add(ROOT.relativize(file) + ": " + clause));
        }
      }
    }
    assertPlain(new Count(words, clauses));
  }

  @Test
  void pagesNameThingsByTheirNoun() throws IOException {
    List<String> clauses = new ArrayList<>();
    int words = 0;
    for (Path file : SourceFiles.below(ROOT, DEPTH, ".md")) {
      Count count = count(CODE.matcher(Files.readString(file)).replaceAll(PlainEnglishTest::lines));
      words += count.words();
      count.clauses().forEach(clause -> clauses.add(ROOT.relativize(file) + ": " + clause));
    }
    assertPlain(new Count(words, clauses));
  }

  @ParameterizedTest
  @ValueSource(strings = {"What waits is sent later.", "Tells whoever asks.", "a peer\n* whose"})
  void aClauseIsFound(String text) {
    assertThat(count(text).clauses()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Is it clear what waits?", "Whatsoever", "The write queue is full."})
  void questionsAndOtherWordsDoNotCount(String text) {
    assertThat(count(text).clauses()).isEmpty();
  }

  private static void assertPlain(Count count) {
    assertThat(count.perThousandWords())
        .as(() -> "clauses per 1,000 words; name the thing by its noun instead:\n"
            + String.join("\n", count.clauses()))
        .isLessThanOrEqualTo(MOST_PER_1000_WORDS);
  }

  private static Count count(String text) {
    String statements = QUESTION.matcher(text).replaceAll(PlainEnglishTest::lines);
    List<String> clauses = new ArrayList<>();
    Matcher clause = CLAUSE.matcher(statements);
    while (clause.find()) {
      int from = statements.lastIndexOf('\n', clause.start()) + 1;
      int to = statements.indexOf('\n', clause.end());
      clauses.add(statements.substring(from, to < 0 ? statements.length() : to).strip());
    }
    return new Count((int) WORD.matcher(statements).results().count(), clauses);
  }

  /** Replaces a text by its line ends. */
  private static String lines(MatchResult text) {
    return text.group().replaceAll("[^\\n]", "");
  }
}
