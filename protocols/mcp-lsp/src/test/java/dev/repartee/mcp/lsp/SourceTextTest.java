package dev.repartee.mcp.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.Range;
import dev.repartee.mcp.ToolException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceTextTest {
  private static final SourceText SMILES =
      new SourceText("ab\r\n\uD83D\uDE00 = \u00E4\u20AC + x;\nend");

  private static Range range(int line, int start, int end) {
    return new Range(new Position(line, start), new Position(line, end));
  }

  @ParameterizedTest
  @CsvSource({"UTF_8,15", "UTF_16,10", "UTF_32,9"})
  void aSymbolBehindWideCharactersIsFoundInTheUnitsOfTheServer(Encoding encoding, int character) {
    Position position = SMILES.find("x", 2, encoding);
    assertThat(position).isEqualTo(new Position(1, character));
    assertThat(SMILES.column(new Position(1, character), encoding)).isEqualTo(10);
    assertThat(SMILES.position(2, 10, encoding)).isEqualTo(position);
  }

  @Test
  void aPositionInsideOfACharacterCountsAsItsStart() {
    assertThat(SMILES.column(new Position(1, 1), Encoding.UTF_16)).isEqualTo(1);
    assertThat(SMILES.column(new Position(1, 3), Encoding.UTF_8)).isEqualTo(1);
  }

  @Test
  void aPositionBehindTheLineCountsAsItsEnd() {
    assertThat(SMILES.column(new Position(0, Integer.MAX_VALUE), Encoding.UTF_16))
        .isEqualTo(3);
    assertThat(SMILES.column(new Position(0, Integer.MAX_VALUE), Encoding.UTF_8))
        .isEqualTo(3);
    assertThat(SMILES.column(new Position(99, 0), Encoding.UTF_16)).isEqualTo(1);
  }

  @Test
  void linesEndLikeThoseOfLsp() {
    SourceText text = new SourceText("a\nb\r\nc\rd\n");
    assertThat(text.lines()).isEqualTo(5);
    assertThat(List.of(text.line(1), text.line(2), text.line(3), text.line(4), text.line(5)))
        .containsExactly("a", "b", "c", "d", "");
  }

  @Test
  void aWholeWordIsPreferred() {
    SourceText text = new SourceText("areas = area + 1;\nsubarea");
    assertThat(text.find("area", 1, Encoding.UTF_16)).isEqualTo(new Position(0, 8));
    assertThat(text.find("area", 2, Encoding.UTF_16)).isEqualTo(new Position(1, 3));
    assertThat(text.find("subarea", 0, Encoding.UTF_16)).isEqualTo(new Position(1, 0));
    assertThat(text.find("x", 0, Encoding.UTF_16)).isNull();
    assertThat(text.find("1;", 1, Encoding.UTF_16)).isEqualTo(new Position(0, 15));
  }

  @Test
  void aColumnBehindTheLineIsNoPosition() {
    assertThat(SMILES.position(1, 3, Encoding.UTF_16)).isEqualTo(new Position(0, 2));
    assertThat(SMILES.position(1, 4, Encoding.UTF_16)).isNull();
    assertThat(SMILES.position(4, 1, Encoding.UTF_16)).isNull();
  }

  @Test
  void replacementsReferToTheTextBefore() {
    SourceText text = new SourceText("\uD83D\uDE00a b\nc");
    String changed = text.with(
        List.of(
            new SourceText.Replacement(range(1, 0, 1), "C"),
            new SourceText.Replacement(range(0, 2, 3), "one"),
            new SourceText.Replacement(range(0, 4, 4), "+"),
            new SourceText.Replacement(range(0, 4, 5), "two")),
        Encoding.UTF_16);
    assertThat(changed).isEqualTo("\uD83D\uDE00one +two\nC");
  }

  @Test
  void replacementsThatOverlapOrLeaveTheTextAreRefused() {
    SourceText text = new SourceText("abc");
    List<SourceText.Replacement> overlap = List.of(
        new SourceText.Replacement(range(0, 0, 2), ""),
        new SourceText.Replacement(range(0, 1, 3), ""));
    assertThatThrownBy(() -> text.with(overlap, Encoding.UTF_16))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining("overlap");
    List<SourceText.Replacement> outside = List.of(new SourceText.Replacement(range(7, 0, 0), ""));
    assertThatThrownBy(() -> text.with(outside, Encoding.UTF_16))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining("line 8");
  }
}
