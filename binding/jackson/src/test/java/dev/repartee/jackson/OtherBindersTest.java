package dev.repartee.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OtherBindersTest {
  /** A number in hexadecimal digits, without any member that Jackson could see. */
  static final class Quantity {
    private final long value;

    Quantity(long value) {
      this.value = value;
    }
  }

  /** Installed in META-INF/services of the tests. */
  public static final class Quantities implements Binder, JsonType<Quantity> {
    /** For the service loader. */
    public Quantities() {}

    @Override
    public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
      return type == Quantity.class ? this : null;
    }

    @Override
    public Quantity read(byte[] bytes, int from, int to) {
      String text = Json.parse(Arrays.copyOfRange(bytes, from, to)).as(String.class);
      if (!text.startsWith("0x")) {
        throw new JsonException("expected 0x and hexadecimal digits");
      }
      return new Quantity(Long.parseLong(text.substring(2), 16));
    }

    @Override
    public void write(JsonWriter out, Quantity quantity) {
      out.string("0x" + Long.toHexString(quantity.value));
    }
  }

  /** A record of Jackson's, by its annotation. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Block(Quantity number, List<Quantity> all, Map<String, Quantity> named) {}

  private static final Json BLOCK = Json.parse("""
      {"number":"0xff","all":["0x1","0x2"],"named":{"a":"0xa"}}""");

  @Test
  void theTypeOfAnotherBinderIsReadAndWrittenByItInsideABeanOfJackson() {
    Block block = BLOCK.as(Block.class);
    assertThat(block.number().value).isEqualTo(255);
    assertThat(block.all()).extracting(each -> each.value).containsExactly(1L, 2L);
    assertThat(Json.of(block)).isEqualTo(BLOCK);
  }

  /** The text of a frame, as another type reads it. */
  static final class Text {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Line(Text text) {}

  /** A copy for each level of types that nest would need many times the memory of a message. */
  @Test
  void theTypeOfAnotherBinderReadsTheFrameWithoutACopy() {
    List<byte[]> frames = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    JsonType<Text> type = new JsonType<>() {
      @Override
      public Text read(byte[] bytes, int from, int to) {
        frames.add(bytes);
        texts.add(new String(bytes, from, to - from, UTF_8));
        return new Text();
      }

      @Override
      public void write(JsonWriter out, Text text) {
        out.string("");
      }
    };
    Binder binder = (bound, all) -> bound == Text.class ? type : null;
    byte[] frame = "[{\"text\": [1, \"é\", 2.5] },{\"text\":-7}]".getBytes(UTF_8);
    JsonTypes.standard().with(binder).of(Line[].class).read(frame, 0, frame.length);
    assertThat(texts).containsExactly("[1, \"é\", 2.5]", "-7");
    assertThat(frames).allSatisfy(each -> assertThat(each).isSameAs(frame));
  }

  @Test
  void theMessageOfTheOtherBinderIsTheOneOfTheFault() {
    Json wrong = Json.parse("{\"number\":\"255\",\"all\":[],\"named\":{}}");
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> wrong.as(Block.class))
        .withMessageContaining("expected 0x and hexadecimal digits");
  }
}
