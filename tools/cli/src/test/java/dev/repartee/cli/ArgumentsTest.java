package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.cli.options.Arguments;
import dev.repartee.cli.terminal.Durations;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ArgumentsTest {
  private static CallCommand parse(String... words) {
    CommandLine line = new CommandLine(new CallCommand())
        .registerConverter(Duration.class, new Durations())
        .setExpandAtFiles(false);
    line.parseArgs(words);
    CallCommand command = line.getCommand();
    command.arguments.check();
    return command;
  }

  private static String params(String... words) {
    return String.valueOf(parse(words).arguments.json(InputStream.nullInputStream()));
  }

  private static String argument(String word) {
    return params("mem:x", "m", word);
  }

  private static void refused(String sentence, String... words) {
    assertThatThrownBy(() -> params(words))
        .isInstanceOfSatisfying(Failure.class, e -> assertThat(e.exit()).isEqualTo(Exit.USAGE))
        .hasMessageContaining(sentence);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5",
        "-5",
        "-0.5e3",
        "12345678901234567890.10",
        "true",
        "null",
        "\"a\"",
        "[1, 2]",
        "{\"a\" : 1}",
        "\"\\u00e9\""
      })
  void aWordThatIsJsonIsSentAsItStands(String word) {
    assertThat(argument(word)).isEqualTo("[" + word + "]");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "cat, [\"cat\"]",
        "tru, [\"tru\"]",
        "01, [\"01\"]",
        "NaN, [\"NaN\"]",
        "'x', [\"'x'\"]",
        "\"half, [\"\\\"half\"]",
        "-x, [\"-x\"]",
        "-, [\"-\"]",
        "@file, [\"@file\"]",
        "--5, [\"--5\"]",
        "``, [\"\"]",
        "é, [\"é\"]"
      })
  void aWordThatIsNoJsonIsAString(String word, String params) {
    assertThat(argument(word)).isEqualTo(params);
  }

  @Test
  void withoutArgumentsThereAreNoParams() {
    assertThat(params("mem:x", "m")).isEqualTo("null");
  }

  @Test
  void argumentsKeepTheirOrder() {
    assertThat(params("mem:x", "m", "1", "b", "-3")).isEqualTo("[1,\"b\",-3]");
  }

  @Test
  void ourOptionsAreKnownBeforeAndBehindTheMethod() {
    CallCommand command =
        parse("--timeout", "300ms", "mem:x", "--raw", "m", "-5", "--named", "a=1");
    assertThat(command.raw).isTrue();
    assertThat(command.connection.timeout).isEqualTo(Duration.ofMillis(300));
    assertThat(command.arguments.words).containsExactly("-5");
    assertThat(command.arguments.named).containsExactly("a=1");
  }

  @Test
  void behindTwoDashesEverythingIsAnArgument() {
    assertThat(params("mem:x", "m", "--", "--raw", "--timeout"))
        .isEqualTo("[\"--raw\",\"--timeout\"]");
  }

  @Test
  void aMistypedOptionIsRefusedRatherThanSent() {
    refused(
        "unknown option '--tiemout'; did you mean '--timeout'? To pass it as an argument, put it"
            + " after the method and --",
        "mem:x",
        "m",
        "--tiemout",
        "3");
    refused( // the value may be a secret
        "unknown option '--heade'; did you mean '--header'? To pass it as an argument, put it"
            + " after the method and --",
        "mem:x",
        "m",
        "--heade=Authorization: Bearer abc");
    refused(
        "unknown option '--xyz'; to pass it as an argument, put it after the method and --",
        "mem:x",
        "m",
        "--xyz");
    refused("unknown option '-x'", "-x", "mem:x", "m");
  }

  @Test
  void namedValuesAreJsonOrStrings() {
    assertThat(params("mem:x", "m", "--named", "a=-5", "--named", "b=x=y", "--named", "c="))
        .isEqualTo("""
            {"a":-5,"b":"x=y","c":""}""");
  }

  @Test
  void namedNeedsANameAndAValue() {
    refused("'a' is not NAME=VALUE", "mem:x", "m", "--named", "a");
    refused("'=5' is not NAME=VALUE", "mem:x", "m", "--named", "=5");
  }

  @Test
  void aNameStandsOnce() {
    refused("'a' is named twice", "mem:x", "m", "--named", "a=1", "--named", "a=2");
  }

  @Test
  void argumentsGoOneWayOnly() {
    refused("'7' is given by position and 'a=1' by name", "mem:x", "m", "7", "--named", "a=1");
    refused("leave out the other arguments, '7'", "mem:x", "m", "7", "--params", "[1]");
    refused("leave out the other arguments", "mem:x", "m", "--named", "a=1", "--params", "[1]");
  }

  @Test
  void wholeParamsAreSentAsTheyStand() {
    assertThat(params("mem:x", "m", "--params", "{\"a\": 1.0}")).isEqualTo("{\"a\": 1.0}");
  }

  @Test
  void wholeParamsAreAnArrayOrAnObject() {
    refused("--params holds 5", "mem:x", "m", "--params", "5");
    refused("--params cannot be parsed", "mem:x", "m", "--params", "[1,}");
  }

  @Test
  void aDashReadsTheParamsFromStandardInput() {
    Arguments arguments = parse("mem:x", "m", "--params", "-").arguments;
    assertThat(arguments.json(input(" [1, \"é\"]\n"))).hasToString("[1, \"é\"]");
    assertThatThrownBy(() -> arguments.json(input("")))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("standard input cannot be parsed");
  }

  @Test
  void argumentsThatNestTooDeepTogetherAreRefused() {
    refused("cannot be parsed", "mem:x", "m", "[".repeat(500) + "]".repeat(500));
  }

  private static InputStream input(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }
}
