package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.ChannelPair;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads on which handlers run, and the context that they find there. */
@NullMarked
@Timeout(60)
@SuppressWarnings("try") // peers are used by the others
class ExecutorTest {
  /** The context of a framework, such as its SecurityContext or the MDC of its log. */
  private static final ThreadLocal<@Nullable String> USER = new ThreadLocal<>();

  private static final ChannelInfo CHANNEL = new ChannelInfo("test", "", "message");

  /** Reads the context. */
  public static final class Users {
    private final CompletableFuture<String> later = new CompletableFuture<>();

    public String user() {
      return USER.get() + " on " + Thread.currentThread().getName();
    }

    public CompletionStage<String> later() {
      return later;
    }

    public String nested() throws InterruptedException {
      return String.valueOf(reply(responder(this, Options.DEFAULT), call(1, "user")));
    }
  }

  private final Users users = new Users();

  @AfterEach
  void leave() {
    USER.remove();
  }

  private static FrameResponder responder(Users users, Options options) {
    return FrameResponder.of(Service.of(users), options, CHANNEL);
  }

  private static String call(int id, String method) {
    return """
        {"jsonrpc":"2.0","id":%s,"method":"%s"}""".formatted(id, method);
  }

  private static @Nullable Object reply(FrameResponder responder, String frame)
      throws InterruptedException {
    byte @Nullable [] reply = responder.respond(frame.getBytes(UTF_8));
    return reply == null ? null : Json.parse(new String(reply, UTF_8)).get("result");
  }

  private String here() {
    return "ann on " + Thread.currentThread().getName();
  }

  // ---------------------------------------------------------------- frames

  @Test
  void aHandlerHasTheContextOfTheThreadThatRespondsToAFrame() throws Exception {
    USER.set("ann");
    FrameResponder responder = responder(users, Options.DEFAULT);
    assertThat(reply(responder, call(1, "user"))).isEqualTo(Json.of(here()));
    assertThat(responder.respondAsync(call(1, "user").getBytes(UTF_8)).toCompletableFuture())
        .isCompletedWithValueMatching(reply -> new String(reply, UTF_8).contains(here()));
    assertThat(reply(responder, call(1, "nested"))).asString().contains(here());
  }

  @Test
  void eachElementOfABatchHasThatContext() throws Exception {
    USER.set("ann");
    byte @Nullable [] reply = responder(users, Options.DEFAULT)
        .respond(("[" + call(1, "user") + "," + call(2, "user") + "]").getBytes(UTF_8));
    assertThat(reply).isNotNull();
    assertThat(Json.parse(new String(reply, UTF_8)).elements())
        .hasSize(2)
        .allSatisfy(each -> assertThat(each.get("result")).isEqualTo(Json.of(here())));
  }

  @Test
  void aStageOccupiesNoThread() {
    CompletableFuture<byte @Nullable []> reply = responder(users, Options.DEFAULT)
        .respondAsync(call(1, "later").getBytes(UTF_8))
        .toCompletableFuture();
    assertThat(reply).isNotDone();
    users.later.complete("done");
    assertThat(reply).succeedsWithin(30, TimeUnit.SECONDS);
  }

  // ---------------------------------------------------------------- an executor

  private void serve(Options options, Consumer<Peer> test) {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    try (Peer server = Peer.open(pair.server(), Service.of(users), options);
        Peer client = Peer.open(pair.client(), Service.NONE, Options.DEFAULT)) {
      test.accept(client);
    }
  }

  @Test
  void theHandlersOfAConnectionAndOfAFrameRunOnTheExecutor() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "own"));
    Options options = Options.builder().executor(pool).build();
    try {
      serve(
          options,
          client -> assertThat(client.call("user", String.class)).isEqualTo("null on own"));
      assertThat(reply(responder(users, options), call(1, "user")))
          .isEqualTo(Json.of("null on own"));
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void anExecutorMayCarryTheContextOfTheThreadThatReceivesAMessage() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "own"));
    Options options = Options.builder()
        .executor(task -> {
          String user = USER.get();
          pool.execute(() -> {
            USER.set(user);
            task.run();
          });
        })
        .build();
    USER.set("ann");
    try {
      assertThat(reply(responder(users, options), call(1, "user")))
          .isEqualTo(Json.of("ann on own"));
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aCallThatTheExecutorRejectsIsRefusedAsBusy() {
    Options options = Options.builder()
        .executor(task -> {
          throw new RejectedExecutionException("full");
        })
        .build();
    serve(
        options,
        client -> assertThatThrownBy(() -> client.call("user", String.class))
            .isInstanceOfSatisfying(
                RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.BUSY)));
  }
}
