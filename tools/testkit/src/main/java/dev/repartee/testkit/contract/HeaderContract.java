package dev.repartee.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Batch;
import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of the headers of single messages ({@link dev.repartee.CallBuilder#header}). The
 * handler of a message sees exactly its headers, or none if the transport cannot carry them; then
 * the message arrives nevertheless.
 */
public abstract class HeaderContract {
  private static final long PATIENCE_SECONDS = 60;

  private final Methods methods = new Methods();
  private final AtomicInteger tokens = new AtomicInteger();
  private @Nullable Server server;

  @SuppressWarnings("NullAway.Init")
  private Peer peer;

  /** Creates the tests. */
  protected HeaderContract() {}

  /** Returns the endpoint of the server, with a free address. */
  protected abstract Endpoint endpoint();

  /** Returns the endpoint for clients of the server. */
  protected Endpoint clientEndpoint(Server server) {
    return server.endpoint();
  }

  /** Returns whether the transport sends headers of single messages; true by default. */
  protected boolean carriesHeaders() {
    return true;
  }

  /** Returns the token that the handshake of the transport has sent; null by default. */
  protected @Nullable String handshakeToken() {
    return null;
  }

  /** The methods of the server. */
  public static final class Methods {
    private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();

    private Methods() {}

    /** Returns the headers of the call that the tests use. */
    @Rpc
    public String headers(Call call) {
      return text(call.header("TRACEPARENT"), call.header("authorization"), call.header("token"));
    }

    /** Keeps the headers of a notification. */
    @Rpc
    public void note(Call call) {
      notes.add(headers(call));
    }
  }

  private static String text(
      @Nullable String traceparent, @Nullable String authorization, @Nullable String token) {
    return "traceparent " + traceparent + ", Authorization " + authorization + ", token " + token;
  }

  /** Returns the text for a message with these headers. */
  private String sent(
      @Nullable String traceparent, @Nullable String authorization, @Nullable String token) {
    return carriesHeaders()
        ? text(traceparent, authorization, token)
        : text(null, null, handshakeToken());
  }

  @BeforeEach
  void open() throws IOException {
    Server opened = Repartee.listen(endpoint().toString(), Service.of(methods));
    server = opened;
    Options options = Options.builder()
        .headers(() -> Map.of("Token", "t" + tokens.incrementAndGet()))
        .build();
    peer = Repartee.connect(clientEndpoint(opened), options);
  }

  @AfterEach
  void close() {
    if (peer != null) {
      peer.close();
    }
    if (server != null) {
      server.close(Duration.ZERO);
    }
  }

  @Test
  void eachCallHasItsOwnHeaders() {
    String first = peer.request("headers")
        .header("traceparent", "00-1")
        .header("Authorization", "Bearer one")
        .call(String.class);
    assertThat(first).isEqualTo(sent("00-1", "Bearer one", "t1"));
    assertThat(peer.call("headers", String.class)).isEqualTo(sent(null, null, "t2"));
    String third = peer.request("headers").idempotent().header("token", "own").call(String.class);
    assertThat(third).isEqualTo(sent(null, null, "own"));
  }

  @Test
  void concurrentCallsHaveTheirOwnHeaders() throws Exception {
    int count = 40;
    CallFuture<?>[] calls = new CallFuture<?>[count];
    for (int i = 0; i < count; i++) {
      calls[i] = peer.request("headers").header("traceparent", "00-" + i).send(String.class);
    }
    for (int i = 0; i < count; i++) {
      assertThat(calls[i].get(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .isEqualTo(sent("00-" + i, null, "t" + (i + 1)));
    }
  }

  @Test
  void aNotificationHasItsHeaders() throws Exception {
    peer.request("note").header("traceparent", "00-2").sendNotification();
    assertThat(methods.notes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .isEqualTo(sent("00-2", null, "t1"));
  }

  @Test
  void theCallsOfABatchHaveTheHeadersOfTheBatch() throws Exception {
    Batch batch = peer.batch().header("traceparent", "00-3");
    CallFuture<String> one = batch.callAsync("headers", String.class);
    CallFuture<String> other = batch.callAsync("headers", String.class);
    batch.notify("note");
    batch.send();
    String headers = sent("00-3", null, "t1");
    assertThat(one.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(headers);
    assertThat(other.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(headers);
    assertThat(methods.notes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(headers);
  }
}
