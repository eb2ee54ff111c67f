package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code repartee send} in this process. */
class SendCommandTest {
  private static Outcome send(String uri, String input) {
    return Captured.run(input, "send", uri, "--silence", "200ms");
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
    try (Answering peer = new Answering("mem:send-back", "SSH-2.0", "{ \"é\":1.0}")) {
      assertThat(send(peer.uri(), "x")).isEqualTo(new Outcome(0, "SSH-2.0\n{ \"é\":1.0}\n", ""));
    }
  }

  @Test
  void requestsWithoutAnAnswerAreTold() throws Exception {
    String request = "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":1}";
    String notification = "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}";
    String answer = "{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}";
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
      assertThat(send(peer.uri(), request).err())
          .contains("1 request was not answered: the peer has ended the connection");
    }
    try (Answering peer = new Answering("mem:send-answered", answer)) {
      assertThat(send(peer.uri(), request)).isEqualTo(new Outcome(0, answer + "\n", ""));
    }
  }

  @Test
  void aCloseByThePeerEndsTheCommand() throws Exception {
    try (Answering peer = new Answering("mem:send-end", "bye", Answering.END)) {
      assertThat(Captured.run("x", "send", peer.uri(), "--silence", "1h"))
          .isEqualTo(new Outcome(0, "bye\n", ""));
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void aPeerThatAnswersWhileItReadsDoesNotStall() throws Exception {
    String line = "x".repeat(3 << 20) + "\n";
    Outcome echoed = Captured.run(line.repeat(3), "send", "exec:cat", "--silence", "1s");
    assertThat(echoed.err()).isEmpty();
    assertThat(echoed.out().length()).isEqualTo(3 * line.length());
  }

  @Test
  void aBrokenFrameExitsWithFive() throws Exception {
    try (Answering peer = new Answering("tcp://127.0.0.1:0#framing=lines", "no header")) {
      String uri = peer.uri().replace("#framing=lines", "#framing=content-length");
      Outcome outcome = send(uri, "x\ny\n");
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
}
