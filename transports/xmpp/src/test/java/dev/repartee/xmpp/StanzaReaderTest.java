package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Splitting the text of a stream. */
class StanzaReaderTest {
  private static final String STREAM = "<stream:stream to='a>b' xmlns='jabber:client'>";

  private final List<String> taken = new ArrayList<>();

  /**
   * Returns the text that Smack reads if the input arrives in parts with this number of characters.
   */
  private String passed(String text, int part) throws IOException {
    Reader from = new FilterReader(new StringReader(text)) {
      @Override
      public int read(char[] to, int offset, int length) throws IOException {
        return super.read(to, offset, Math.min(part, length));
      }
    };
    Reader reader = new StanzaReader(
        from,
        (name, stream, element) -> {
          assertThat(stream).isEqualTo(STREAM);
          return name.equals("iq") && taken.add(element);
        },
        200);
    StringBuilder passed = new StringBuilder();
    char[] chars = new char[7];
    for (int count = reader.read(chars); count >= 0; count = reader.read(chars)) {
      passed.append(chars, 0, count);
    }
    return passed.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1000})
  void elementsAreTakenWholeAndOthersGoOnInTheirOrder(int part) throws IOException {
    String error = "<stream:error><a/></stream:error>";
    String first = "<iq id=\"/>'\"/>";
    String second = "<c:iq a='>'><b/><c>]]></c><![CDATA[</iq>]]]]><d\t/></c:iq>";
    String other = "<iqs><iq/></iqs>";
    String text = "<?xml version='1.0'?>" + STREAM + " " + error + "\n" + first + second + other
        + "<?xml version='1.0'?>" + STREAM + first + "</stream:stream>";
    assertThat(passed(text, part)).isEqualTo(STREAM + error + other + STREAM + "</stream:stream>");
    assertThat(taken).containsExactly(first, second, first);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<!DOCTYPE x>",
        STREAM + "<!-- a -->",
        STREAM + "<iq><!-- a --></iq>",
        STREAM + "<iq><?a?></iq>",
        STREAM + "text"
      })
  void whatXmppDoesNotAllowEndsTheStream(String text) {
    assertThatThrownBy(() -> passed(text, 1)).isInstanceOf(IOException.class);
  }

  @Test
  void anElementThatIsTooLargeEndsTheStream() throws IOException {
    String large = "<iq>" + "x".repeat(190) + "</iq>";
    assertThat(passed(STREAM + large + large, 9)).isEqualTo(STREAM);
    assertThatThrownBy(() -> passed(STREAM + "<iq>" + "x".repeat(200), 9))
        .hasMessageContaining("more than 200");
    assertThatThrownBy(() -> passed(STREAM + "<iq a" + "x".repeat(200), 9))
        .hasMessageContaining("more than 200");
  }
}
