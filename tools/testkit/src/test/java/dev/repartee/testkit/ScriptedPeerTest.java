package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

class ScriptedPeerTest {
  private final ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
  private final Peer server = Peer.open(pair.server(), Demo.SERVICE, Options.DEFAULT);
  private final ScriptedPeer client = ScriptedPeer.on(pair.client());

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private void subtract() {
    client.send("""
        {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":7}""");
  }

  @Test
  void theOrderOfMembersWhiteSpaceAndTheFormOfNumbersDoNotMatter() {
    subtract();
    client.expect("{ \"id\": 7.0, \"result\": 19e0, \"jsonrpc\": \"\\u0032.0\" }");
  }

  @Test
  void aFailureNamesThePathOfTheFirstDifferenceAndBothFrames() {
    subtract();
    String expected = """
        {"jsonrpc":"2.0","result":20,"id":7}""";
    assertThatExceptionOfType(AssertionFailedError.class)
        .isThrownBy(() -> client.expect(expected))
        .withMessageContaining("differs at $.result: expected 20, got 19\n")
        .withMessageContaining("expected: " + expected)
        .withMessageContaining("""
            received: {"jsonrpc":"2.0","result":19,"id":7}""")
        .satisfies(failure -> assertThat(failure.getExpected().getValue()).isEqualTo(expected));
  }

  @Test
  void aFrameThatIsNoJsonIsComparedByItsText() {
    pair.server().send("no JSON".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    client.expect("no JSON");
    subtract();
    assertThatExceptionOfType(AssertionFailedError.class)
        .isThrownBy(() -> client.expect("no JSON"))
        .withMessageContaining("the texts differ, and one is not JSON");
  }

  @Test
  void theEndOfTheChannelIsNoFrame() {
    server.close();
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(client::receive)
        .withMessageContaining("expected a frame, but the channel reports <");
  }
}
