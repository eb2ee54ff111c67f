package dev.repartee.javadoc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Javadoc comments as Markdown. */
class DocTextTest {
  @Test
  void blockTagsEndTheText() {
    DocText text = DocText.of("""
         Finds an order
         by its id. It may be old.

         @param id the id,
             on the bill
         @param <T> a type
         @param empty
         @return the order
         @throws IllegalStateException if {@code x}
        """);
    assertThat(text.main()).isEqualTo("Finds an order by its id. It may be old.");
    assertThat(text.firstSentence()).isEqualTo("Finds an order by its id.");
    assertThat(text.params())
        .isEqualTo(Map.of("id", "the id, on the bill", "<T>", "a type", "empty", ""));
    assertThat(text.result()).isEqualTo("the order");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{@code List<String>} and {@code {a}}|`List<String>` and `{a}`",
        "{@link #find} {@link Shop#find(int)} {@linkplain Shop the shop}|`find` `Shop.find(int)` the shop",
        "{@literal a < b} &amp; c &lt;b&gt;|a < b & c <b>",
        "<b>Bold</b> <a href=\"x\">link</a>|Bold link",
        "a {@unknown text} b|a text b",
        "{@code unclosed|`unclosed`",
        "{@}|\"\"",
        "mail a@b.c|mail a@b.c"
      })
  void inlineTagsAndElementsAreReplaced(String html, String markdown) {
    assertThat(DocText.of(html).main()).isEqualTo(markdown);
  }

  @Test
  void paragraphsListsAndCodeKeepTheirForm() {
    DocText text = DocText.of("""
         First. More.

         <p>Second
         paragraph:
         <ul>
           <li>one
           <li>two
         </ul>

         <pre>{@code
         @Rpc
         int a() {
           return 1;
         }
         }</pre>
         End.
        """);
    assertThat(text.main()).isEqualTo("""
        First. More.

        Second paragraph:

        - one
        - two

        ```
        @Rpc
        int a() {
          return 1;
        }
        ```

        End.""");
    assertThat(text.firstSentence()).isEqualTo("First.");
  }

  @Test
  void aBraceInTheTextHidesNoBlockTag() {
    DocText text = DocText.of("Finds '{'.\n@param text {@code a}\n@return the index");
    assertThat(text.main()).isEqualTo("Finds '{'.");
    assertThat(text.params()).isEqualTo(Map.of("text", "`a`"));
    assertThat(text.result()).isEqualTo("the index");
  }

  @Test
  void markdownKeepsItsForm() {
    DocText text = DocText.ofMarkdown("""
        Places an *order*
        of {@code List<Item>}. It does:

        - one `a<b>`
        - two

        ```
        @Override
          {@code x}
        ```

        @param id the
            [Order]
        @return nothing
        """);
    assertThat(text.main()).isEqualTo("""
        Places an *order*
        of `List<Item>`. It does:

        - one `a<b>`
        - two

        ```
        @Override
          {@code x}
        ```""");
    assertThat(text.firstSentence()).isEqualTo("Places an *order* of `List<Item>`.");
    assertThat(text.params()).isEqualTo(Map.of("id", "the\n    [Order]"));
    assertThat(text.result()).isEqualTo("nothing");
  }

  @Test
  void theTimeOfALongCommentIsNotSquare() {
    String comment = "<pre>x <p ".repeat(100_000) + " ".repeat(100_000) + "<pre>"
        + (" ".repeat(100_000) + 'x').repeat(4) + "</pre>\n" + "\n".repeat(100_000) + "@return it";
    assertThat(DocText.of(comment).result()).isEqualTo("it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "@return", "@param", "@", "{", "}", "{@code", "<pre>", "</pre>"})
  void anyCommentHasATextWithoutAnException(String comment) {
    assertThat(DocText.of(comment).firstSentence()).isNotNull();
  }
}
