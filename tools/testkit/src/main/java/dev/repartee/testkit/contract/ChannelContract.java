package dev.repartee.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RecordingReceiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of the channels of every transport; see {@link Channel} and {@link Transport}. */
public abstract class ChannelContract {
  private static final int OUTBOUND_BYTES = 64 << 10;

  private final List<AutoCloseable> resources = new ArrayList<>();
  private Channel server;
  private Channel client;
  private final RecordingReceiver atServer = new RecordingReceiver();
  private final RecordingReceiver atClient = new RecordingReceiver();

  /** Creates the tests. */
  @SuppressWarnings("NullAway.Init")
  protected ChannelContract() {}

  /** Returns the transport under test. */
  protected abstract Transport transport();

  /** Returns an unused endpoint to listen on. */
  protected abstract Endpoint endpoint() throws IOException;

  /** Returns the limits of both ends, which are small, so that tests reach them. */
  protected Limits limits() {
    return Limits.builder().outboundBytes(OUTBOUND_BYTES).build();
  }

  @BeforeEach
  void connect() throws Exception {
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    Transport.Listening listening = transport().listen(endpoint(), limits(), channel -> {
      channel.start(atServer);
      accepted.add(channel);
    });
    resources.add(listening);
    client = transport().connect(listening.endpoint(), limits(), Headers.NONE);
    client.start(atClient);
    send(client, "[\"hello\"]"); // some transports report a connection only at its first message
    Channel channel = accepted.poll(60, TimeUnit.SECONDS);
    assertThat(channel).as("an accepted channel").isNotNull();
    server = channel;
    assertThat(atServer.next()).isEqualTo("[\"hello\"]");
  }

  @AfterEach
  void release() throws Exception {
    client.abort(null);
    server.abort(null);
    for (AutoCloseable resource : resources) {
      resource.close();
    }
  }

  private static void send(Channel channel, String frame) {
    channel.send(frame.getBytes(UTF_8));
  }

  private static String text(int length) {
    return "[\"" + "x".repeat(Math.max(0, length - 4)) + "\"]";
  }

  @Test
  void framesArriveWholeAndInOrderBothWays() {
    for (int length : List.of(4, 5, 100, 1_000, 65_535, 65_536, 65_537, 1 << 20)) {
      String frame = text(length);
      send(client, frame);
      assertThat(atServer.next()).isEqualTo(frame);
      send(server, frame);
      assertThat(atClient.next()).isEqualTo(frame);
    }
    for (int i = 0; i < 1_000; i++) {
      send(client, "[" + i + "]");
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(atServer.next()).isEqualTo("[" + i + "]");
    }
  }

  @Test
  void framesOfManyThreadsArriveWholeAndEachThreadsInItsOrder() throws InterruptedException {
    int threads = 8;
    int each = 500;
    List<Thread> senders = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      senders.add(new Thread(() -> {
        for (int i = 0; i < each; i++) {
          send(client, "[" + number + "," + i + "]");
        }
      }));
    }
    senders.forEach(Thread::start);
    Map<String, Integer> next = new HashMap<>();
    for (int i = 0; i < threads * each; i++) {
      String[] numbers = atServer.next().replaceAll("[\\[\\]]", "").split(",");
      int expected = next.merge(numbers[0], 1, Integer::sum) - 1;
      assertThat(numbers[1]).isEqualTo(String.valueOf(expected));
    }
    for (Thread sender : senders) {
      sender.join();
    }
  }

  @Test
  void aDiscardedFrameLeavesNothing() {
    var discarded = client.open();
    discarded.ascii("[\"never");
    client.discard(discarded);
    send(client, "[1]");
    assertThat(atServer.next()).isEqualTo("[1]");
  }

  @Test
  void framesMayBeBuiltWhileOthersAre() {
    var outer = client.open();
    outer.ascii("[\"outer");
    send(client, "[\"inner\"]");
    outer.ascii("\"]");
    client.commit(outer);
    assertThat(List.of(atServer.next(), atServer.next()))
        .containsExactly("[\"inner\"]", "[\"outer\"]");
  }

  @Test
  void aReceiverThatIsNotReadyIsGivenNothingUntilItIs() {
    atServer.stall(true);
    for (int i = 0; i < 10; i++) {
      send(client, "[" + i + "]");
    }
    // Frames in the other direction show that the first frames could have arrived by now.
    send(server, "[\"back\"]");
    assertThat(atClient.next()).isEqualTo("[\"back\"]");
    assertThat(atServer.backlog()).isZero();
    atServer.stall(false);
    server.resume();
    for (int i = 0; i < 10; i++) {
      assertThat(atServer.next()).isEqualTo("[" + i + "]");
    }
  }

  @Test
  void aReaderThatStallsHoldsTheSenderBackAndNothingIsLost() throws InterruptedException {
    atServer.stall(true);
    String frame = text(10_000);
    int sent = 0;
    while (client.awaitRoom(200, TimeUnit.MILLISECONDS)) {
      send(client, frame);
      sent++;
      assertThat(sent).as("frames that fit before the sender is held back").isLessThan(10_000);
    }
    atServer.stall(false);
    server.resume();
    for (int i = 0; i < sent; i++) {
      assertThat(atServer.next()).isEqualTo(frame);
    }
    assertThat(client.awaitRoom(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Methods with long answers. Those that may block wait until both sides have made all calls. */
  public static final class LongAnswers {
    private final CountDownLatch called = new CountDownLatch(1);

    private LongAnswers() {}

    /** Answers after the earlier calls. */
    @Rpc(lane = Lane.ORDERED)
    public String ordered(int length) throws InterruptedException {
      return concurrent(length);
    }

    /** Answers concurrently with the other calls. */
    @Rpc(lane = Lane.CONCURRENT)
    public String concurrent(int length) throws InterruptedException {
      called.await(60, TimeUnit.SECONDS);
      return inline(length);
    }

    /** Answers on the thread that reads. */
    @Rpc(lane = Lane.INLINE)
    public String inline(int length) {
      return "x".repeat(length);
    }
  }

  @ParameterizedTest
  @EnumSource(Lane.class)
  void twoPeersWhoseAnswersCrossGetAllOfThem(Lane lane) throws Exception {
    int calls = 100;
    int length = 120_000; // all answers together exceed the buffers of the sockets
    String method = lane.name().toLowerCase(Locale.ROOT);
    LongAnswers answers = new LongAnswers();
    Service service = Service.of(answers);
    Options options = Options.builder().limits(limits()).build();
    BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
    Transport.Listening listening = transport()
        .listen(
            endpoint(), limits(), channel -> accepted.add(Peer.open(channel, service, options)));
    resources.add(listening);
    Channel channel = transport().connect(listening.endpoint(), limits(), Headers.NONE);
    Peer one = Peer.open(channel, service, options);
    resources.add(one);
    assertThat(one.call("inline", String.class, 1)).isEqualTo("x");
    Peer other = accepted.poll(60, TimeUnit.SECONDS);
    assertThat(other).as("an accepted peer").isNotNull();
    List<CallFuture<String>> crossing = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      crossing.add(one.callAsync(method, String.class, length));
      crossing.add(other.callAsync(method, String.class, length));
    }
    answers.called.countDown();
    for (CallFuture<String> answer : crossing) {
      assertThat(answer.get(60, TimeUnit.SECONDS)).hasSize(length);
    }
  }

  @Test
  void aClientReportsTextThatIsNotAMessageOnceAndReadsOn() throws Exception {
    RecordingReceiver answers = new RecordingReceiver();
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    Transport.Listening listening = transport().listen(endpoint(), limits(), channel -> {
      channel.start(answers);
      accepted.add(channel);
    });
    resources.add(listening);
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    Listener listener = new Listener() {
      @Override
      public void violation(ChannelInfo channel, String violation) {
        violations.add(violation);
      }
    };
    Options options =
        Options.builder().listener(listener).answersUnreadable(false).build();
    Channel own = transport().connect(listening.endpoint(), limits(), Headers.NONE);
    Peer peer = Peer.open(own, Service.of(new LongAnswers()), options);
    resources.add(peer);
    peer.notify("hello");
    assertThat(answers.next()).contains("hello");
    Channel channel = accepted.poll(60, TimeUnit.SECONDS);
    assertThat(channel).as("an accepted channel").isNotNull();
    // Concatenated values end only by their JSON text.
    boolean onlyJson = own.info().framing().equals(Framing.CONCATENATED.label());
    String text = onlyJson ? "\"Starting server\"" : "Starting server";
    for (int id = 1; id <= 2; id++) {
      send(channel, text);
      send(channel, "{\"level\":\"info\",\"msg\":\"started\"}");
      send(channel, "{\"jsonrpc\":\"2.0\",\"method\":\"inline\",\"params\":[1],\"id\":" + id + "}");
      assertThat(answers.next())
          .isEqualTo("{\"jsonrpc\":\"2.0\",\"result\":\"x\",\"id\":" + id + "}");
    }
    assertThat(violations).singleElement().asString().contains("Starting server");
    channel.abort(null);
  }

  @Test
  void closingSendsWhatIsQueuedFirst() {
    String frame = text(100_000);
    for (int i = 0; i < 20; i++) {
      send(client, frame);
    }
    client.close();
    for (int i = 0; i < 20; i++) {
      assertThat(atServer.next()).isEqualTo(frame);
    }
    String end = atServer.next();
    if (end.equals(RecordingReceiver.INPUT_CLOSED)) {
      server.close();
      end = atServer.next();
    }
    assertThat(end).isEqualTo(RecordingReceiver.CLOSED);
    assertThat(atServer.awaitClosed()).isNull();
    assertThat(atClient.awaitClosed()).isNull();
  }

  @Test
  void nothingCanBeSentOnceClosedAndTheEndIsToldOnce() {
    client.close();
    client.close();
    client.abort(null);
    atClient.awaitClosed();
    assertThatThrownBy(() -> send(client, "[1]")).isInstanceOf(DisconnectedException.class);
    assertThat(atClient.next()).isEqualTo(RecordingReceiver.CLOSED);
    assertThat(atClient.backlog()).isZero();
  }

  @Test
  void abortingEndsBothSidesAtOnce() {
    client.abort(new IOException("pulled the plug"));
    assertThat(atClient.awaitClosed()).hasMessage("pulled the plug");
    String end = atServer.next();
    if (end.equals(RecordingReceiver.INPUT_CLOSED)) {
      server.close();
    }
    atServer.awaitClosed();
  }

  @Test
  void abortingFreesASenderThatIsHeldBack() throws InterruptedException {
    atServer.stall(true);
    String frame = text(10_000);
    while (client.awaitRoom(50, TimeUnit.MILLISECONDS)) {
      send(client, frame);
    }
    Thread plug = new Thread(() -> client.abort(null));
    plug.start();
    assertThatThrownBy(() -> {
          // On a busy machine the queue may have drained a little since then, and accept another
          // frame.
          while (client.awaitRoom(60, TimeUnit.SECONDS)) {
            send(client, frame);
          }
        })
        .isInstanceOf(DisconnectedException.class);
    plug.join();
    atClient.awaitClosed();
  }

  @Test
  void aChannelSaysWhatItIs() {
    assertThat(client.info().transport()).isNotEmpty();
    assertThat(client.info().framing()).isNotEmpty();
    assertThat(server.info().transport()).isEqualTo(client.info().transport());
  }
}
