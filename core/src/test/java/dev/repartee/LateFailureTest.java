package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The report of a handler that fails when its call was answered already. */
@Timeout(60)
class LateFailureTest {
  private static final RpcError EARLY = new RpcError(7, "answered early");

  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final CompletableFuture<Object> stage = new CompletableFuture<>();

  private final Options options = Options.builder()
      .mapException(ArithmeticException.class, EARLY)
      .listener(new Listener() {
        @Override
        public void failed(Call call, Throwable cause) {
          events.add("failed " + call.method() + ": " + cause.getMessage());
        }

        @Override
        public void notice(ChannelInfo channel, String event) {
          events.add(event);
        }
      })
      .build();

  private final Service service = Service.builder()
      .method("answered", call -> {
        call.cancel(EARLY);
        throw new IllegalStateException("late");
      })
      .method("answered later", call -> {
        call.cancel(EARLY);
        return stage.minimalCompletionStage(); // which a cancellation leaves alone
      })
      .method("expected", call -> {
        call.cancel(EARLY);
        throw new ArithmeticException("mapped");
      })
      .method("refused", call -> {
        call.cancel(EARLY);
        throw new RpcException(1, "refused");
      })
      .method("ended", call -> {
        call.cancel(EARLY);
        throw new CancellationException("ended");
      })
      .method("unanswered", call -> {
        throw new IllegalStateException("first");
      })
      .build();

  private static int code(Peer peer, String method) {
    return catchThrowableOfType(RpcException.class, () -> peer.call(method, Object.class))
        .code();
  }

  @Test
  void aFailureAfterTheAnswerIsANoticeAndNoFailedCall() throws Exception {
    try (Server server = Repartee.listen("mem:*", service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(code(peer, "answered")).isEqualTo(7);
      assertThat(events.poll(30, SECONDS))
          .isEqualTo("the method 'answered' failed after the end of its call: "
              + "java.lang.IllegalStateException: late");
      assertThat(code(peer, "answered later")).isEqualTo(7);
      stage.completeExceptionally(new IllegalStateException("stage"));
      assertThat(events.poll(30, SECONDS))
          .isEqualTo("the method 'answered later' failed after the end of its call: "
              + "java.lang.IllegalStateException: stage");
    }
  }

  @Test
  void anExpectedFailureAfterTheAnswerIsNotReported() throws Exception {
    try (Server server = Repartee.listen("mem:*", service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      for (String method : new String[] {"expected", "refused", "ended"}) {
        assertThat(code(peer, method)).isEqualTo(7);
      }
    } // the server has waited for its handlers
    assertThat(events).isEmpty();
  }

  @Test
  void aFailureThatIsAnsweredIsAFailedCall() throws Exception {
    try (Server server = Repartee.listen("mem:*", service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(code(peer, "unanswered")).isEqualTo(RpcError.INTERNAL_ERROR);
    }
    assertThat(events).containsExactly("failed unanswered: first");
  }
}
