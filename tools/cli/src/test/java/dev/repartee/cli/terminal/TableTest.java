package dev.repartee.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void theLastColumnIsCutToTheWidth() {
    Table table = new Table();
    table.row("add", "Adds two numbers and returns\ntheir sum");
    table.row("subtract", "Subtracts");
    assertThat(table.text(30)).isEqualTo("add       Adds two numbers...\nsubtract  Subtracts");
    assertThat(table.text(Integer.MAX_VALUE))
        .isEqualTo("add       Adds two numbers and returns their sum\nsubtract  Subtracts");
  }

  @Test
  void aLongNameDoesNotMoveTheOtherRows() {
    Table table = new Table();
    table.row("n".repeat(60), "Long");
    table.row("a", null);
    table.row("b", "B");
    assertThat(table.text(100)).isEqualTo("n".repeat(60) + "  Long\na\nb" + " ".repeat(41) + "B");
  }
}
