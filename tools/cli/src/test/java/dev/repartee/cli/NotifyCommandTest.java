package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@code repartee notify} in this process. */
class NotifyCommandTest {
  private final Captured captured = new Captured("{\"n\":7}");

  private int notify(String... words) {
    String[] all = new String[words.length + 1];
    all[0] = "notify";
    System.arraycopy(words, 0, all, 1, words.length);
    return Main.run(captured.stdio(), all);
  }

  @Test
  void aNotificationHasNoIdAndNoAnswer() throws Exception {
    try (Answering peer = new Answering("mem:notify")) {
      assertThat(notify(peer.uri(), "update", "1", "cat")).isZero();
      assertThat(notify(peer.uri(), "hello", "--params", "-")).isZero();
      assertThat(notify(peer.uri(), "bye")).isZero();
      assertThat(captured.out() + captured.err()).isEmpty();
      assertThat(peer.heard(3))
          .containsExactly(
              "{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":[1,\"cat\"]}",
              "{\"jsonrpc\":\"2.0\",\"method\":\"hello\",\"params\":{\"n\":7}}",
              "{\"jsonrpc\":\"2.0\",\"method\":\"bye\"}");
    }
  }

  @Test
  void aLargeNotificationIsSentBeforeTheCommandEnds() throws Exception {
    String text = "x".repeat(8 << 20);
    try (Answering peer = new Answering("tcp://127.0.0.1:0")) {
      assertThat(notify(peer.uri(), "update", text, "-v")).isZero();
      assertThat(captured.err()).matches("connected in \\d+\\.\\d ms\\Rsent in \\d+\\.\\d ms\\R");
    }
  }

  @Test
  void anUnreachableEndpointExitsWithThree() {
    assertThat(notify("mem:notify-nobody", "update")).isEqualTo(3);
    assertThat(captured.err()).startsWith("repartee: cannot connect to ").hasLineCount(1);
  }

  @Test
  void theFirstOfAlternativesThatCanBeReachedIsUsed() throws Exception {
    try (Answering peer = new Answering("mem:notify-second")) {
      assertThat(notify("mem:notify-nobody|" + peer.uri() + "|mem:notify-nobody", "update"))
          .isZero();
      assertThat(peer.heard()).hasSize(1);
    }
    assertThat(notify("mem:notify-nobody|mem:notify-neither", "update")).isEqualTo(3);
    assertThat(captured.err())
        .startsWith("repartee: cannot connect to any of 2 endpoints: mem:notify-nobody (")
        .contains("), mem:notify-neither (")
        .hasLineCount(1);
  }

  @Test
  void aMethodIsNeeded() {
    assertThat(notify("mem:notify")).isEqualTo(2);
    assertThat(captured.err()).contains("'METHOD'");
  }
}
