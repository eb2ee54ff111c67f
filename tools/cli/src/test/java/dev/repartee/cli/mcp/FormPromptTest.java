package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.TypedInput;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FormPromptTest {
  private static final Elicitation CONSENT =
      new Elicitation("Delete everything?", null, null, null);
  private static final Elicitation FORM =
      new Elicitation("Your order?", Json.parse("""
          {"type":"object","properties":{"tea":{"type":"string"}}}"""), null, null);

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Elicitation.Answer answer(Elicitation question, String typed) {
    return answer(question, new TypedInput("", typed.split("\n", -1)));
  }

  private Elicitation.Answer answer(Elicitation question, InputStream terminal) {
    Stdio stdio = new Stdio(
        terminal,
        OutputStream.nullOutputStream(),
        new PrintStream(err, true, UTF_8),
        true,
        true,
        true);
    return new FormPrompt(stdio, () -> {}, () -> {}).apply(question);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no", "No.", "No!", "no, do not", "nope", "NO THANKS", "deny", "denied", "stop", "abort",
        "decline", "false", "0", "don't", "", "?", "What would be deleted?", "\u200bno", "nein",
            "yes?"
      })
  void onlyAnUnmistakableYesIsConsent(String typed) {
    assertThat(answer(CONSENT, (typed + "\n").repeat(3)).isAccepted()).isFalse();
    assertThat(answer(FORM, (typed + "\n").repeat(3)).isAccepted()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", " Yes. ", "Y", "OK!", "approve", "agreed"})
  void anUnmistakableYesIsConsent(String typed) {
    assertThat(answer(CONSENT, typed + "\n").isAccepted()).isTrue();
  }

  @Test
  void inputThatWasTypedBeforeThePromptIsNoAnswer() {
    assertThat(answer(CONSENT, new TypedInput("yes\n", "no")).action()).isEqualTo("decline");
    assertThat(answer(CONSENT, new TypedInput("yes\nyes\nyes\n")).action()).isEqualTo("cancel");
    assertThat(answer(FORM, new TypedInput("x", "yes\nearl grey", "green")).content())
        .isEqualTo(Json.parse("{\"tea\":\"green\"}"));
    assertThat(answer(CONSENT, new TypedInput("y".repeat(2 << 20), "yes")).action())
        .isEqualTo("cancel");
  }

  @Test
  void aQuestionIsAskedThreeTimesAndThenDeclined() {
    assertThat(answer(CONSENT, "\nwhat?\nyes\n").isAccepted()).isTrue();
    assertThat(answer(CONSENT, "\nwhat?\nwhy?\nyes\n").action()).isEqualTo("decline");
    assertThat(err.toString(UTF_8))
        .contains("type yes, no, or cancel", "no answer was clear; the question is declined");
  }
}
