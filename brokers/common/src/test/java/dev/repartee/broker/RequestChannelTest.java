package dev.repartee.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.OutboundFrame;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client side, with a broker and workers that break the rules. */
class RequestChannelTest {
  private static final Limits LIMITS =
      Limits.DEFAULT.toBuilder().queuedMessages(5).build();

  private final Link link = new Link();
  private final Inbox inbox = new Inbox();
  private final RequestChannel channel =
      new RequestChannel(link, new ChannelInfo("test", "the broker", "message"), LIMITS);

  /** A link whose other end is the test. */
  private static final class Link implements RequestLink {
    final BlockingQueue<OutgoingRequest> sent = new LinkedBlockingQueue<>();
    final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();

    @Nullable Events events;

    @Override
    public void start(Events events) {
      this.events = events;
    }

    @Override
    public void send(OutgoingRequest request) {
      sent.add(request);
    }

    @Override
    public void cancel(String key) {
      cancelled.add(key);
    }

    @Override
    public void grant(String worker, String key, long bytes) {}

    @Override
    public void close() {}

    OutgoingRequest next() throws InterruptedException {
      OutgoingRequest request = sent.poll(60, TimeUnit.SECONDS);
      assertThat(request).isNotNull();
      return request;
    }
  }

  /** The receiver of the channel, which the test can stop. */
  private static final class Inbox implements Receiver {
    final List<String> frames = new CopyOnWriteArrayList<>();
    final List<String> violations = new CopyOnWriteArrayList<>();
    volatile boolean ready = true;

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      frames.add(new String(bytes, from, to - from, UTF_8));
      return true;
    }

    @Override
    public void fault(FrameFault fault) {}

    @Override
    public void violation(String violation) {
      violations.add(violation);
    }

    @Override
    public boolean ready() {
      return ready;
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {}

    @Override
    public void closed(@Nullable Throwable cause) {}
  }

  /** An idempotent call, whose stream the test can stop. */
  private static final class Calls implements OutboundFrame.Calls {
    final BlockingQueue<RuntimeException> failures = new LinkedBlockingQueue<>();
    volatile boolean takesItems = true;

    @Override
    public boolean isAwaited() {
      return failures.isEmpty();
    }

    @Override
    public boolean isAnswered() {
      return false;
    }

    @Override
    public boolean isGivenUp() {
      return false;
    }

    @Override
    public void fail(RuntimeException cause) {
      failures.add(cause);
    }

    @Override
    public boolean takesItems() {
      return takesItems;
    }

    @Override
    public boolean isIdempotent() {
      return true;
    }

    RuntimeException failure() throws InterruptedException {
      RuntimeException failure = failures.poll(60, TimeUnit.SECONDS);
      assertThat(failure).isNotNull();
      return failure;
    }
  }

  private RequestLink.Events events() {
    RequestLink.Events events = link.events;
    assertThat(events).isNotNull();
    return events;
  }

  private String send(Calls calls) throws InterruptedException {
    OutboundFrame frame = channel.open();
    frame.initiate(calls);
    channel.commit(frame);
    return link.next().key();
  }

  private void item(String key, String text) {
    events().reply(new Reply(key, text.getBytes(UTF_8), true, "worker"));
  }

  @AfterEach
  void end() {
    channel.abort(null);
  }

  @Test
  void theItemsOfAStreamWaitInOrderAndNothingElseWaitsForThem() throws Exception {
    channel.start(inbox);
    Calls stopped = new Calls();
    stopped.takesItems = false;
    String stream = send(stopped);
    String other = send(new Calls());
    item(stream, "1");
    item(stream, "2");
    item(other, "a");
    assertThat(inbox.frames).containsExactly("a");
    stopped.takesItems = true;
    item(stream, "3"); // arrives before the channel is told that there is room
    assertThat(inbox.frames).containsExactly("a", "1", "2", "3");
  }

  @Test
  void aWorkerThatSendsEmptyMessagesWithoutEndIsCutOff() throws Exception {
    channel.start(inbox);
    Calls stopped = new Calls();
    stopped.takesItems = false;
    String stream = send(stopped);
    for (int i = 0; i <= RequestChannel.WINDOW / 16; i++) {
      item(stream, "");
    }
    assertThat(stopped.failure()).hasMessageContaining("has sent more before its reply");
    assertThat(link.cancelled.poll(60, TimeUnit.SECONDS)).isEqualTo(stream);
  }

  @Test
  void repliesWithoutAKeyAreBoundedWhileTheReceiverTakesNone() {
    channel.start(inbox);
    inbox.ready = false;
    for (int i = 0; i < 7; i++) {
      events().reply(new Reply(null, ("" + i).getBytes(UTF_8), false, null));
    }
    assertThat(inbox.violations).hasSize(2).allMatch(each -> each.contains("queuedMessages"));
    inbox.ready = true;
    events().reply(new Reply("unknown", new byte[0], false, null)); // is dropped
    channel.resume();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (inbox.frames.size() < 5 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(inbox.frames).containsExactly("0", "1", "2", "3", "4");
  }

  @Test
  void aMessageThatTheBrokerNeverTakesIsNotSentForEver() throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    String key = send(calls);
    for (int i = 0; i < 2; i++) {
      events().lost(new IOException("it was closed"));
      events().connected();
      assertThat(link.next().key()).isEqualTo(key);
    }
    events().lost(new IOException("it was closed"));
    assertThat(calls.failure()).hasMessageContaining("is not sent again");
  }

  @Test
  void aMessageThatTheBrokerHasTakenIsSentAfterEachLoss() throws Exception {
    channel.start(inbox);
    Calls calls = new Calls();
    String key = send(calls);
    for (int i = 0; i < 10; i++) {
      events().accepted(key);
      events().lost(new IOException("it was closed"));
      events().connected();
      assertThat(link.next().key()).isEqualTo(key);
    }
    assertThat(calls.failures).isEmpty();
  }
}
