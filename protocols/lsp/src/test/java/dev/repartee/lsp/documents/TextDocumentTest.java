package dev.repartee.lsp.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.lsp.types.*;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextDocumentTest {
  private static final List<PositionEncodingKind> ENCODINGS =
      List.of(PositionEncodingKind.UTF8, PositionEncodingKind.UTF16, PositionEncodingKind.UTF32);

  private static TextDocument document(String text) {
    return document(text, PositionEncodingKind.UTF16);
  }

  private static TextDocument document(String text, PositionEncodingKind encoding) {
    return TextDocument.of(new TextDocumentItem("file:///a", LanguageKind.JAVA, 1, text), encoding);
  }

  private static TextDocumentContentChangePartial change(
      int line, int from, int toLine, int to, String text) {
    return new TextDocumentContentChangePartial(
        new Range(new Position(line, from), new Position(toLine, to)), text);
  }

  private static void refuses(String why, Runnable use) {
    assertThatThrownBy(use::run)
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.code()).isEqualTo(-32602))
        .hasMessageContaining(why);
  }

  @Test
  void linesEndWithLineFeedCarriageReturnOrBoth() {
    TextDocument document = document("a\nbb\r\nccc\rdddd\n\r");

    assertThat(document.lineCount()).isEqualTo(6);
    assertThat(document.line(0)).isEqualTo("a");
    assertThat(document.line(1)).isEqualTo("bb");
    assertThat(document.line(2)).isEqualTo("ccc");
    assertThat(document.line(3)).isEqualTo("dddd");
    assertThat(document.line(4)).isEmpty();
    assertThat(document.line(5)).isEmpty();
    assertThat(document("").lineCount()).isOne();
    assertThat(document("").line(0)).isEmpty();
  }

  @Test
  void charactersAreCountedInTheNegotiatedEncoding() {
    String text = "a\u00e9\u20ac\ud83d\ude00b\n";

    assertThat(document(text, PositionEncodingKind.UTF8).offset(new Position(0, 10)))
        .isEqualTo(text.indexOf('b'));
    assertThat(document(text, PositionEncodingKind.UTF16).offset(new Position(0, 5)))
        .isEqualTo(text.indexOf('b'));
    assertThat(document(text, PositionEncodingKind.UTF32).offset(new Position(0, 4)))
        .isEqualTo(text.indexOf('b'));
    assertThat(document(text, PositionEncodingKind.UTF8).position(text.indexOf('b')))
        .isEqualTo(new Position(0, 10));
    assertThat(document(text, PositionEncodingKind.UTF32).position(text.indexOf('b')))
        .isEqualTo(new Position(0, 4));
    assertThatThrownBy(() -> document("", new PositionEncodingKind("utf-7")))
        .hasMessageContaining("known are utf-8, utf-16 and utf-32");
  }

  @Test
  void aPositionBehindTheEndOfALineIsTheEndOfTheLine() {
    for (PositionEncodingKind encoding : ENCODINGS) {
      TextDocument document = document("ab\r\ncd", encoding);

      assertThat(document.offset(new Position(0, 3))).isEqualTo(2);
      assertThat(document.offset(new Position(0, Integer.MAX_VALUE))).isEqualTo(2);
      assertThat(document.offset(new Position(1, 9))).isEqualTo(6);
    }
  }

  @Test
  void aPositionWithinACharacterIsTheStartOfTheCharacter() {
    assertThat(document("\ud83d\ude00", PositionEncodingKind.UTF16).offset(new Position(0, 1)))
        .isZero();
    assertThat(document("\ud83d\ude00", PositionEncodingKind.UTF8).offset(new Position(0, 3)))
        .isZero();
  }

  @Test
  void aPositionOutsideOfTheDocumentIsRefusedWithItsSize() {
    TextDocument document = document("ab\ncd");

    refuses(
        "the position 7:3 is outside of file:///a, which has 2 lines in version 1",
        () -> document.offset(new Position(7, 3)));
    refuses("2:1 is outside", () -> document.offset(new Position(2, 1)));
    refuses("-1:0 is outside", () -> document.offset(new Position(-1, 0)));
    refuses("0:-1 is outside", () -> document.offset(new Position(0, -1)));
    refuses(
        "the range 1:1 to 0:0 ends before it starts",
        () -> document.text(new Range(new Position(1, 1), new Position(0, 0))));
    refuses(
        "2147483647:0", () -> document.change(2, List.of(change(0, 0, Integer.MAX_VALUE, 0, ""))));
  }

  @Test
  void theStartOfTheLineAfterTheLastOneIsTheEndOfTheDocument() {
    assertThat(document("ab\ncd").offset(new Position(2, 0))).isEqualTo(5);
    assertThat(document("ab\ncd").change(2, List.of(change(0, 0, 2, 0, "x"))).text())
        .isEqualTo("x");
  }

  /** Work that grows with the length of the line would take many minutes. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void positionsInALongLineAreFoundInFewBlocks() {
    int length = 4 << 20;
    int edits = 3_000;
    for (PositionEncodingKind encoding : ENCODINGS) {
      for (String character : List.of("x", "\u20ac", "\ud83d\ude00")) {
        TextDocument document = document(character.repeat(length / character.length()), encoding);
        int at = document.position(length - 6_000).character();
        TextDocument changed =
            document.change(2, Collections.nCopies(edits, change(0, at, 0, Integer.MAX_VALUE, "")));

        assertThat(changed.length()).isEqualTo(length - 6_000);
        assertThat(changed.position(changed.length())).isEqualTo(new Position(0, at));
      }
    }
  }

  @Test
  void aVersionIsReadInOtherUnits() {
    String text = "a\u00e9\u20ac\ud83d\ude00b\n";
    TextDocument inUtf8 = document(text, PositionEncodingKind.UTF8);
    TextDocument inCharacters = inUtf8.withEncoding(PositionEncodingKind.UTF32);

    assertThat(inCharacters.position(inUtf8.offset(new Position(0, 10))))
        .isEqualTo(new Position(0, 4));
    assertThat(inCharacters.encoding()).isEqualTo(PositionEncodingKind.UTF32);
    assertThat(inCharacters.text()).isEqualTo(text);
    assertThat(inUtf8.withEncoding(PositionEncodingKind.UTF8)).isSameAs(inUtf8);
    assertThatThrownBy(() -> inUtf8.withEncoding(new PositionEncodingKind("utf-7")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void changesApplyOneAfterTheOther() {
    TextDocument document = document("class A {}\n");
    TextDocument changed = document.change(
        7,
        List.of(
            change(0, 6, 0, 7, "Beta"),
            change(0, 12, 0, 12, "\n"),
            new TextDocumentContentChangeWholeDocument("// gone\n// too\n"),
            change(1, 3, 1, 6, "left")));

    assertThat(changed.text()).isEqualTo("// gone\n// left\n");
    assertThat(changed.version()).isEqualTo(7);
    assertThat(changed.languageId()).isEqualTo(LanguageKind.JAVA);
    assertThat(document.text()).isEqualTo("class A {}\n");
    assertThat(document.version()).isOne();
  }

  @Test
  void aLineEndMayBeMadeAndSplitByChanges() {
    TextDocument document = document("a\rb");
    TextDocument joined = document.change(2, List.of(change(1, 0, 1, 0, "\n")));

    assertThat(joined.text()).isEqualTo("a\r\nb");
    assertThat(joined.lineCount()).isEqualTo(2);
    assertThat(joined.position(2)).isEqualTo(new Position(0, 1));
  }

  /** Compares long documents after many changes with strings and a simple count of characters. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aDocumentIsTheTextThatItsChangesMake(long seed) {
    Random random = new Random(seed);
    String[] alphabet = {"a", "b", "\n", "\r", "\r\n", "\u00e9", "\u20ac", "\ud83d\ude00", " "};
    PositionEncodingKind encoding = ENCODINGS.get((int) seed % 3);
    String text = text(random, alphabet, 20_000);
    TextDocument document = document(text, encoding);
    for (int i = 0; i < 300; i++) {
      Position start = document.position(random.nextInt(text.length() + 1));
      Position end =
          document.position(Math.min(text.length(), document.offset(start) + random.nextInt(300)));
      if (document.offset(end) < document.offset(start)) {
        end = start;
      }
      String with = text(random, alphabet, random.nextInt(i % 50 == 0 ? 9_000 : 20));
      int from = document.offset(start);
      int to = document.offset(end);
      assertThat(from).isEqualTo(offset(text, start, encoding));
      text = text.substring(0, from) + with + text.substring(to);
      document = document.change(
          i, List.of(new TextDocumentContentChangePartial(new Range(start, end), with)));
      assertThat(document.length()).isEqualTo(text.length());
      if (i % 20 == 0) {
        TextDocument anew = document(text, encoding);
        assertThat(document.text()).isEqualTo(text);
        assertThat(document.lineCount()).isEqualTo(anew.lineCount());
        for (int line = 0; line < anew.lineCount(); line++) {
          assertThat(document.line(line)).isEqualTo(anew.line(line));
        }
        List<String> lines = lines(text);
        assertThat(document.lineCount()).isEqualTo(lines.size());
        for (int line = 0; line < lines.size(); line++) {
          assertThat(document.line(line)).isEqualTo(lines.get(line));
        }
      }
    }
  }

  /** Compares positions in lines of several blocks with a count from the start of the line. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aPositionInALongLineIsThatOfItsCharacter(long seed) {
    Random random = new Random(seed);
    PositionEncodingKind encoding = ENCODINGS.get((int) seed % 3);
    String[] wide = {"a", "\u00e9", "\u20ac", "\ud83d\ude00"};
    TextDocument document = document(
        "a".repeat(9_000) + text(random, wide, 9_000) + "\r\n" + text(random, wide, 15_000),
        encoding);
    for (int i = 0; i < 30; i++) {
      Position at = new Position(random.nextInt(2), random.nextInt(12_000));
      String with = text(random, wide, random.nextInt(6_000));
      document = document.change(
          i,
          List.of(new TextDocumentContentChangePartial(
              new Range(at, new Position(at.line(), at.character() + random.nextInt(6_000))),
              with)));
    }
    int offset = 0;
    for (int line = 0; line < 2; line++) {
      String text = document.line(line);
      int character = 0;
      for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
        int width = units(Character.toString(text.codePointAt(i)), encoding);
        if (random.nextInt(20) == 0) {
          Position position = new Position(line, character);
          assertThat(document.position(offset + i)).isEqualTo(position);
          assertThat(document.offset(position)).isEqualTo(offset + i);
          assertThat(document.offset(new Position(line, character + width - 1)))
              .isEqualTo(offset + i);
        }
        character += width;
      }
      assertThat(document.offset(new Position(line, character))).isEqualTo(offset + text.length());
      assertThat(document.offset(new Position(line, Integer.MAX_VALUE)))
          .isEqualTo(offset + text.length());
      offset += text.length() + 2;
    }
  }

  private static String text(Random random, String[] alphabet, int count) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < count; i++) {
      out.append(alphabet[random.nextInt(alphabet.length)]);
    }
    return out.toString();
  }

  private static List<String> lines(String text) {
    return List.of(text.split("\r\n|\r|\n", -1));
  }

  private static int offset(String text, Position position, PositionEncodingKind encoding) {
    List<Integer> starts = new ArrayList<>(List.of(0));
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean within = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
      if (c == '\n' || c == '\r' && !within) {
        starts.add(i + 1);
      }
    }
    int start = starts.get(position.line());
    int at = start;
    int next = at;
    while (units(text.substring(start, next), encoding) <= position.character()) {
      at = next;
      if (at == text.length()
          || position.character() == units(text.substring(start, at), encoding)) {
        break;
      }
      next += Character.charCount(text.codePointAt(next));
    }
    return at;
  }

  private static int units(String text, PositionEncodingKind encoding) {
    if (encoding.equals(PositionEncodingKind.UTF8)) {
      return text.getBytes(StandardCharsets.UTF_8).length;
    }
    return encoding.equals(PositionEncodingKind.UTF16)
        ? text.length()
        : text.codePointCount(0, text.length());
  }
}
