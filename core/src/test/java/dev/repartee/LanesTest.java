package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LanesTest {
  private static final Limits SMALL = Limits.DEFAULT.withQueuedMessages(2);

  private final ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
  private final Recorder client = Recorder.on(pair.client());
  private final Service service = Service.builder().method("m", call -> 1).build();
  private final Peer peer = Peer.open(pair.server(), service, Options.DEFAULT);
  private final Responder responder =
      new Responder(new Serving(service, Options.DEFAULT), pair.server(), peer);

  @AfterEach
  void close() {
    peer.close();
  }

  private Exchange message(String id) {
    byte[] frame = ("{\"jsonrpc\":\"2.0\",\"method\":\"m\"" + id + "}").getBytes(UTF_8);
    Inbound in = new Inbound(Options.DEFAULT);
    JsonRpc.STRICT.decode(frame, 0, frame.length, in);
    RpcMethod method = java.util.Objects.requireNonNull(service.find("m"));
    return Exchange.own(responder, in, 0, method, null, 0);
  }

  @Test
  void aCallForWhichNoThreadCanBeStartedIsAnsweredAndHoldsBackNothing() throws Exception {
    Executor none = task -> {
      throw new OutOfMemoryError("unable to create native thread: by design");
    };
    Lanes lanes = new Lanes(Limits.DEFAULT, none, () -> {});
    for (int id = 1; id <= 2; id++) {
      assertThat(lanes.admit(message(",\"id\":" + id))).isNull();
      assertThat(client.next()).contains("-32603", "\"id\":" + id);
    }
    assertThat(lanes.running()).isZero();
    assertThat(lanes.isClear()).isTrue();
  }

  @Test
  void whatWaitsForAMessageThatCannotBeRunIsAnsweredToo() throws Exception {
    List<Runnable> handed = new ArrayList<>();
    Executor once = task -> {
      if (!handed.isEmpty()) {
        throw new OutOfMemoryError("unable to create native thread: by design");
      }
      handed.add(task);
    };
    Lanes lanes = new Lanes(Limits.DEFAULT, once, () -> {});
    Exchange first = message("");
    lanes.admit(first);
    lanes.admit(message(",\"id\":1"));
    lanes.admit(message(""));
    lanes.admit(message(",\"id\":2"));
    lanes.finishedStage(first);
    assertThat(client.next()).contains("-32603", "\"id\":1");
    assertThat(client.next()).contains("-32603", "\"id\":2");
    assertThat(lanes.running()).isZero();
    assertThat(lanes.waiting()).isZero();
  }

  @Test
  void readingGoesOnForACallThatLeavesWhileTheReaderLooks() throws Exception {
    Queue<Runnable> handed = new ArrayBlockingQueue<>(10);
    AtomicInteger resumed = new AtomicInteger();
    Lanes lanes = new Lanes(SMALL, handed::add, resumed::incrementAndGet);
    for (int i = 0; i < 3; i++) {
      lanes.admit(message(""));
    }
    Thread call = new Thread(lanes::readOn);
    boolean full = lanes.isFull(() -> {
      call.start(); // too late to be seen by this look
      return false;
    });
    call.join(Recorder.SECONDS * 1_000);
    assertThat(full).isTrue();
    assertThat(resumed).hasValue(1);
  }
}
