package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import dev.repartee.transport.DisconnectedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The means for code that passes messages on: other methods, pauses of reading, room. */
@Timeout(60)
class OthersTest {
  private static final Service NAMES = Service.builder()
      .method("known", call -> "known")
      .others(Lane.INLINE, call -> call.method() + call.params())
      .build();

  private static final Options PASSING =
      Options.builder().builtins(Options.Builtin.CANCEL).build();

  @Test
  void oneHandlerServesAllOtherMethodsAlsoReservedOnes() {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    try (Peer server = Peer.open(pair.server(), NAMES, PASSING);
        Peer client = Peer.open(pair.client(), Service.NONE, Options.DEFAULT)) {
      assertThat(server.isOpen()).isTrue();
      assertThat(client.call("known", String.class)).isEqualTo("known");
      assertThat(client.call("any", String.class, 1)).isEqualTo("any[1]");
      assertThat(client.call("rpc.discover", String.class)).isEqualTo("rpc.discover[]");
      assertThat(client.call("\u00e4\"\\", String.class)).isEqualTo("\u00e4\"\\[]");
    }
  }

  @Test
  void layersSurroundTheHandlerOfOtherMethods() {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Options layered =
        PASSING.toBuilder().layer((call, next) -> "<" + next.handle(call) + ">").build();
    try (Peer server = Peer.open(pair.server(), NAMES, layered);
        Peer client = Peer.open(pair.client(), Service.NONE, Options.DEFAULT)) {
      assertThat(server.isOpen()).isTrue();
      assertThat(client.call("any", String.class)).isEqualTo("<any[]>");
    }
  }

  @Test
  void aServiceHasOneHandlerForOtherMethods() {
    assertThat(Service.builder().all(NAMES).build().and(Service.NONE).methods()).hasSize(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NAMES.described("a", "b").and(NAMES))
        .withMessage("both services serve all other methods");
  }

  @Test
  void aPeerReadsWhileItMay() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    AtomicBoolean may = new AtomicBoolean();
    CompletableFuture<String> asked = new CompletableFuture<>();
    Options pausing = Options.builder()
        .listener(new Listener() {
          @Override
          public void connected(Peer peer) {
            peer.flow().readWhile(() -> {
              asked.complete("asked");
              return may.get();
            });
          }
        })
        .build();
    try (Peer server = Peer.open(pair.server(), NAMES, pausing);
        Peer client = Peer.open(pair.client(), Service.NONE, Options.DEFAULT)) {
      CallFuture<String> answer = client.callAsync("any", String.class);
      asked.get(60, TimeUnit.SECONDS);
      assertThat(answer).isNotDone();
      may.set(true);
      server.flow().readOn();
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("any[]");
    }
  }

  @Test
  void aBuilderThatHasTriedToNotifyWaitsInItsNextNotification() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.builder().outboundBytes(1_000).build());
    Peer stuck = Peer.open(pair.client(), Service.NONE, Options.DEFAULT);
    CallBuilder large = stuck.request("x").params(Json.of(new String[] {"y".repeat(5_000)}));
    large.sendNotification(); // the other side is not started, so it does not read
    assertThat(large.tryNotify()).isFalse();
    FutureTask<String> waiting = new FutureTask<>(large::sendNotification, "");
    Thread thread = new Thread(waiting);
    thread.start();
    while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    pair.client().abort(null);
    assertThatThrownBy(waiting::get).hasCauseInstanceOf(DisconnectedException.class);
  }

  @Test
  void theActionForRoomRunsWhenTheConnectionEnds() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.builder().outboundBytes(1_000).build());
    Peer stuck = Peer.open(pair.client(), Service.NONE, Options.DEFAULT);
    CompletableFuture<String> again = new CompletableFuture<>();
    Runnable action = () -> again.complete("again");
    assertThat(stuck.flow().hasRoom(action)).isTrue();
    CallBuilder large = stuck.request("x").params(Json.of(new String[] {"y".repeat(5_000)}));
    large.sendNotification(); // the other side is not started, so it does not read
    assertThat(stuck.flow().hasRoom(action)).isFalse();
    assertThat(large.tryNotify()).isFalse();
    large.unthrottled().sendNotification();
    assertThat(again).isNotDone();
    pair.client().abort(null);
    assertThat(again.get(60, TimeUnit.SECONDS)).isEqualTo("again");
    assertThat(stuck.flow().hasRoom(action)).isTrue();
    assertThatExceptionOfType(DisconnectedException.class).isThrownBy(large::sendNotification);
  }
}
