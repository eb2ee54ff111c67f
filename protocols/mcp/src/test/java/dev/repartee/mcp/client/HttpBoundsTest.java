package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.RpcException;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Headers;
import dev.repartee.transport.ReadingThread;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests HTTP servers that try to occupy connections, threads or time of a client. */
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpBoundsTest {
  private static final String DONE = """
      {"resultType":"complete","content":[{"type":"text","text":"done"}]}""";

  private final List<String> violations = new CopyOnWriteArrayList<>();

  /** The id of the last call. */
  private final AtomicReference<String> id = new AtomicReference<>();

  private McpClient connect(ScriptedServer server, UnaryOperator<Limits.Builder> limits)
      throws IOException {
    return McpClient.builder("t", "1")
        .timeout(Duration.ofSeconds(20))
        .options(Options.builder()
            .limits(limits::apply)
            .listener(new Listener() {
              @Override
              public void violation(ChannelInfo channel, String violation) {
                violations.add(violation);
              }
            })
            .build())
        .connect(server.uri());
  }

  private McpClient connect(ScriptedServer server) throws IOException {
    return connect(server, limits -> limits);
  }

  private static void assertDone(McpClient client, String tool) {
    assertThat(client.call(tool, null).content()).containsExactly(Content.text("done"));
  }

  /** Begins an answer that stays open. */
  private static OutputStream begin(HttpExchange http, int status, String type, String text)
      throws IOException {
    http.getResponseHeaders().set("Content-Type", type);
    http.sendResponseHeaders(status, 0);
    OutputStream out = http.getResponseBody();
    out.write(text.getBytes(UTF_8));
    out.flush();
    return out;
  }

  /** Writes an answer that never ends, until the client ends the connection. */
  private static void trickle(
      HttpExchange http, int status, String type, CompletableFuture<Boolean> broken)
      throws Exception {
    OutputStream out = begin(http, status, type, " ");
    try {
      while (true) {
        out.write(' ');
        out.flush();
        Thread.sleep(10); // slow, so that no limit of bytes is reached
      }
    } catch (IOException e) {
      broken.complete(true);
    }
  }

  // ---------------------------------------------------------------- connections

  /** A server that asks for many answers, and delays each answer until the test releases it. */
  private static final class Holding {
    private static final int PINGS = 300;

    final CountDownLatch sixteen = new CountDownLatch(16);
    final CountDownLatch released = new CountDownLatch(1);
    final CountDownLatch answers = new CountDownLatch(PINGS);
    final AtomicInteger held = new AtomicInteger();
    final AtomicInteger most = new AtomicInteger();

    void answer(ScriptedServer.Heard request) throws Exception {
      if (request.method().equals("tools/call")) {
        StringBuilder events = new StringBuilder();
        if (request.message().toString().contains("\"pings\"")) {
          for (int i = 0; i < PINGS; i++) {
            events.append("""
                data: {"jsonrpc":"2.0","method":"ping","id":""").append(i).append("}\n\n");
          }
        }
        events.append("""
            data: {"jsonrpc":"2.0","id":%s,"result":%s}

            """.formatted(request.id(), DONE));
        request.answer(200, "text/event-stream", events.toString());
      } else if (request.message().get("result") != null) {
        most.accumulateAndGet(held.incrementAndGet(), Math::max);
        sixteen.countDown();
        released.await();
        held.decrementAndGet();
        request.answer(202, "", "");
        answers.countDown();
      } else {
        request.answer(405, "", "");
      }
    }
  }

  @Test
  void answersThatTheServerHoldsOccupySixteenConnectionsAndDelayNoCall() throws Exception {
    Holding script = new Holding();
    try (ScriptedServer server = ScriptedServer.withSession(script::answer);
        McpClient client = connect(server)) {
      assertDone(client, "pings");
      assertThat(script.sixteen.await(30, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 20; i++) {
        assertDone(client, "quick");
      }

      script.released.countDown();
      assertThat(script.answers.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(script.most).hasValue(16);
    }
  }

  @Test
  void answersWithoutRoomAreSentWhenThereIsRoomAgain() throws Exception {
    Holding script = new Holding();
    try (ScriptedServer server = ScriptedServer.withSession(script::answer);
        McpClient client = connect(server, limits -> limits.outboundBytes(4 << 10))) {
      assertDone(client, "pings");
      assertThat(script.sixteen.await(30, TimeUnit.SECONDS)).isTrue();

      script.released.countDown();
      assertThat(script.answers.await(60, TimeUnit.SECONDS)).isTrue();
      assertDone(client, "quick");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "text/event-stream"})
  void anAnswerToANotificationThatNeverEndsLosesItsConnection(String type) throws Exception {
    CompletableFuture<Boolean> broken = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          switch (request.method()) {
            case "initialize" -> request.result(ScriptedServer.INITIALIZED);
            case "notifications/initialized" -> trickle(request.http(), 200, type, broken);
            case "tools/call" -> request.result(DONE);
            default -> request.answer(405, "", "");
          }
        });
        McpClient client = connect(server, limits -> limits.callTimeout(Duration.ofMillis(300)))) {
      assertThat(broken.get(60, TimeUnit.SECONDS)).isTrue();
      assertDone(client, "t");
    }
  }

  @Test
  void anAnswerToAMessageOf20241105ThatNeverEndsLosesItsConnection() throws Exception {
    CompletableFuture<Boolean> broken = new CompletableFuture<>();
    CompletableFuture<OutputStream> events = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          if (!initializes20241105(request, events)) {
            trickle(request.http(), 202, "text/plain", broken);
          }
        });
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.V2024_11_05)
            .options(Options.builder()
                .limits(limits -> limits.callTimeout(Duration.ofSeconds(12))) // also of initialize
                .build())
            .connect(server.uri())) {
      assertThat(client.revision()).isEqualTo(Revision.V2024_11_05);
      assertThat(broken.get(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aNotificationOf20241105ThatIsRefusedIsReported() throws Exception {
    CompletableFuture<String> reported = new CompletableFuture<>();
    CompletableFuture<OutputStream> events = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.of(request -> {
          if (!initializes20241105(request, events)) {
            request.answer(500, "text/plain", "no room");
          }
        });
        McpClient client = McpClient.builder("t", "1")
            .revisions(Revision.V2024_11_05)
            .options(Options.builder()
                .listener(new Listener() {
                  @Override
                  public void violation(ChannelInfo channel, String violation) {
                    reported.complete(violation);
                  }
                })
                .build())
            .connect(server.uri())) {
      assertThat(client.revision()).isEqualTo(Revision.V2024_11_05);
      assertThat(reported.get(30, TimeUnit.SECONDS)).contains("HTTP status 500: no room");
    }
  }

  /** Serves the start of a connection of HTTP with SSE; returns false for all later messages. */
  private static boolean initializes20241105(
      ScriptedServer.Heard request, CompletableFuture<OutputStream> events) throws Exception {
    if (request.http().getRequestMethod().equals("GET")) {
      events.complete(
          begin(request.http(), 200, "text/event-stream", "event: endpoint\ndata: /messages\n\n"));
    } else if (request.method().equals("initialize")) {
      request.answer(202, "", "");
      OutputStream out = events.get();
      out.write("""
          data: {"jsonrpc":"2.0","id":%s,"result":%s}

          """.formatted(
              request.id(), ScriptedServer.INITIALIZED.replace("2025-11-25", "2024-11-05"))
          .getBytes(UTF_8));
      out.flush();
    } else {
      return false;
    }
    return true;
  }

  @Test
  void aStreamThatStaysOpenBehindItsAnswerKeepsNoPlace() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          begin(request.http(), 200, "text/event-stream", """
              data: {"jsonrpc":"2.0","id":%s,"result":%s}

              """.formatted(request.id(), DONE));
          end.await();
        });
        McpClient client = connect(server)) {
      for (int i = 0; i < 70; i++) {
        assertDone(client, "t");
      }
      end.countDown();
    }
  }

  @Test
  void aCallThatIsCancelledBeforeItIsSentKeepsNoPlace() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    BlockingQueue<String> held = new LinkedBlockingQueue<>();
    AtomicBoolean blocking = new AtomicBoolean();
    CountDownLatch busy = new CountDownLatch(2);
    CountDownLatch released = new CountDownLatch(1);
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.message().toString().contains("\"quick\"")) {
            request.result(DONE);
          } else {
            held.add(String.valueOf(request.message().get("params").string("name")));
            end.await();
          }
        });
        McpClient client = McpClient.builder("t", "1")
            .authorization(new BlockedReaders(blocking, busy, released))
            .connect(server.uri())) {
      Map<String, CompletableFuture<?>> calls = new HashMap<>();
      for (int i = 0; i < 66; i++) {
        calls.put("held" + i, client.request("held" + i).send());
      }
      List<CompletableFuture<?>> sent = new ArrayList<>(); // any 64 of them
      for (int i = 0; i < 64; i++) {
        sent.add(calls.get(held.poll(60, TimeUnit.SECONDS)));
      }
      blocking.set(true); // one of them may have the place of the request that connected
      CompletableFuture<?> waiting = client.request("waiting").send();
      CompletableFuture<?> quick = client.request("quick").send();
      sent.get(0).cancel(true);
      sent.get(1).cancel(true);
      assertThat(busy.await(60, TimeUnit.SECONDS)).isTrue();
      sent.get(2).cancel(true); // 'waiting' has the next place, but no thread sends it yet
      waiting.cancel(true);
      released.countDown();

      assertThat(quick).succeedsWithin(60, TimeUnit.SECONDS);
      end.countDown();
    }
  }

  /** Does not add headers, and blocks the two threads that send waiting calls for a time. */
  private record BlockedReaders(
      AtomicBoolean blocking, CountDownLatch busy, CountDownLatch released)
      implements HttpAuthorization {
    @Override
    public CompletionStage<Headers> headers(Request request) {
      if (blocking.get() && ReadingThread.isCurrent() && busy.getCount() > 0) {
        busy.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return CompletableFuture.completedStage(Headers.NONE);
    }

    @Override
    public CompletionStage<Boolean> refused(Refusal refusal) {
      return CompletableFuture.completedStage(false);
    }
  }

  @Test
  void theBodyOfARedirectThatNeverEndsLosesItsConnection() throws Exception {
    CompletableFuture<Boolean> broken = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.http().getRequestURI().getPath().equals("/mcp")) {
            request.http().getResponseHeaders().set("Location", "/mcp/");
            trickle(request.http(), 307, "text/plain", broken);
          } else {
            request.result(DONE);
          }
        });
        McpClient client = connect(server)) {
      assertDone(client, "t");
      assertThat(broken.get(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  // ---------------------------------------------------------------- reconnections

  @Test
  void aStreamThatAsksForNoPauseIsOpenedAgainAfterOne() throws Exception {
    BlockingQueue<Long> opened = new LinkedBlockingQueue<>();
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
          opened.add(System.nanoTime());
          request.answer(200, "text/event-stream", "retry: 0\nid: e\ndata: \n\n");
        });
        McpClient client = connect(server)) {
      assertThat(client.revision()).isEqualTo(Revision.V2025_11_25);
      Long first = opened.poll(30, TimeUnit.SECONDS);
      Long second = opened.poll(30, TimeUnit.SECONDS);
      Long third = opened.poll(30, TimeUnit.SECONDS);

      assertThat(second - first).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(240));
      assertThat(third - second).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(240));
    }
  }

  @Test
  void aStreamThatTheAuthorizationRefusesIsGivenUpAfterThreeLogins() throws Exception {
    AtomicInteger logins = new AtomicInteger();
    CompletableFuture<String> reported = new CompletableFuture<>();
    HttpAuthorization closedPages = new HttpAuthorization() {
      @Override
      public CompletionStage<Headers> headers(Request request) {
        return CompletableFuture.completedStage(Headers.NONE);
      }

      @Override
      public CompletionStage<Boolean> refused(Refusal refusal) {
        logins.incrementAndGet();
        return CompletableFuture.failedStage(new IOException("the user has closed the page"));
      }
    };
    try (ScriptedServer server =
            ScriptedServer.withSession(request -> request.answer(401, "", ""));
        McpClient client = McpClient.builder("t", "1")
            .authorization(closedPages)
            .options(Options.builder()
                .listener(new Listener() {
                  @Override
                  public void violation(ChannelInfo channel, String violation) {
                    reported.complete(violation);
                  }
                })
                .build())
            .connect(server.uri())) {
      assertThat(reported.get(30, TimeUnit.SECONDS))
          .contains("changes are no longer reported", "the user has closed the page");
      assertThat(logins).hasValue(3);
      assertThat(client.revision()).isEqualTo(Revision.V2025_11_25);
    }
  }

  @Test
  void anEventIdThatNoHeaderCanHoldIsIgnoredAndReported() throws Exception {
    BlockingQueue<String> ids = new LinkedBlockingQueue<>();
    AtomicInteger streams = new AtomicInteger();
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
          ids.add(String.valueOf(request.header("Last-Event-ID")));
          String id = streams.getAndIncrement() == 0 ? "e1" : "\u00e9" + "x".repeat(10_000);
          request.answer(200, "text/event-stream", "id: " + id + "\nretry: 0\ndata: \n\n");
        });
        McpClient client = connect(server)) {
      assertThat(client.revision()).isEqualTo(Revision.V2025_11_25);
      assertThat(ids.poll(30, TimeUnit.SECONDS)).isEqualTo("null");
      assertThat(ids.poll(30, TimeUnit.SECONDS)).isEqualTo("e1");
      assertThat(ids.poll(30, TimeUnit.SECONDS)).isEqualTo("e1");
      assertThat(violations).anyMatch(violation -> violation.contains("event id"));
    }
  }

  @Test
  void anEventThatArrivesInPartIsAskedForAgain() throws Exception {
    try (ScriptedServer server = ScriptedServer.withSession(request -> {
          String last = request.header("Last-Event-ID");
          if (request.method().equals("tools/call")) {
            id.set(String.valueOf(request.id()));
            request.answer(200, "text/event-stream", """
                id: e1
                retry: 0
                data:\s

                id: e2
                data: {"jsonrpc":"2.0","id":""");
          } else if ("e1".equals(last)) {
            request.answer(200, "text/event-stream", """
                id: e2
                data: {"jsonrpc":"2.0","id":%s,"result":%s}

                """.formatted(id, DONE));
          } else {
            request.answer(405, "", "");
          }
        });
        McpClient client = connect(server)) {
      assertDone(client, "t");
    }
  }

  // ---------------------------------------------------------------- time

  @Test
  void aCallWhoseHeadersDoNotMatchEndsInTimeAlsoIfTheToolsAreNeverListed() throws Exception {
    FakeClock clock = new FakeClock();
    CountDownLatch listing = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          if (request.method().equals("tools/list")) {
            listing.countDown();
            end.await();
          } else {
            request.error(400, "{\"code\":-32020,\"message\":\"Header mismatch\"}");
          }
        });
        McpClient client = McpClient.builder("t", "1").clock(clock).connect(server.uri())) {
      CompletableFuture<?> call =
          client.request("t").timeout(Duration.ofSeconds(3)).send();
      assertThat(listing.await(30, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofSeconds(3));

      assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(RpcException.class);
      end.countDown();
    }
  }

  private static void answerWithATaskThatNeverEnds(ScriptedServer.Heard request, boolean stateless)
      throws Exception {
    switch (request.method()) {
      case "tools/call" -> {
        if (!stateless) {
          request.result("""
              {"task":{"taskId":"1","status":"working"}}""");
        } else if (request.message().toString().contains("io.modelcontextprotocol/tasks")) {
          request.result("""
              {"resultType":"task","taskId":"1","status":"working"}""");
        } else {
          request.error(400, """
              {"code":-32021,"message":"tasks",\
              "data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}""");
        }
      }
      case "tasks/get" -> request.result("""
          {"resultType":"complete","taskId":"1","status":"working"}""");
      case "tasks/cancel" -> request.result("{\"resultType\":\"complete\"}");
      default -> request.answer(405, "", "");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCallThatBecomesATaskWithoutAnEndEndsInTimeAndIsCancelled(boolean stateless)
      throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    ScriptedServer.Script script = request -> {
      answerWithATaskThatNeverEnds(request, stateless);
      switch (request.method()) {
        case "tasks/get" -> asked.countDown();
        case "tasks/cancel" -> cancelled.countDown();
        default -> {}
      }
    };
    try (ScriptedServer server =
            stateless ? ScriptedServer.stateless(script) : ScriptedServer.withSession(script);
        McpClient client = connect(server)) {
      do { // on a busy machine the call may time out before it is a task
        CompletableFuture<?> call =
            client.request("t").timeout(Duration.ofMillis(500)).send();
        assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS))
            .hasCauseInstanceOf(CallTimeoutException.class);
      } while (asked.getCount() > 0);
      assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aCancelledCallThatHasBecomeATaskCancelsTheTask() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    try (ScriptedServer server = ScriptedServer.stateless(request -> {
          answerWithATaskThatNeverEnds(request, true);
          switch (request.method()) {
            case "tasks/get" -> asked.countDown();
            case "tasks/cancel" -> cancelled.countDown();
            default -> {}
          }
        });
        McpClient client = connect(server)) {
      CompletableFuture<?> call = client.request("t").send();
      assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
      call.cancel(true);

      assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  // ---------------------------------------------------------------- messages

  @ParameterizedTest
  @EnumSource
  void aServerThatCannotBeReachedIsNamedOnceWithTheReason(Revision revision) throws Exception {
    try (Socket taken = new Socket()) { // a bound port without a listener
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String place = "http://127.0.0.1:" + taken.getLocalPort() + "/mcp";

      assertThatThrownBy(
              () -> McpClient.builder("t", "1").revisions(revision).connect(place + "?key=geheim"))
          .isInstanceOf(IOException.class)
          .hasMessageMatching("cannot connect to \\Q" + place
              + "\\E\\?\\.\\.\\.: Connection refused[^;]*;" + " is something listening there\\?");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403})
  void aRefusalDoesNotShowTheQuery(int status) throws Exception {
    try (ScriptedServer server =
        ScriptedServer.of(request -> request.answer(status, "text/plain", "no"))) {
      assertThatThrownBy(() -> McpClient.builder("t", "1")
              .authorization(HttpAuthorization.bearer("t0ken"))
              .connect(server.uri() + "?key=geheim"))
          .message()
          .contains("/mcp?... refused the request with the HTTP status " + status)
          .doesNotContain("geheim", "t0ken");
    }
  }
}
