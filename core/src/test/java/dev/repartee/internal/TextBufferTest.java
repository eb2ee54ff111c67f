package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.repartee.json.JsonReader;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TextBufferTest {
  private static final String[] PIECES = {
    "a",
    "plain text",
    "\u00e9",
    "\u20ac",
    "\ud83d\ude00",
    "\n",
    "\"",
    "\\",
    "/",
    "\u0000",
    "\ud83d",
    "\ude00"
  };

  static Stream<Arguments> escapes() {
    return Stream.of(
        arguments("a\\nb", "a\nb"),
        arguments("\\b\\f\\r\\t\\/\\\"\\\\", "\b\f\r\t/\"\\"),
        arguments("\\u0041\\u00e9\\u20AC", "A\u00e9\u20ac"),
        arguments("\u00e9\\n\u20ac", "\u00e9\n\u20ac"),
        arguments("\\ud83d\\ude00", "\ud83d\ude00"),
        arguments("\ud83d\ude00\\ud83d\\uDE00", "\ud83d\ude00\ud83d\ude00"),
        arguments("x\\ud83dy", "x\ud83dy"),
        arguments("x\\ud83d\\n", "x\ud83d\n"),
        arguments("x\\ude00", "x\ude00"),
        arguments("\\ud83d\\ud83d\\ude00", "\ud83d\ud83d\ude00"));
  }

  @ParameterizedTest
  @MethodSource("escapes")
  void escapesAreDecoded(String json, String text) {
    assertDecoded(json, text, "");
    assertDecoded(json, text, ",\"another string, so that the words end behind this one\"]");
  }

  @Test
  void textsOfAllLengthsAreDecodedWhateverStandsBehindThem() {
    Random random = new Random(1);
    TextBuffer buffer = new TextBuffer();
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      StringBuilder json = new StringBuilder();
      for (int i = random.nextInt(30); i >= 0; i--) {
        String piece = PIECES[random.nextInt(PIECES.length - (round % 4 == 0 ? 0 : 2))];
        text.append(piece);
        json.append(written(piece, random));
      }
      byte[] b = ("\"" + json + "\"" + "]".repeat(random.nextInt(20))).getBytes(UTF_8);
      String decoded = buffer.decode(b, 1, b.length);
      assertThat(decoded).as(json.toString()).isEqualTo(text.toString());
      assertThat(buffer.end()).isEqualTo(json.toString().getBytes(UTF_8).length + 1);
    }
  }

  @Test
  void theBufferGrowsWithTheText() {
    String line = "    int sum = first + second; // the \\\"sum\\\"\\n";
    String text = "    int sum = first + second; // the \"sum\"\n";
    assertDecoded(line.repeat(10_000), text.repeat(10_000), "}");
  }

  private static String written(String piece, Random random) {
    boolean surrogate =
        piece.length() == 1 && Character.isSurrogate(piece.charAt(0)); // not in UTF-8
    if (surrogate || piece.charAt(0) < ' ' || random.nextInt(4) == 0) {
      StringBuilder escaped = new StringBuilder();
      piece.chars().forEach(unit -> escaped.append(String.format("\\u%04x", unit)));
      return escaped.toString();
    }
    return piece.equals("\"") || piece.equals("\\") ? "\\" + piece : piece;
  }

  private static void assertDecoded(String json, String text, String behind) {
    byte[] b = ("[\"" + json + "\"" + behind).getBytes(UTF_8);
    JsonReader reader = new JsonReader(b, 1, b.length);
    assertThat(reader.readString()).isEqualTo(text);
    assertThat(reader.position()).isEqualTo(b.length - behind.getBytes(UTF_8).length);
  }
}
