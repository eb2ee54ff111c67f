package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.mcp.http.StreamableHttpHandler;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the SSE stream of a call that does not send messages for a long time. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentCallTest {
  private final CountDownLatch released = new CountDownLatch(1);
  private final McpServer mcp = TestServer.builder()
      .tool(Tool.named("hold").handle((call, arguments) -> {
        released.await();
        return "held";
      }))
      .build();
  private final StreamableHttpHandler handler =
      new StreamableHttpHandler(new HttpBackend(new Protocol(mcp)), "/mcp");

  /** The response to one request. The test decides when it has been silent for too long. */
  private static final class Reply implements HttpReply {
    final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    final CompletableFuture<Map<String, String>> answered = new CompletableFuture<>();
    final CompletableFuture<Runnable> silence = new CompletableFuture<>();
    private boolean streams;

    @Override
    public boolean takesEvents() {
      return true;
    }

    @Override
    public synchronized boolean answer(int status, Map<String, String> headers, byte[] body) {
      return !streams && answered.complete(headers);
    }

    @Override
    public synchronized boolean stream(Map<String, String> headers) {
      streams |= !answered.isDone();
      return streams;
    }

    @Override
    public void onSilence(Runnable action) {
      silence.complete(action);
    }

    @Override
    public void send(Event event) {
      events.add(event);
    }

    @Override
    public boolean awaitRoom(long time, TimeUnit unit) {
      return true;
    }

    @Override
    public void end() {}

    @Override
    public void onGone(Runnable action) {}

    Event next() throws InterruptedException {
      return Objects.requireNonNull(events.poll(30, TimeUnit.SECONDS), "nothing was said");
    }
  }

  private Reply post(@Nullable String session, String body) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("Content-Type", "application/json");
    if (session != null) {
      headers.put(StreamableHttpHandler.SESSION_HEADER, session);
    }
    ChannelInfo channel = new ChannelInfo("http", "", "message");
    Reply reply = new Reply();
    handler.serve(
        new HttpRequest(
            "POST", "/mcp", null, headers, body.getBytes(UTF_8), channel, Attributes.NONE),
        reply);
    return reply;
  }

  private Reply hold(String revision) {
    Map<String, String> begun = post(null, """
        {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s",\
        "capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\
        """.formatted(revision)).answered.join();
    return post(begun.get(StreamableHttpHandler.SESSION_HEADER), """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}""");
  }

  @Test
  void theStreamOfASilentCallBeginsWithAnEventId() throws Exception {
    Reply reply = hold("2025-11-25");
    reply.silence.join().run();
    HttpReply.Event first = reply.next();
    assertThat(first.id()).isNotNull();
    assertThat(first.data()).isEmpty();
    released.countDown();
    HttpReply.Event answer = reply.next();
    assertThat(answer.id()).isNotNull().isNotEqualTo(first.id());
    assertThat(new String(answer.data(), UTF_8)).contains("held");
  }

  @Test
  void earlierClientsGetNoEmptyEvent() throws Exception {
    Reply reply = hold("2025-06-18");
    reply.silence.join().run();
    released.countDown();
    assertThat(new String(reply.next().data(), UTF_8)).contains("held");
  }

  @Test
  void aCallThatWasAnsweredGetsNoStream() {
    Reply reply = hold("2025-11-25");
    released.countDown();
    reply.answered.join();
    reply.silence.join().run();
    assertThat(reply.events).isEmpty();
  }
}
