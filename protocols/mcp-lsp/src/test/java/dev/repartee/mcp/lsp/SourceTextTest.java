package dev.repartee.mcp.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.PositionEncodingKind;
import dev.repartee.lsp.types.Range;
import dev.repartee.mcp.types.ToolException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceTextTest {
  private static final String SMILES = "ab\r\n\uD83D\uDE00 = \u00E4\u20AC + x;\nend";

  private static SourceText text(String text) {
    return new SourceText(text, PositionEncodingKind.UTF16);
  }

  private static Range range(int line, int start, int end) {
    return new Range(new Position(line, start), new Position(line, end));
  }

  @ParameterizedTest
  @CsvSource({"utf-8,15", "utf-16,10", "utf-32,9"})
  void aSymbolBehindWideCharactersIsFoundInTheUnitsOfTheServer(String encoding, int character) {
    SourceText text = new SourceText(SMILES, new PositionEncodingKind(encoding));
    Position position = text.find("x", 2);
    assertThat(position).isEqualTo(new Position(1, character));
    assertThat(text.column(new Position(1, character))).isEqualTo(10);
    assertThat(text.position(2, 10)).isEqualTo(position);
  }

  @Test
  void aPositionInsideOfACharacterCountsAsItsStart() {
    assertThat(text(SMILES).column(new Position(1, 1))).isEqualTo(1);
    assertThat(new SourceText(SMILES, PositionEncodingKind.UTF8).column(new Position(1, 3)))
        .isEqualTo(1);
  }

  @Test
  void aPositionBehindTheLineCountsAsItsEnd() {
    assertThat(text(SMILES).column(new Position(0, Integer.MAX_VALUE))).isEqualTo(3);
    assertThat(new SourceText(SMILES, PositionEncodingKind.UTF8)
            .column(new Position(0, Integer.MAX_VALUE)))
        .isEqualTo(3);
    assertThat(text(SMILES).column(new Position(99, 0))).isEqualTo(1);
  }

  @Test
  void linesEndLikeThoseOfLsp() {
    SourceText text = text("a\nb\r\nc\rd\n");
    assertThat(text.lines()).isEqualTo(5);
    assertThat(List.of(text.line(1), text.line(2), text.line(3), text.line(4), text.line(5)))
        .containsExactly("a", "b", "c", "d", "");
  }

  @Test
  void aWholeWordIsPreferred() {
    SourceText text = text("areas = area + 1;\nsubarea");
    assertThat(text.find("area", 1)).isEqualTo(new Position(0, 8));
    assertThat(text.find("area", 2)).isEqualTo(new Position(1, 3));
    assertThat(text.find("subarea", 0)).isEqualTo(new Position(1, 0));
    assertThat(text.find("x", 0)).isNull();
    assertThat(text.find("1;", 1)).isEqualTo(new Position(0, 15));
  }

  @Test
  void aColumnBehindTheLineIsNoPosition() {
    assertThat(text(SMILES).position(1, 3)).isEqualTo(new Position(0, 2));
    assertThat(text(SMILES).position(1, 4)).isNull();
    assertThat(text(SMILES).position(4, 1)).isNull();
  }

  @Test
  void replacementsReferToTheTextBefore() {
    SourceText text = text("\uD83D\uDE00a b\nc");
    String changed = text.with(List.of(
        new SourceText.Replacement(range(1, 0, 1), "C"),
        new SourceText.Replacement(range(0, 2, 3), "one"),
        new SourceText.Replacement(range(0, 4, 4), "+"),
        new SourceText.Replacement(range(0, 4, 5), "two")));
    assertThat(changed).isEqualTo("\uD83D\uDE00one +two\nC");
  }

  /** Work that grows with the length of the line would take many minutes. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void manyPositionsInALongLineAreFoundFast() {
    int length = 4_000_000;
    int edits = 20_000;
    SourceText text = new SourceText("\u20ac".repeat(length), PositionEncodingKind.UTF8);
    List<SourceText.Replacement> replacements = IntStream.range(0, edits)
        .map(i -> 3 * (length - 2 * i) - 6)
        .mapToObj(at -> new SourceText.Replacement(range(0, at, at + 3), "y"))
        .toList();

    String changed = text.with(replacements);

    assertThat(changed).hasSize(length).endsWith("\u20acy\u20acy\u20ac");
    assertThat(changed.chars().filter(c -> c == 'y').count()).isEqualTo(edits);
    assertThat(IntStream.range(0, edits)
            .allMatch(i -> text.column(new Position(0, 3 * (length - i))) == length - i + 1))
        .isTrue();
  }

  @Test
  void aLineIsShownWithoutTheSpaceAroundItAndCut() {
    SourceText text = text("  a b \t\n \n" + " ".repeat(100) + "abcdef");
    assertThat(text.shown(1, 10)).isEqualTo("a b");
    assertThat(text.shown(2, 10)).isEmpty();
    assertThat(text.shown(3, 5)).isEqualTo("abcde...");
    assertThat(text.shown(3, 6)).isEqualTo("abcdef");
  }

  @Test
  void theLinesWithATextAreListed() {
    SourceText text = text("a\nb a a\nc\na");
    assertThat(text.linesWith("a", 9)).containsExactly(1, 2, 4);
    assertThat(text.linesWith("a", 2)).containsExactly(1, 2);
    assertThat(text.linesWith("a\nb", 9)).isEmpty();
    assertThat(text.linesWith("x", 9)).isEmpty();
  }

  @Test
  void replacementsThatOverlapOrLeaveTheTextAreRefused() {
    SourceText text = text("abc");
    List<SourceText.Replacement> overlap = List.of(
        new SourceText.Replacement(range(0, 0, 2), ""),
        new SourceText.Replacement(range(0, 1, 3), ""));
    assertThatThrownBy(() -> text.with(overlap))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining("overlap");
    List<SourceText.Replacement> outside = List.of(new SourceText.Replacement(range(7, 0, 0), ""));
    assertThatThrownBy(() -> text.with(outside))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining("line 8");
  }
}
