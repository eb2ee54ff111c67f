package dev.repartee.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RecordingReceiver;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelPair;
import dev.repartee.transport.ForwardingChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests of the faults, frame by frame and byte by byte. */
class FaultTest {
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final byte[] ALL = {'a', 'b', 'c', 'd', 'e'};

  /** Records the pieces that a fault passes on. */
  private static final class Kept implements FaultOutput {
    final List<String> pieces = new ArrayList<>();

    @Override
    public void write(byte[] bytes, int from, int to) {
      pieces.add(new String(bytes, from, to - from, java.nio.charset.StandardCharsets.ISO_8859_1));
    }

    @Override
    public void end() {
      pieces.add("<end>");
    }

    @Override
    public void cut() {
      pieces.add("<cut>");
    }

    @Override
    public void reset() {
      pieces.add("<reset>");
    }
  }

  private static List<String> passing(Fault fault) throws Exception {
    Kept kept = new Kept();
    fault.pass(0, ALL.clone(), kept);
    fault.pass(ALL.length, ALL.clone(), kept);
    return kept.pieces;
  }

  @Test
  void delayedAndSplitDataIsComplete() throws Exception {
    for (Fault fault : List.of(Fault.NONE, Fault.delay(MOMENT), Fault.coalesce(MOMENT))) {
      assertThat(passing(fault)).containsExactly("abcde", "abcde");
    }
    assertThat(passing(Fault.split()))
        .containsExactly("a", "b", "c", "d", "e", "a", "b", "c", "d", "e");
    assertThat(passing(Fault.split(2))).containsExactly("a", "b", "cde", "a", "b", "cde");
    assertThat(passing(Fault.throttle(2, MOMENT)))
        .containsExactly("ab", "cd", "e", "ab", "cd", "e");
  }

  @Test
  void theEndComesAfterThatManyBytes() throws Exception {
    assertThat(passing(Fault.cut(7))).containsExactly("abcde", "ab", "<cut>");
    assertThat(passing(Fault.halfClose(5))).containsExactly("abcde", "<end>");
    assertThat(passing(Fault.reset(0))).startsWith("<reset>").doesNotContain("abcde");
    assertThat(passing(Fault.cut(10))).containsExactly("abcde", "abcde");
  }

  @Test
  void oneByteIsCorruptedOrOnePieceComesTwice() throws Exception {
    assertThat(passing(Fault.corrupt(6))).containsExactly("abcde", "a\u00e2cde");
    assertThat(passing(Fault.duplicate(4))).containsExactly("abcde", "abcde", "abcde");
    assertThat(passing(Fault.duplicate(10))).containsExactly("abcde", "abcde");
  }

  @Test
  void theSameSeedDrawsTheSameFaults() {
    for (int seed = 0; seed < 100; seed++) {
      assertThat(Fault.random(new Random(seed), 1_000))
          .hasToString(Fault.random(new Random(seed), 1_000).toString());
    }
  }

  @Test
  void aFrameOnAChannelIsAPiece() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    try (ScriptedPeer server = ScriptedPeer.on(pair.server());
        ScriptedPeer client =
            ScriptedPeer.on(FaultChannel.on(pair.client(), Fault.hold(released)))) {
      server.send("[1]").send("[2]");
      client.send("[3]");
      server.expect("[3]");
      released.countDown();
      client.expect("[1]", "[2]");
    }
  }

  @Test
  void aChannelIsCutInTheMiddleOfAFrame() {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    RecordingReceiver heard = new RecordingReceiver();
    FaultChannel.on(pair.client(), Fault.cut(5)).start(heard);
    ScriptedPeer.on(pair.server()).send("[1]").send("[234]");
    assertThat(heard.next()).isEqualTo("[1]");
    assertThat(heard.next()).isEqualTo("[2");
    assertThat(heard.awaitClosed()).hasMessage("the connection was cut");
  }

  @Test
  void aHangUpIsReportedToAReceiverThatIsNotReady() throws Exception {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    AtomicReference<Receiver> below = new AtomicReference<>();
    Channel watched = new ForwardingChannel(pair.client()) {
      @Override
      public void start(Receiver receiver) {
        below.set(receiver);
        super.start(receiver);
      }
    };
    CountDownLatch hungUp = new CountDownLatch(1);
    RecordingReceiver stalled = new RecordingReceiver() {
      @Override
      public void hungUp() {
        hungUp.countDown();
      }
    };
    stalled.stall(true);
    Channel faulty = FaultChannel.on(watched, Fault.NONE);
    faulty.start(stalled);
    below.get().frame(ALL, 0, ALL.length);
    below.get().hungUp();
    assertThat(hungUp.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(stalled.backlog()).isZero();
    faulty.abort(null);
  }
}
