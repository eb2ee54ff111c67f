package dev.repartee.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServersFileTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":[1,2]}       | {\"a\":[1,2]}",
        "{\"a\":[1, ], }     | {\"a\":[1 ] }",
        "[1, /* , ] */ ]     | [1 ]",
        "[\"//\", \"/*,]\"] | [\"//\", \"/*,]\"]",
        "[\"\\\\\",]//x    | [\"\\\\\" ]",
        "[\"\\\",]\",]      | [\"\\\",]\" ]",
        "[1 // the end      | [1",
        "[1 /* the end      | [1",
        "[\"no end          | [\"no end"
      })
  void onlyCommentsAndSuperfluousCommasAreRemoved(String text, String strict) {
    assertThat(ServersFile.strict(text).replaceAll(" +", " ").strip())
        .isEqualTo(strict.replaceAll(" +", " ").strip());
  }
}
