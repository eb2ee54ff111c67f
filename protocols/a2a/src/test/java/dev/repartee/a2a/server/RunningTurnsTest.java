package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.RpcException;
import org.junit.jupiter.api.Test;

class RunningTurnsTest {
  private static final Client ALICE = new Client("alice", "principal alice");
  private static final Client MALLORY = new Client("mallory", "principal mallory");

  private final RunningTurns turns = new RunningTurns(4);

  @Test
  void theTurnsOfOneClientLeaveHalfOfThePlaces() {
    String first = turns.enter(MALLORY);
    turns.enter(MALLORY);
    assertThatExceptionOfType(RpcException.class).isThrownBy(() -> turns.enter(MALLORY));
    turns.enter(ALICE);
    turns.enter(ALICE);
    turns.leave(first);
    assertThat(turns.enter(MALLORY)).isNotEqualTo(first);
  }

  @Test
  void onePlaceIsEnoughForOneTurn() {
    RunningTurns one = new RunningTurns(1);
    one.leave(one.enter(ALICE));
    one.enter(MALLORY);
    assertThatExceptionOfType(RpcException.class).isThrownBy(() -> one.enter(ALICE));
  }
}
