package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.ProtocolException;
import dev.repartee.ReparteeException;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.transport.DisconnectedException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTest {
  private static Failure failure(RuntimeException cause, String violation) {
    return Failure.unanswered("m", "tcp://h:1", Duration.ofSeconds(60), cause, violation, true);
  }

  @Test
  void aLostConnectionExitsWithFour() {
    Failure failure = failure(new DisconnectedException("the peer went away", null), null);
    assertThat(failure.exit()).isEqualTo(4);
    assertThat(failure.sentence()).contains("tcp://h:1", "'m'", "the peer went away");
  }

  @Test
  void aCallThatNoServiceTakesHasNotRunAndExitsWithThree() {
    DisconnectedException cause =
        DisconnectedException.unsent("nobody listens on 'math'", "no worker listens", null);
    assertThat(failure(cause, null).exit()).isEqualTo(3);
    assertThat(failure(cause, null).sentence())
        .isEqualTo("'m' was not run by tcp://h:1: nobody listens on 'math'");
  }

  @Test
  void everyFailureWithAReasonWhyTheCallHasNotRunExitsWithThree() {
    RuntimeException cause = new ReparteeException("the breaker is open") {
      @Override
      public String unsent() {
        return "the circuit breaker is open";
      }
    };
    assertThat(failure(cause, null).exit()).isEqualTo(3);
    assertThat(failure(cause, null).sentence())
        .isEqualTo("'m' was not run by tcp://h:1: the breaker is open");
  }

  @Test
  void aBrokenProtocolExitsWithFive() {
    Failure failure = failure(new ProtocolException("neither result nor error"), null);
    assertThat(failure.exit()).isEqualTo(5);
    assertThat(failure.sentence()).contains("tcp://h:1", "neither result nor error");
  }

  @Test
  void aConnectionLostOverABrokenProtocolExitsWithFive() {
    ProtocolException cause = new ProtocolException("no Content-Length");
    assertThat(failure(new DisconnectedException("closed", cause), null).exit()).isEqualTo(5);
  }

  @Test
  void aViolationExplainsTheLostConnection() {
    Failure failure = failure(new DisconnectedException("closed", null), "SSH-2.0 is not JSON");
    assertThat(failure.exit()).isEqualTo(5);
    assertThat(failure.sentence()).contains("SSH-2.0 is not JSON");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nats://h/math",
        "nats+tls://h/math",
        "amqp://h/math",
        "amqps://h/math",
        "http://h/",
        "wss://h/"
      })
  void aTransportOfWholeMessagesHasNoFramingToSuggest(String uri) {
    RuntimeException cause = new ProtocolException("a worker gave no answer");
    String sentence =
        Failure.unanswered("m", uri, Duration.ofSeconds(60), cause, null, true).sentence();
    assertThat(sentence)
        .isEqualTo(uri + " does not answer with JSON-RPC 2.0: a worker gave no answer");
    assertThat(Failure.notAFrame(uri, "no JSON"))
        .isEqualTo(uri + " sent bytes that are not a frame: no JSON");
    assertThat(Failure.late(uri, false)).isEqualTo("; raise the limit with --timeout");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ssh://h/server", "exec:server", "unix:./s", "pipe:in,out"})
  void aByteStreamMayHaveAnotherFraming(String uri) {
    assertThat(Failure.protocol(uri, "no id").sentence())
        .isEqualTo(uri + " violates JSON-RPC 2.0 (is #framing= right?): no id");
    assertThat(Failure.notAFrame(uri, "no id"))
        .isEqualTo(uri + " sent bytes that are not a frame (is #framing= right?): no id");
  }

  @Test
  void aBrokenProtocolIsNamedAfterTheEnvelopeOfTheUri() {
    assertThat(Failure.protocol("tcp://h:1", "no id").sentence())
        .startsWith("tcp://h:1 violates JSON-RPC 2.0 (");
    assertThat(Failure.protocol("tcp://h:1#envelope=dap", "no seq").sentence())
        .startsWith("tcp://h:1#envelope=dap violates the envelope 'dap' (");
  }

  @Test
  void aFileThatCannotBeReadIsExplainedByTheReasonAndNotByANumber() {
    assertThat(Failure.reason(new MalformedInputException(3))).isEqualTo("its text is not UTF-8");
    assertThat(Failure.reason(new AccessDeniedException("plan.yaml")))
        .isEqualTo("permission denied");
  }
}
