package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code repartee send} in this process. */
class SendCommandTest {
  private static Outcome send(String uri, String input) {
    return Captured.run(input, "send", uri, "--silence", "200ms");
  }

  /**
   * Sends to a peer that ends the connection. A pause of the machine then does not count as
   * silence.
   */
  private static Outcome untilTheEnd(String uri, String input) {
    return Captured.run(input, "send", uri, "--silence", "1h");
  }

  @Test
  void eachLineIsSentAsAFrameUnchecked() throws Exception {
    try (Answering peer = new Answering("mem:send")) {
      assertThat(send(peer.uri(), "{\"a\" :\n\n[1 ")).isEqualTo(new Outcome(0, "", ""));
      assertThat(peer.heard()).containsExactly("{\"a\" :", "", "[1 ");
    }
  }

  @Test
  void theWholeInputIsOneFrameOnRequest() throws Exception {
    try (Answering peer = new Answering("mem:send-whole")) {
      Captured.run("[1,\n2]\n", "send", peer.uri(), "--whole", "--silence", "200ms");
      assertThat(peer.heard()).containsExactly("[1,\n2]\n");
    }
  }

  @Test
  void receivedFramesArePrintedUnchanged() throws Exception {
    try (Answering peer =
        new Answering("mem:send-back", "SSH-2.0", "{ \"é\":1.0}", Answering.END)) {
      assertThat(untilTheEnd(peer.uri(), "x"))
          .isEqualTo(new Outcome(0, "SSH-2.0\n{ \"é\":1.0}\n", ""));
    }
  }

  @Test
  void requestsWithoutAnAnswerAreTold() throws Exception {
    String request = """
        {"jsonrpc":"2.0","method":"m","id":1}""";
    String notification = """
        {"jsonrpc":"2.0","method":"m"}""";
    String answer = """
        {"jsonrpc":"2.0","result":1,"id":1}""";
    try (Answering peer = new Answering("mem:send-unanswered")) {
      Outcome outcome = send(peer.uri(), request + "\n" + notification + "\n");
      assertThat(outcome.exit()).isZero();
      assertThat(outcome.err())
          .startsWith("repartee: 1 request was not answered")
          .contains("200 ms", "--silence 30s");
      assertThat(send(peer.uri(), "[" + request + "," + request + "," + notification + "]")
              .err())
          .startsWith("repartee: 2 requests were not answered");
    }
    try (Answering peer = new Answering("mem:send-ended", Answering.END)) {
      assertThat(untilTheEnd(peer.uri(), request).err())
          .contains("1 request was not answered: the peer has ended the connection");
    }
    try (Answering peer = new Answering("mem:send-answered", answer, Answering.END)) {
      assertThat(untilTheEnd(peer.uri(), request)).isEqualTo(new Outcome(0, answer + "\n", ""));
    }
  }

  @Test
  void aCloseByThePeerEndsTheCommand() throws Exception {
    try (Answering peer = new Answering("mem:send-end", "bye", Answering.END)) {
      assertThat(untilTheEnd(peer.uri(), "x")).isEqualTo(new Outcome(0, "bye\n", ""));
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void aPeerThatAnswersWhileItReadsDoesNotStall() throws Exception {
    String line = "x".repeat(3 << 20) + "\n";
    Captured captured = new Captured(line.repeat(3));
    AtomicInteger echoed = new AtomicInteger();
    OutputStream out = new OutputStream() {
      @Override
      public void write(int b) {
        throw new IllegalStateException("a line is written at once");
      }

      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        if (echoed.addAndGet(count) == 3 * line.length()) {
          throw new IOException("Broken pipe"); // ends the command
        }
      }
    };
    assertThat(Main.run(captured.writingTo(out), "send", "exec:cat", "--silence", "1h"))
        .isZero();
    assertThat(captured.err()).isEmpty();
    assertThat(echoed).hasValue(3 * line.length());
  }

  @Test
  void aBrokenFrameExitsWithFive() throws Exception {
    try (Answering peer =
        new Answering("tcp://127.0.0.1:0#framing=lines", "no header", Answering.END)) {
      String uri = peer.uri().replace("#framing=lines", "#framing=content-length");
      Outcome outcome = untilTheEnd(uri, "x\n");
      assertThat(outcome.exit()).as(outcome.err()).isEqualTo(5);
      assertThat(outcome.err()).startsWith("repartee: " + uri).contains("is #framing= right?");
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void aClosedStandardOutputEndsTheCommand() throws Exception {
    try (Pushing peer = new Pushing("{\"more\":1}\n")) {
      assertThat(peer.exitAfterReadingOneLine("send", "--silence", "1h")).isZero();
    }
  }

  @Test
  void anUnreachableEndpointExitsWithThree() {
    assertThat(send("mem:send-nobody", "x").exit()).isEqualTo(3);
  }

  @Test
  void theFirstOfAlternativesThatCanBeReachedIsUsed() throws Exception {
    try (Answering peer = new Answering("mem:send-second")) {
      assertThat(send("mem:send-nobody|" + peer.uri() + "|mem:send-nobody", "x"))
          .isEqualTo(new Outcome(0, "", ""));
      assertThat(peer.heard()).containsExactly("x");
    }
    assertThat(send("mem:send-nobody|mem:send-neither", "x").err())
        .startsWith("repartee: cannot connect to any of 2 endpoints: mem:send-nobody (")
        .contains("), mem:send-neither (");
  }
}
