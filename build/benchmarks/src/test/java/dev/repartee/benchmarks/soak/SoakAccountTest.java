package dev.repartee.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The account of a soak adds up only if every call has ended correctly. */
class SoakAccountTest {
  private final SoakAccount account = new SoakAccount();
  private final ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
  private final Peer peer = Peer.open(pair.client(), Service.NONE, Options.DEFAULT);
  private final ScriptedPeer other = ScriptedPeer.on(pair.server());

  @AfterEach
  void close() {
    peer.close();
    other.close();
  }

  /** Makes a call that is answered with {@code answer}, and waits until the answer was processed. */
  private void call(int id, String answer) {
    account.start(SoakAccount.Kind.CALL, () -> peer.callAsync("m", String.class), "right");
    other.receive();
    other.send("""
        {"jsonrpc":"2.0","id":%s,%s}""".formatted(id, answer)).expectSilence();
  }

  @Test
  void callsThatWereAnsweredFailedOrCouldNotBeSentAddUp() {
    call(1, "\"result\":\"right\"");
    call(2, "\"error\":{\"code\":1,\"message\":\"no\"}");
    peer.close();
    assertThat(
            account.start(SoakAccount.Kind.CALL, () -> peer.callAsync("m", String.class), "right"))
        .isNull();
    assertThat(account.addsUp()).as(account.table()).isTrue();
  }

  @Test
  void aCallThatHasNotEndedDoesNotAddUp() {
    account.start(SoakAccount.Kind.CALL, () -> peer.callAsync("m", String.class), "right");
    assertThat(account.open()).isEqualTo(1);
    assertThat(account.addsUp()).isFalse();
  }

  @Test
  void theAnswerOfAnotherCallDoesNotAddUp() {
    call(1, "\"result\":\"wrong\"");
    assertThat(account.open()).isZero();
    assertThat(account.faults()).isEqualTo(1);
    assertThat(account.addsUp()).isFalse();
    assertThat(account.table()).contains("! an answer of 5 characters");
  }

  @Test
  void anUnexpectedExceptionDoesNotAddUp() {
    account.start(
        SoakAccount.Kind.CALL,
        () -> {
          throw new IllegalStateException("by design");
        },
        "right");
    assertThat(account.addsUp()).isFalse();
  }
}
