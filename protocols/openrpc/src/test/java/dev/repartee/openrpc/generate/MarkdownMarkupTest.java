package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts of a document cannot start a tag in Markdown. */
class MarkdownMarkupTest {
  private static String paragraphs(String markdown) {
    MarkdownMarkup page = new MarkdownMarkup();
    page.paragraphs(markdown.replace('/', '\n'));
    return page.page().stripTrailing().replace('\n', '/');
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "a <b>                     ! a &lt;b>",
        "a `<b>` c                 ! a `<b>` c",
        "``<b>` <c>`` <d>          ! ``<b>` <c>`` &lt;d>",
        "a ` <b>                   ! a \\` &lt;b>",
        "a ` b/`<c>`               ! a \\` b/`<c>`",
        "\\` <b> `                 ! \\` &lt;b> \\`",
        "`a\\` <b> `               ! `a\\` &lt;b> \\`",
        "`\\``` x ` <b> ``         ! `\\``` x ` &lt;b> \\`\\`",
        "\\<b>                     ! \\&lt;b>",
        "```json/<b>/```/<c>       ! ```json/<b>/```/&lt;c>",
        "```/<b>/````/<c>          ! ```/<b>/````/&lt;c>",
        "```/<b>                   ! \\`\\`\\`/&lt;b>",
        "- a/  ```/<b>/  ```       ! - a/  \\`\\`\\`/&lt;b>/  \\`\\`\\`",
        "~~~/```/~~~/<b>/```       ! \\~~~/```/~~~/<b>/```",
      })
  void tagsStartInCodeOnly(String given, String escaped) {
    assertThat(paragraphs(given)).isEqualTo(escaped);
  }

  @Test
  void aTextInALineHasOneRule() {
    MarkdownMarkup page = new MarkdownMarkup();
    assertThat(page.text("```\na ```b <c>\n```")).isEqualTo("``` a ```b &lt;c> \\`\\`\\`");
    assertThat(page.text("`a\\|<b>`")).isEqualTo("\\`a\\\\|&lt;b>\\`");
  }

  @Test
  void codeHasMoreQuotesAroundItThanWithin() {
    MarkdownMarkup page = new MarkdownMarkup();
    assertThat(page.code("a``<b>")).isEqualTo("```a``<b>```");
    assertThat(page.code("a\\|<b>")).isEqualTo("a\\\\|&lt;b>");
    page.block("sh", "'\n```\n<b>'");
    assertThat(page.page()).isEqualTo("````sh\n'\n```\n<b>'\n````\n");
  }
}
