package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.FrameResponder;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The notifications of {@code subscriptions/listen} and their order. */
class ListeningTest {
  private static final String META =
      "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private static final String LISTEN = """
      {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{\
      "notifications":{"resourceSubscriptions":["test://one"]},%s}}""".formatted(META);

  /** A client that acts on a notification while the notification is still being sent. */
  private static final class QuickClient implements Channel {
    private final Runnable whenTold;
    private final BlockingQueue<Json> heard = new LinkedBlockingQueue<>();
    private @Nullable Receiver receiver;

    QuickClient(Runnable whenTold) {
      this.whenTold = whenTold;
    }

    void say(String message) {
      byte[] frame = message.getBytes(UTF_8);
      Objects.requireNonNull(receiver).frame(frame, 0, frame.length);
    }

    String hears() throws InterruptedException {
      Json message =
          Objects.requireNonNull(heard.poll(30, TimeUnit.SECONDS), "it was told nothing");
      return Objects.requireNonNull(message.get("method")).as(String.class);
    }

    @Override
    public void start(Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(Integer.MAX_VALUE);
    }

    @Override
    public void commit(OutboundFrame frame) {
      heard.add(Json.parse(frame.toBytes()));
      whenTold.run();
    }

    @Override
    public void abort(@Nullable Throwable cause) {
      Objects.requireNonNull(receiver).closed(cause);
    }

    @Override
    public ChannelInfo info() {
      return new ChannelInfo("test", "", "message");
    }
  }

  @Test
  void aChangeDuringTheAcknowledgementIsReportedAfterIt() throws Exception {
    McpServer server = TestServer.builder().build();
    Thread change = new Thread(() -> server.updated("test://one"));
    QuickClient client = new QuickClient(() -> {
      if (change.getState() == Thread.State.NEW) {
        change.start();
        while (change.getState() != Thread.State.TERMINATED
            && change.getState() != Thread.State.WAITING) {
          Thread.onSpinWait();
        }
      }
    });
    Peer peer = server.open(client);
    client.say(LISTEN);

    assertThat(client.hears()).isEqualTo("notifications/subscriptions/acknowledged");
    assertThat(client.hears()).isEqualTo("notifications/resources/updated");
    peer.close(Duration.ZERO); // the subscription would not end by itself
  }

  @Test
  void theParamsOfANotificationAreNotMadeWhileTheWriteQueueIsFull() throws Exception {
    AtomicBoolean room = new AtomicBoolean(true);
    BlockingQueue<Json> sent = new LinkedBlockingQueue<>();
    FrameSink sink = new FrameSink() {
      @Override
      public OutboundFrame open() {
        return new OutboundFrame(Integer.MAX_VALUE);
      }

      @Override
      public void commit(OutboundFrame frame) {
        sent.add(Json.parse(frame.toBytes()));
      }

      @Override
      public boolean streams() {
        return true;
      }

      @Override
      public boolean awaitRoom(long time, TimeUnit unit) {
        return room.get();
      }
    };
    AtomicReference<Call> seen = new AtomicReference<>();
    Service service = Service.builder()
        .method("subscriptions/listen", Lane.INLINE, call -> {
          seen.set(call);
          return new CompletableFuture<>();
        })
        .build();
    byte[] request = LISTEN.getBytes(UTF_8);
    FrameResponder.of(service, Options.DEFAULT, new ChannelInfo("test", "", "message"))
        .serve(request, 0, request.length, sink);
    Subscribers.Listening listening = Subscribers.Listening.of(
        Objects.requireNonNull(seen.get()), this, Set.of(), Set.of(), Set.of(), Json.EMPTY_OBJECT);
    listening.notices().begin();
    assertThat(sent.take().toString()).contains("acknowledged");

    AtomicInteger made = new AtomicInteger();
    room.set(false);
    listening.tell("task", "notifications/tasks", () -> {
      made.incrementAndGet();
      return new JsonObjectBuilder();
    });
    assertThat(made).hasValue(0);
    room.set(true);
    assertThat(sent.take().toString()).contains("notifications/tasks");
    assertThat(made).hasValue(1);
  }

  private static String listen(String id, String... uris) {
    return LISTEN
        .replace("\"id\":1", "\"id\":\"" + id + "\"")
        .replace("[\"test://one\"]", Json.of(List.of(uris)).toString());
  }

  @Test
  void aSubscriptionIsActiveForTheRequestThatFollowsIt() throws Exception {
    AtomicReference<McpServer> self = new AtomicReference<>();
    self.set(TestServer.builder()
        .tool(Tool.named("touch").handle((call, arguments) -> {
          self.get().updated(String.valueOf(arguments.get("uri").as(String.class)));
          return "touched";
        }))
        .build());
    try (Server server = self.get().listen("tcp://127.0.0.1:0");
        RawConnection client = new RawConnection(server)) {
      for (int i = 0; i < 50; i++) {
        String uri = "test://" + i;
        String call = """
            {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{\
            "name":"touch","arguments":{"uri":"%s"},%s}}""".formatted(i, uri, META);
        client.send(listen("l" + i, uri) + "\n" + call + "\n");
        assertThat(client.line()).contains("subscriptions/acknowledged", "\"l" + i + "\"");
        assertThat(client.line()).contains("resources/updated", uri);
        assertThat(client.line()).contains("touched");
      }
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whoChangesSomethingWaitsForNoClientThatDoesNotReadAndThatHearsOfItWhenItDoes()
      throws Exception {
    Limits limits =
        Limits.builder().outboundBytes(10_000).drainTimeout(Duration.ofHours(1)).build();
    McpServer mcp =
        TestServer.builder().options(Options.builder().limits(limits).build()).build();
    String uri = "test://" + "x".repeat(8_000);
    try (Server http = mcp.listen("http://127.0.0.1:0/mcp");
        Server tcp = mcp.listen("tcp://127.0.0.1:0");
        Http.Events events =
            new Http(http).stateless("subscriptions/listen").open(listen("l", uri, "test://last"));
        RawConnection listener = new RawConnection(tcp);
        RawConnection session = new RawConnection(tcp)) {
      assertThat(Objects.requireNonNull(events.next()).json().toString()).contains("acknowledged");
      listener.send(listen("l", uri, "test://last") + "\n");
      assertThat(listener.line()).contains("acknowledged");
      begin(session, uri, "test://last");

      for (int i = 0; i < 3_000; i++) { // far more than the socket buffers can store
        mcp.updated(uri);
      }
      mcp.updated("test://last");

      int told = 0;
      for (String event = ""; !event.contains("test://last"); told++) {
        event = Objects.requireNonNull(events.next()).json().toString();
      }
      assertThat(told).isLessThan(3_000); // changes were combined into one
      for (String line = ""; !line.contains("test://last"); ) {
        line = listener.line();
      }
      for (String line = ""; !line.contains("test://last"); ) {
        line = session.line();
      }
    }
  }

  /** Performs the handshake of a client and subscribes to the resources. */
  private static void begin(RawConnection client, String... uris) throws Exception {
    client.send("""
        {"jsonrpc":"2.0","id":0,"method":"initialize","params":{\
        "protocolVersion":"2025-11-25","capabilities":{},\
        "clientInfo":{"name":"t","version":"1"}}}
        {"jsonrpc":"2.0","method":"notifications/initialized"}
        """);
    assertThat(client.line()).contains("serverInfo");
    for (String uri : uris) {
      client.send("""
          {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"%s"}}
          """.formatted(uri));
      assertThat(client.line()).contains("result");
    }
  }
}
