package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.terminal.Progress;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.mcp.Elicitation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FormPromptTest {
  private static final Elicitation CONSENT =
      new Elicitation("Delete everything?", null, null, null);
  private static final Elicitation FORM = new Elicitation(
      "Your order?",
      Json.parse("{\"type\":\"object\",\"properties\":{\"tea\":{\"type\":\"string\"}}}"),
      null,
      null);

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** A terminal with input that was typed ahead; each other line is typed when it is read. */
  private static final class Terminal extends InputStream {
    private final Queue<String> typed;
    private ByteArrayInputStream ready;

    Terminal(String ahead, String... typed) {
      this.ready = new ByteArrayInputStream(ahead.getBytes(UTF_8));
      this.typed = new ArrayDeque<>(List.of(typed));
    }

    @Override
    public int available() {
      return ready.available();
    }

    @Override
    public int read() {
      throw new AssertionError("the prompt reads more than a byte");
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (ready.available() == 0 && !typed.isEmpty()) {
        ready = new ByteArrayInputStream((typed.remove() + "\n").getBytes(UTF_8));
      }
      return ready.read(target, offset, length);
    }
  }

  private Elicitation.Answer answer(Elicitation question, String typed) {
    return answer(question, new Terminal("", typed.split("\n", -1)));
  }

  private Elicitation.Answer answer(Elicitation question, InputStream terminal) {
    Stdio stdio = new Stdio(
        terminal,
        OutputStream.nullOutputStream(),
        new PrintStream(err, true, UTF_8),
        true,
        true,
        true);
    return new FormPrompt(stdio, () -> {}, () -> {}, new Progress(stdio)).apply(question);
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
    assertThat(answer(CONSENT, new Terminal("yes\n", "no")).action()).isEqualTo("decline");
    assertThat(answer(CONSENT, new Terminal("yes\nyes\nyes\n")).action()).isEqualTo("cancel");
    assertThat(answer(FORM, new Terminal("x", "yes\nearl grey", "green")).content())
        .isEqualTo(Json.parse("{\"tea\":\"green\"}"));
    assertThat(answer(CONSENT, new Terminal("y".repeat(2 << 20), "yes")).action())
        .isEqualTo("cancel");
  }

  @Test
  void aQuestionIsAskedThreeTimesAndThenDeclined() {
    assertThat(answer(CONSENT, "\nwhat?\nyes\n").isAccepted()).isTrue();
    assertThat(answer(CONSENT, "\nwhat?\nwhy?\nyes\n").action()).isEqualTo("decline");
    assertThat(err.toString(UTF_8))
        .contains("type yes, no, or cancel", "so the question is declined");
  }
}
