package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The decoder notes the positions of the elements of positional params in a single message. In a
 * batch, or if there are many elements, they are searched later. The results must be the same.
 */
class PositionalParamsTest {
  /** The served methods. */
  @SuppressWarnings("unused")
  static class Methods {
    @Rpc(lane = Lane.INLINE)
    public String two(int a, long b) {
      return a + " " + b;
    }

    @Rpc(lane = Lane.INLINE)
    public String some(int a, @Param(defaultsTo = "7") int b) {
      return a + " " + b;
    }

    @Rpc(lane = Lane.INLINE)
    public String one(long a) {
      return "" + a;
    }

    @Rpc(lane = Lane.INLINE)
    public String rest(Json first, Json... rest) {
      return first + " and " + Arrays.toString(rest);
    }

    @Rpc
    public String kept(Json first, @Param(defaultsTo = "null") Json second) {
      return first + " and " + second;
    }

    @Rpc(lane = Lane.INLINE)
    public String nine(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
      return "" + a + b + c + d + e + f + g + h + i;
    }
  }

  private static final class Said implements FrameSink {
    final List<String> frames = new ArrayList<>();

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(Integer.MAX_VALUE);
    }

    @Override
    public void commit(OutboundFrame frame) {
      frames.add(frame.toString());
    }
  }

  private final Said said = new Said();
  private final Responder responder = new Responder(new Connection(
      new ServerContext(Service.of(new Methods()), Options.DEFAULT),
      said,
      new ChannelInfo("test", "", "message"),
      Attributes.NONE,
      Runnable::run,
      () -> {}));

  /**
   * Returns the response without the offset of an error, which differs because the params are in
   * different places.
   */
  private String answer(String text) {
    byte[] frame = text.getBytes(UTF_8);
    said.frames.clear();
    responder.serveAlone(frame, 0, frame.length);
    assertThat(said.frames).hasSize(1);
    return said.frames.get(0).replaceFirst("at offset \\d+", "at an offset");
  }

  private void assertReadAlike(String params) {
    for (String method : List.of("two", "some", "one", "rest", "kept", "nine")) {
      String name = "\"method\":\"" + method + "\"";
      String rest = "\"jsonrpc\":\"2.0\",\"id\":1";
      String before = answer("{" + name + ",\"params\":" + params + "," + rest + "}");
      String after = answer("{\"params\":" + params + "," + name + "," + rest + "}");
      assertThat(before).as(method + params).isEqualTo(after);
      if (!before.contains("-32700")) {
        assertThat(answer("[{" + name + ",\"params\":" + params + "," + rest + "}]"))
            .isEqualTo("[" + before + "]");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[1,2]",
        "[ -1 ,\n2 ]",
        "[1]",
        "[]",
        "[ ]",
        "[1,2,3]",
        "[1,2,3,4,5,6,7,8]",
        "[1,2,3,4,5,6,7,8,9]",
        "[1,2,3,4,5,6,7,8,9,10]",
        "[ {\"a\":[1,{}]} , \"]\\\"\" ]",
        "[[],[[]]]",
        "[\"a,b\",true]",
        "[{\"a\":1},]",
        "[{\"a\":1,}]",
        "{}",
        "{\"a\":1}",
        "{\"a\":1,\"b\":2}",
        "[2147483647,9223372036854775807]",
        "[2147483648,9223372036854775808]",
        "[-2147483648,-9223372036854775808]",
        "[-2147483649,-9223372036854775809]",
        "[1,999999999999999999]",
        "[1,1000000000000000000]",
        "[1,18446744073709551617]",
        "[0,-0]",
        "[-0]",
        "[00]",
        "[01,2]",
        "[-01,2]",
        "[1e2,2]",
        "[1.0,2]",
        "[1.5,2]",
        "[1E,2]",
        "[-,2]",
        "[+1,2]",
        "[--1,2]",
        "[1 2]",
        "[1,,2]",
        "[,1]",
        "[1,]",
        "[1,2}",
        "[1,2",
        "[1,",
        "[",
        "[\"1\",2]",
        "[null,2]",
        "[[1],2]",
        "[1,2]]",
        "\"12\"",
        "12",
        "null"
      })
  void theElementsAreThoseOfTheSameMessageInABatch(String params) {
    assertReadAlike(params);
  }

  @Test
  void integersOfAllSizesAreRead() {
    Random random = new Random(2026);
    for (int i = 0; i < 2_000; i++) {
      long first = random.nextLong() >> random.nextInt(64);
      long second = random.nextLong() >> random.nextInt(64);
      assertReadAlike("[" + first + "," + second + "]");
      if (first == (int) first) {
        String answer = answer("""
            {"jsonrpc":"2.0","method":"two","params":[%s,%s],"id":1}""".formatted(first, second));
        assertThat(answer).isEqualTo("""
            {"jsonrpc":"2.0","result":"%s %s","id":1}""".formatted(first, second));
      }
    }
  }

  @Test
  void positionsNotedForOneMessageAreNotUsedForAnother() {
    answer("""
        {"jsonrpc":"2.0","method":"two","params":[1,2],"id":1}""");
    assertThat(answer("""
        {"jsonrpc":"2.0","method":"two","id":2}""")).contains("-32602");
    assertThat(answer("""
        {"jsonrpc":"2.0","method":"two","params":[1,2],"params":[3,4],"id":3}\
        """)).contains("-32600");
    assertThat(answer("""
        {"jsonrpc":"2.0","method":"two","params":[1,2],"method":"one","id":4}\
        """)).contains("-32600");
  }
}
