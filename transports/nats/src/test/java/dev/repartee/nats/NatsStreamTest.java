package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Rpc;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.internal.FakeClock;
import dev.repartee.internal.Times;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.RecordingReceiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.Subscription;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that a stream of JetStream stores until a worker has handled them. */
@Tag("ci")
class NatsStreamTest extends Fixture {
  private static final String CONFIG = "jetstream: { store_dir: \"FOLDER/streams\" }\n";
  private static final AtomicInteger COUNT = new AtomicInteger();

  private static NatsServer nats;

  private final String subject = "stored" + COUNT.incrementAndGet();
  private final String stream = subject.toUpperCase(Locale.ROOT);
  private final String option = "#stream=" + stream;
  private final Ledger ledger = new Ledger();

  @BeforeAll
  static void start() throws Exception {
    nats = Fixture.server(CONFIG);
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  @AfterEach
  void goOn() {
    ledger.goOn.countDown();
  }

  /** A service that records each run. */
  static class Ledger {
    final BlockingQueue<String> runs = new LinkedBlockingQueue<>();
    final CountDownLatch goOn = new CountDownLatch(1);

    @Rpc
    public void enter(String text) {
      runs.add(text);
    }

    @Rpc
    public void transfer(String text) throws InterruptedException {
      runs.add(text);
      goOn.await();
    }

    @Rpc(idempotent = true)
    public String read(Call call) throws InterruptedException {
      runs.add("read");
      call.cancellation().onCancel(() -> runs.add("cancelled"));
      goOn.await();
      return "value";
    }

    void ran(String what) throws InterruptedException {
      assertThat(runs.poll(60, TimeUnit.SECONDS)).isEqualTo(what);
    }
  }

  private String uri() {
    return nats.uri(subject) + option;
  }

  private static CallFuture<String> read(Peer client) {
    return client.request("read").idempotent().timeout(LONG).send(String.class);
  }

  private JetStreamManagement management() throws Exception {
    return plain(nats).jetStreamManagement();
  }

  /** Creates the stream and its consumer as an operator does, with a short time to settle. */
  private JetStreamManagement created(Duration wait) throws Exception {
    JetStreamManagement management = management();
    management.addStream(
        StreamConfiguration.builder().name(stream).subjects(subject + ".stored").build());
    management.addOrUpdateConsumer(
        stream,
        ConsumerConfiguration.builder()
            .durable(subject + "-q")
            .ackPolicy(AckPolicy.Explicit)
            .ackWait(wait)
            .build());
    return management;
  }

  /** Waits for a dead letter in its stream. */
  private MessageInfo deadLetter() throws Exception {
    report("dead letters");
    JetStreamManagement management = management();
    while (management.getStreamInfo(subject + "_dead").getStreamState().getMsgCount() == 0) {
      Thread.onSpinWait();
    }
    return management.getLastMessage(subject + "_dead", subject + ".dead");
  }

  private void awaitStored(int count) throws Exception {
    JetStreamManagement management = management();
    while (management.getStreamInfo(stream).getStreamState().getMsgCount() != count) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aNotificationWaitsForAWorker() throws Exception {
    serve(uri(), ledger).close(Duration.ZERO); // creates the stream
    client(uri()).notify("enter", "one");
    serve(uri(), ledger);
    ledger.ran("one");
    awaitStored(0);
    assertThat(ledger.runs).isEmpty();
  }

  @Test
  void anIdempotentCallWaitsForAFreeWorkerAndOthersDoNot() throws Exception {
    serve(uri() + "&prefetch=1", ledger);
    Peer client = client(uri());
    CallFuture<String> first = read(client);
    ledger.ran("read");
    CallFuture<String> second = read(client);
    client.call("enter", Void.class, "not stored");
    ledger.ran("not stored");
    assertThat(ledger.runs).isEmpty();
    ledger.goOn.countDown();
    assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("value");
    assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("value");
    ledger.ran("read");
    awaitStored(0);
  }

  @Test
  void manyStoredCallsAreAnsweredEachWithItsOwnResult() throws Exception {
    class Echo {
      @Rpc(idempotent = true)
      public int same(int number) {
        return number;
      }
    }

    serve(uri(), new Echo());
    serve(uri(), new Echo());
    Peer client = client(uri());
    List<CallFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      calls.add(client.request("same").args(i).idempotent().timeout(LONG).send(int.class));
    }
    for (int i = 0; i < 300; i++) {
      assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i);
    }
    awaitStored(0);
  }

  @Test
  void aCancelledStoredCallIsCancelledAtTheWorker() throws Exception {
    serve(uri(), ledger);
    CallFuture<String> call = read(client(uri()));
    ledger.ran("read");
    call.cancel(true);
    ledger.ran("cancelled");
  }

  @Test
  void anIdempotentCallOfALostWorkerIsRunByAnother() throws Exception {
    created(Duration.ofSeconds(5)); // three deliveries permit a delay of 15 seconds
    Ledger lost = new Ledger();
    Proxy proxy = closing(new Proxy(nats.port()));
    serve("nats://127.0.0.1:" + proxy.port() + "/" + subject + option, lost);
    CallFuture<String> call = read(client(uri()));
    lost.ran("read");
    proxy.close();
    serve(uri(), ledger);
    ledger.ran("read");
    ledger.goOn.countDown();
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("value");
    lost.goOn.countDown();
  }

  @Test
  void anotherNotificationOfALostWorkerIsADeadLetter() throws Exception {
    created(Duration.ofSeconds(1));
    Ledger lost = new Ledger();
    Proxy proxy = closing(new Proxy(nats.port()));
    serve("nats://127.0.0.1:" + proxy.port() + "/" + subject + option, lost);
    client(uri()).notify("transfer", "100");
    lost.ran("100");
    proxy.close();
    serve(uri(), ledger);
    MessageInfo dead = deadLetter();
    assertThat(new String(dead.getData(), UTF_8)).contains("\"transfer\"");
    assertThat(dead.getHeaders().getFirst(Names.REASON)).contains("not declared idempotent");
    assertThat(ledger.runs).isEmpty();
    lost.goOn.countDown();
  }

  @Test
  void aRequestThatWasDeliveredTooOftenIsADeadLetter() throws Exception {
    created(Duration.ofSeconds(60));
    CallFuture<String> call = read(client(uri()));
    JetStreamSubscription workers =
        plain(nats).jetStream().subscribe(null, PullSubscribeOptions.bind(stream, subject + "-q"));
    for (int i = 0; i < 4; i++) {
      workers.fetch(1, LONG).get(0).nak();
    }
    serve(uri(), ledger);
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            RemoteRpcException.class,
            e -> assertThat(e.code()).isEqualTo(RpcError.OUTCOME_UNKNOWN));
    assertThat(deadLetter().getHeaders().getFirst(Names.REASON)).contains("at attempt 4");
    assertThat(ledger.runs).isEmpty();
  }

  @Test
  void aLongCallIsNotDeliveredAgainWhileItsWorkerLives() throws Exception {
    created(Duration.ofSeconds(18)); // a busy machine may delay an extension by 12 seconds
    Subscription settlements = subscribe(plain(nats), "$JS.ACK." + stream + ".>");
    serve(uri(), ledger);
    CallFuture<String> call = read(client(uri()));
    for (int i = 0; i < 4; i++) { // longer than the time to settle
      assertThat(text(settlements.nextMessage(LONG))).isEqualTo("+WPI");
    }
    ledger.goOn.countDown();
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("value");
    ledger.ran("read");
    assertThat(ledger.runs).isEmpty();
  }

  @Test
  void aWorkerThatClosesReturnsAnIdempotentCallToTheStream() throws Exception {
    Ledger closed = new Ledger();
    var worker = serve(uri(), closed);
    CallFuture<String> call = read(client(uri()));
    closed.ran("read");
    worker.close(Duration.ZERO);
    serve(uri(), ledger);
    ledger.ran("read");
    ledger.goOn.countDown();
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("value");
    closed.goOn.countDown();
  }

  @Test
  void aNotificationThatAClosingWorkerInterruptsIsADeadLetter() throws Exception {
    var worker = serve(uri(), ledger);
    client(uri()).notify("transfer", "100");
    ledger.ran("100");
    worker.close(Duration.ZERO);
    assertThat(deadLetter().getHeaders().getFirst(Names.REASON)).contains("worker was closed");
  }

  @Test
  void poisonLeavesTheStreamWithItsReason() throws Exception {
    serve(uri(), ledger);
    Connection plain = plain(nats);
    plain.jetStream().publish(subject + ".stored", "{oops".getBytes(UTF_8));
    MessageInfo dead = deadLetter();
    assertThat(new String(dead.getData(), UTF_8)).isEqualTo("{oops");
    assertThat(dead.getHeaders().getFirst(Names.REASON)).contains("not JSON");
    awaitStored(0);
  }

  @Test
  void aCallWhoseTimeIsOverIsNotRun() throws Exception {
    serve(uri(), ledger).close(Duration.ZERO);
    Connection plain = plain(nats);
    plain
        .jetStream()
        .publish(
            subject + ".stored",
            new io.nats.client.impl.Headers().put(Times.HEADER, "1").put(Names.REPLY, "answers"),
            """
                {"jsonrpc":"2.0","id":1,"method":"enter","params":["late"]}""".getBytes(UTF_8));
    client(uri()).notify("enter", "in time");
    serve(uri(), ledger);
    ledger.ran("in time");
    awaitStored(0);
    assertThat(ledger.runs).isEmpty();
  }

  /** An inline method has no deadline, since it usually runs when its call arrives. */
  @Test
  void anInlineCallWhoseTimeIsOverInTheStreamIsNotRun() throws Exception {
    class Inline extends Ledger {
      @Rpc(lane = Lane.INLINE)
      public void note(String text) {
        runs.add(text);
      }
    }

    Ledger inline = new Inline();
    serve(uri(), inline).close(Duration.ZERO);
    Connection plain = plain(nats);
    plain
        .jetStream()
        .publish(
            subject + ".stored",
            new io.nats.client.impl.Headers().put(Times.HEADER, "1").put(Names.REPLY, "answers"),
            """
                {"jsonrpc":"2.0","id":1,"method":"note","params":["late"]}""".getBytes(UTF_8));
    client(uri()).notify("note", "in time");
    serve(uri(), inline);
    inline.ran("in time");
    awaitStored(0);
    assertThat(inline.runs).isEmpty();
  }

  @Test
  void theTimeInTheStreamCountsHoweverTheHeaderIsWritten() throws Exception {
    class Left {
      final CompletableFuture<Duration> left = new CompletableFuture<>();

      @Rpc
      public void left(Call call) {
        left.complete(call.timeLeft());
      }
    }

    Left service = new Left();
    serve(uri(), service).close(Duration.ZERO);
    plain(nats)
        .jetStream()
        .publish(
            subject + ".stored",
            new io.nats.client.impl.Headers()
                .put("repartee-timeout-ms", "600000")
                .put(Names.REPLY, "answers"),
            """
                {"jsonrpc":"2.0","id":1,"method":"left"}""".getBytes(UTF_8));
    long stored = System.nanoTime();
    client(uri());
    Duration waited = Duration.ofNanos(System.nanoTime() - stored);
    serve(uri(), service);
    assertThat(service.left.get(60, TimeUnit.SECONDS))
        .isLessThanOrEqualTo(Duration.ofMillis(600_002).minus(waited));
  }

  @Test
  void aStoredRequestSurvivesTheServer() throws Exception {
    NatsServer own = closing(Fixture.server(CONFIG));
    serve(own.uri("own") + "#stream=OWN", ledger).close(Duration.ZERO);
    Peer client = client(own.uri("own") + "#stream=OWN");
    client.notify("enter", "one");
    JetStreamManagement management = plain(own).jetStreamManagement();
    while (management.getStreamInfo("OWN").getStreamState().getMsgCount() == 0) {
      Thread.onSpinWait();
    }
    own.kill();
    own.start();
    serve(own.uri("own") + "#stream=OWN", ledger);
    ledger.ran("one");
  }

  @Test
  void aNotificationThatIsSentAgainAfterALossIsStoredOnce() throws Exception {
    serve(uri(), ledger).close(Duration.ZERO);
    Proxy proxy = closing(new Proxy(nats.port()));
    Peer client = client("nats://127.0.0.1:" + proxy.port() + "/" + subject + option);
    proxy.mute();
    client.notify("enter", "one");
    awaitStored(1);
    proxy.cut();
    client.notify("enter", "two");
    awaitStored(2); // the copy of the first one came before it
    serve(uri(), ledger);
    List<String> both = new ArrayList<>();
    both.add(ledger.runs.poll(60, TimeUnit.SECONDS));
    both.add(ledger.runs.poll(60, TimeUnit.SECONDS));
    assertThat(both).containsExactlyInAnyOrder("one", "two");
    awaitStored(0);
    assertThat(ledger.runs).isEmpty();
    assertThat(reports).noneMatch(each -> each.contains("unknown"));
  }

  @Test
  void aDeletedConsumerIsCreatedAgain() throws Exception {
    FakeClock clock = new FakeClock();
    serve(uri(), ledger, ClockLimits.builder(clock).build());
    management().deleteConsumer(stream, subject + "-q");
    report("no stored requests arrive");
    clock.advanceToTimer();
    client(uri()).notify("enter", "one");
    ledger.ran("one");
  }

  @Test
  void aMessageThatNoStreamStoresFailsAtOnce() throws Exception {
    Peer client = client(uri());
    assertThatThrownBy(() -> read(client).get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(DisconnectedException.class)
        .hasMessageContaining("no stream stores the subject '" + subject + ".stored'")
        .hasMessageContaining("option stream=" + stream);
    client.notify("enter", "one");
    report("no stream stores");
  }

  @Test
  void aFullStreamAndAnotherStreamRefuseTheMessage() throws Exception {
    management()
        .addStream(StreamConfiguration.builder()
            .name(stream)
            .subjects(subject + ".stored")
            .maxMessages(1)
            .discardPolicy(DiscardPolicy.New)
            .build());
    assertThatThrownBy(
            () -> read(client(nats.uri(subject) + "#stream=OTHER")).get(60, TimeUnit.SECONDS))
        .hasMessageContaining("expected stream does not match");
    Peer client = client(uri());
    client.notify("enter", "fills it");
    assertThatThrownBy(() -> read(client).get(60, TimeUnit.SECONDS))
        .hasMessageContaining("maximum messages exceeded")
        .hasMessageContaining("too slow or too few");
  }

  @Test
  void aServerWithoutJetStreamIsRefused() throws Exception {
    NatsServer bare = closing(Fixture.server(""));
    assertThatThrownBy(() -> serve(bare.uri("bare") + "#stream=BARE", ledger))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("JetStream")
        .hasMessageContaining("start it with -js");
  }

  @Test
  void aStreamWithOtherSubjectsIsRefused() throws Exception {
    management()
        .addStream(
            StreamConfiguration.builder().name(stream).subjects("x" + subject).build());
    assertThatThrownBy(() -> serve(uri(), ledger))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has to store the subject '" + subject + ".stored'");
  }

  /** Sends the text of a notification over a channel without a peer; completes with the refusal. */
  private CompletableFuture<String> sent(String uri, String text) throws Exception {
    CompletableFuture<String> refusal = new CompletableFuture<>();
    Channel channel =
        new NatsTransport().connect(Endpoint.parse(uri), Limits.DEFAULT, Headers.NONE);
    closing(() -> channel.abort(null));
    channel.start(new RecordingReceiver());
    OutboundFrame frame = channel.open();
    frame.raw(text.getBytes(UTF_8));
    ((MessageChannel) channel)
        .send(OutgoingMessage.of(
            frame, cause -> refusal.complete(String.valueOf(cause.getMessage()))));
    return refusal;
  }

  @Test
  void theTextOfANotificationIsStoredAndARefusalIsReportedToItsSender() throws Exception {
    serve(uri(), ledger).close(Duration.ZERO);
    String text = """
        {"jsonrpc":"2.0","method":"enter","params":["raw"]}""";
    var refusal = sent(uri(), text);
    awaitStored(1);
    serve(uri(), ledger);
    ledger.ran("raw");
    assertThat(refusal).isNotDone();
    assertThat(sent(nats.uri(subject) + "#stream=OTHER", text).get(60, TimeUnit.SECONDS))
        .contains("expected stream does not match");
  }

  @Test
  void aPrefetchNeedsAStreamAndHasABound() {
    assertThatThrownBy(() -> serve(nats.uri(subject) + "#prefetch=2", ledger))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no effect without the option stream");
    assertThatThrownBy(() -> serve(uri() + "&prefetch=1000", ledger))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the most is 256");
  }

  @Test
  void anotherClientStoresANotification() throws Exception {
    serve(uri(), ledger);
    Message answer = plain(nats).request(subject + ".stored", """
        {"jsonrpc":"2.0","method":"enter","params":["plain"]}""".getBytes(UTF_8), LONG);
    assertThat(text(answer)).contains("\"stream\":\"" + stream + "\"");
    ledger.ran("plain");
  }
}
