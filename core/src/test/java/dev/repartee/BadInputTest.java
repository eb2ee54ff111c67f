package dev.repartee;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The responses to bad input: each has one short sentence, and repeats no value of the input. */
class BadInputTest {
  private static final String TEXT = "hunter2";
  private static final String NUMBER = "8675309";
  private static final int LONGEST = 120;

  /** Methods that each take one value of one type, and return null. */
  public static final class Vault {
    public record Card(long number, String holder, Optional<Card> other) {}

    public void ofInt(int v) {}

    public void ofLong(long v) {}

    public void ofShort(short v) {}

    public void ofByte(byte v) {}

    public void ofDouble(double v) {}

    public void ofFloat(float v) {}

    public void ofBoolean(boolean v) {}

    public void ofChar(char v) {}

    public void ofString(String v) {}

    public void ofBoxed(Integer v) {}

    public void ofInteger(BigInteger v) {}

    public void ofDecimal(BigDecimal v) {}

    public void ofOptional(Optional<Integer> v) {}

    public void ofOptionalInt(OptionalInt v) {}

    public void ofInts(int[] v) {}

    public void ofDoubles(double[] v) {}

    public void ofCards(Card[] v) {}

    public void ofList(List<Integer> v) {}

    public void ofSet(Set<String> v) {}

    public void ofMap(Map<String, Integer> v) {}

    public void ofCard(Card v) {}

    public void ofMany(long... v) {}
  }

  private static final FrameResponder RESPONDER = FrameResponder.of(
      Service.of(new Vault()), Options.DEFAULT, new ChannelInfo("test", "", "message"));

  private static @Nullable String answer(byte[] frame) throws InterruptedException {
    byte @Nullable [] reply = RESPONDER.respond(frame);
    return reply == null ? null : new String(reply, UTF_8);
  }

  /** Returns values of every JSON type, with a secret inside if the type allows it. */
  private static List<String> values() {
    List<String> plain = List.of(
        "null",
        "true",
        "\"" + TEXT + "\"",
        "\"" + TEXT + "\\n\"",
        NUMBER,
        "-" + NUMBER + ".25",
        NUMBER + "e300",
        NUMBER + "e3000",
        NUMBER.repeat(200));
    return Stream.concat(
            plain.stream(),
            plain.stream()
                .flatMap(value -> Stream.of(
                    "[" + value + "]",
                    "[1,[" + value + "]]",
                    "{\"number\":" + value + "}",
                    "{\"number\":1,\"holder\":" + value + "}",
                    "{\"number\":1,\"holder\":\"x\",\"other\":{\"number\":" + value + "}}",
                    "{\"number\":1,\"number\":" + value + ",\"holder\":\"x\"}",
                    "{\"nobody\":" + value + "}")))
        .toList();
  }

  private static List<String> methods() {
    return Arrays.stream(Vault.class.getDeclaredMethods())
        .map(method -> method.getName())
        .toList();
  }

  @Test
  void noBinderQuotesAValueThatDoesNotFit() throws InterruptedException {
    int refused = 0;
    for (String method : methods()) {
      for (String value : values()) {
        for (String params : List.of("[" + value + "]", "{\"v\":" + value + "}", "[1," + value)) {
          String request = """
              {"jsonrpc":"2.0","method":"%s","params":%s,"id":1}\
              """.formatted(method, params.startsWith("[1") ? params + "]" : params);
          String answer = assertDiscreet(request.getBytes(UTF_8));
          refused += answer.contains("-32602") ? 1 : 0;
        }
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }

  @Test
  void noAnswerToAnInvalidRequestQuotesAValueOfIt() throws InterruptedException {
    for (String value : values()) {
      for (String member : List.of("jsonrpc", "method", "params", "result", "error", "other")) {
        for (String rest : List.of(
            "",
            ",\"id\":1",
            ",\"jsonrpc\":\"2.0\",\"id\":1",
            ",\"jsonrpc\":\"2.0\",\"method\":\"ofInt\",\"id\":1")) {
          String message = "{\"" + member + "\":" + value + rest + "}";
          assertDiscreet(message.getBytes(UTF_8));
          assertDiscreet(("[" + message + "," + value + "]").getBytes(UTF_8));
        }
      }
      assertDiscreet(value.getBytes(UTF_8));
      if (value.startsWith("{") || value.startsWith("[")) {
        assertDiscreet("""
            {"jsonrpc":"2.0","method":"ofInt","id":%s}""".formatted(value).getBytes(UTF_8));
      }
    }
  }

  @Test
  void noAnswerToADamagedRequestQuotesAValueOfIt() throws InterruptedException {
    String damage = "{}[]\",:\\ \n\0\u00ff0e.-ntf";
    for (String request : List.of(
        "{\"jsonrpc\":\"2.0\",\"method\":\"" + TEXT + "\",\"params\":[\"" + TEXT + "\"],\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"ofInt\",\"params\":{\"v\":" + NUMBER + "},\"id\":1}",
        "[{\"jsonrpc\":\"2.0\",\"method\":\"ofCard\",\"params\":[{\"number\":" + NUMBER
            + ",\"holder\":\"" + TEXT + "\"}],\"id\":1},[\"" + TEXT + "\"]," + NUMBER + "]")) {
      for (int i = 0; i <= request.length(); i++) {
        assertDiscreet(request.substring(0, i).getBytes(ISO_8859_1));
        for (char c : damage.toCharArray()) {
          String inserted = request.substring(0, i) + c + request.substring(i);
          assertDiscreet(inserted.getBytes(ISO_8859_1));
          if (i < request.length()) {
            String replaced = request.substring(0, i) + c + request.substring(i + 1);
            assertDiscreet(replaced.getBytes(ISO_8859_1));
          }
        }
      }
    }
  }

  @Test
  void noAnswerToShuffledTokensQuotesAValue() throws InterruptedException {
    String[] tokens = {
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\"" + TEXT + "\"",
      NUMBER,
      "\"jsonrpc\":",
      "\"2.0\"",
      "\"method\":",
      "\"ofCard\"",
      "\"params\":",
      "\"id\":[",
      "\"v\":",
      "null",
      "\"" + TEXT,
      "\\"
    };
    Random random = new Random(4627);
    for (int round = 0; round < 20_000; round++) {
      String text = random
          .ints(1 + random.nextInt(12), 0, tokens.length)
          .mapToObj(i -> tokens[i])
          .collect(Collectors.joining());
      // The name of a parameter may appear in the response, a value must not.
      if (!text.contains("\"" + TEXT + "\":")) {
        assertDiscreet(text.getBytes(UTF_8));
      }
    }
  }

  private static String assertDiscreet(byte[] frame) throws InterruptedException {
    String sent = new String(frame, ISO_8859_1);
    String answer = Objects.requireNonNullElse(answer(frame), "");
    assertThat(answer).as(sent).doesNotContain(TEXT, NUMBER, "Exception", "java", "\tat ");
    if (!answer.isEmpty()) {
      Json json = Json.parse(answer);
      List<Json> answers = json.kind() == Json.Kind.ARRAY ? json.elements() : List.of(json);
      answers.forEach(one -> assertInWords(one.get("error"), sent));
    }
    return answer;
  }

  private static void assertInWords(@Nullable Json error, String sent) {
    if (error != null) {
      int code = Objects.requireNonNull(error.get("code")).as(int.class);
      String why = Objects.requireNonNull(error.get("data")).as(String.class);
      assertThat(why).as(sent).isNotBlank();
      if (code != RpcError.INVALID_PARAMS) {
        assertThat(why.length()).as(why).isLessThanOrEqualTo(LONGEST);
      }
      if (code == RpcError.PARSE_ERROR) {
        assertThat(why).matches("at offset \\d+: .+");
      }
    }
  }
}
