package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.ParsedFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages read before never change how the next message is read. */
class ReusedFrameTest {
  private static final String[] FRAMES = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}
      {"jsonrpc":"2.0","method":"subtract","params":{"a":[1,{}]},"id":"x"}
      {"jsonrpc":"2.0","id":7,"method":"add","params":[]}
      {"jsonrpc":"2.0","method":"tell"}
      {"jsonrpc":"2.0","method":"tell","params":null}
      { "id" : null , "jsonrpc" : "2.0" , "method" : "spaced" }\s
      {"jsonrpc":"2.0","result":19,"id":12345}
      {"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":5}
      {"jsonrpc":"2.0","result":19,"params":[1],"id":12345}
      {"jsonrpc":"2.0","method":"m","meta":{"trace":"abc"},"id":1}
      {"jsonrpc":"2.0","m\\u0065thod":"escaped","id":1}
      {"jsonrpc":"2.0","method":"esc\\u0061ped","id":1}
      {"jsonrpc":"2.0","method":"m","id":1,"id":2}
      {"jsonrpc":"1.0","method":"m","id":1}
      [{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"a","id":2}]
      [1,{"jsonrpc":"2.0","method":"a","params":[1,2],"id":[]}]
      """.lines().toArray(String[]::new);

  /** Texts to insert into a message, or to replace one of its bytes. */
  private static final String[] SPLINTERS = {
    "1",
    "-",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "null",
    "true",
    "id",
    "\"id\":3,",
    "\u00fc",
    "e"
  };

  private final ParsedFrame used = new ParsedFrame(Limits.DEFAULT, Set.of());

  private static String read(byte[] frame, int from, ParsedFrame in) {
    try {
      JsonRpc.STRICT.decode(frame, from, frame.length, in);
    } catch (JsonException e) {
      return e.getMessage();
    }
    List<Object> all = new ArrayList<>();
    for (int i = 0; i < in.count(); i++) {
      all.add(List.of(
          in.kind(i),
          in.isFlawed(i),
          in.methodEscaped(i),
          in.idFrom(i),
          in.idTo(i),
          in.methodFrom(i),
          in.methodTo(i),
          in.paramsFrom(i)));
      all.add(List.of(
          in.paramsTo(i), in.resultFrom(i), in.resultTo(i), in.errorFrom(i), in.errorTo(i)));
    }
    int[] spans = new int[2 * ParsedFrame.SPANS];
    in.spans(spans, 0);
    for (int k = 0; k < 2 * in.elements(); k++) {
      all.add(spans[k]);
    }
    return all + " of a batch " + in.isBatch() + ", elements " + in.elements();
  }

  private void assertReadAsIfFirst(byte[] frame, int from) {
    assertThat(read(frame, from, used))
        .as(new String(frame, UTF_8))
        .isEqualTo(read(frame, from, new ParsedFrame(Limits.DEFAULT, Set.of())));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 50})
  void aMessageIsReadTheSameAfterAnyOtherMessage(int from) {
    for (String before : FRAMES) {
      for (String frame : FRAMES) {
        assertReadAsIfFirst((" ".repeat(from) + before).getBytes(UTF_8), from);
        assertReadAsIfFirst((" ".repeat(from) + frame).getBytes(UTF_8), from);
      }
    }
  }

  @Test
  void aMessageThatDiffersFromTheLastInAnyPlaceIsReadAnew() {
    Random random = new Random(20_261_121);
    for (String frame : FRAMES) {
      byte[] whole = frame.getBytes(UTF_8);
      for (int at = 0; at <= frame.length(); at++) {
        for (String splinter : SPLINTERS) {
          assertReadAsIfFirst(whole, 0);
          int kept = at + random.nextInt(2);
          String rest = kept < frame.length() ? frame.substring(kept) : "";
          assertReadAsIfFirst((frame.substring(0, at) + splinter + rest).getBytes(UTF_8), 0);
        }
        assertReadAsIfFirst(frame.substring(0, at).getBytes(UTF_8), 0);
      }
    }
  }

  @Test
  void aTruncatedMessageIsNotReadBeyondItsEnd() {
    byte[] frame = FRAMES[0].getBytes(UTF_8);
    read(frame, 0, used);
    for (int to = 1; to < frame.length; to++) {
      int end = to;
      assertThat(catchThrowable(() -> JsonRpc.STRICT.decode(frame, 0, end, used)))
          .as("cut at " + to)
          .isInstanceOf(JsonException.class);
    }
  }

  @Test
  void aMessageThatStoodAloneBeforeIsADepthFurtherDownInABatch() {
    String message = """
        {"jsonrpc":"2.0","method":"m","meta":[[]],"id":1}""";
    ParsedFrame narrow = new ParsedFrame(Limits.builder().depth(3).build(), Set.of());
    assertThat(read(message.getBytes(UTF_8), 0, narrow)).contains("of a batch false");
    assertThat(read(("[" + message + "]").getBytes(UTF_8), 0, narrow))
        .contains("nested deeper than the limit depth of 3");
  }
}
