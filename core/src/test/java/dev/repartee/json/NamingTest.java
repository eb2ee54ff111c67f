package dev.repartee.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamingTest {
  @ParameterizedTest
  @CsvSource({
    "a, a, a, A",
    "blockHash, block_hash, block-hash, BlockHash",
    "parentURL, parent_url, parent-url, ParentURL",
    "URLParser, urlparser, urlparser, URLParser",
    "eip1559Fee, eip1559_fee, eip1559-fee, Eip1559Fee",
    "with_Score, with_score, with_-score, With_Score",
    "B, b, b, B",
    "übelÄrger, übel_ärger, übel-ärger, ÜbelÄrger"
  })
  void theWordsOfANameInJavaAreSeparated(String name, String snake, String kebab, String upper) {
    assertThat(Naming.SNAKE_CASE.name(name)).isEqualTo(snake);
    assertThat(Naming.KEBAB_CASE.name(name)).isEqualTo(kebab);
    assertThat(Naming.UPPER_CAMEL_CASE.name(name)).isEqualTo(upper);
    assertThat(Naming.AS_DECLARED.name(name)).isEqualTo(name);
  }
}
