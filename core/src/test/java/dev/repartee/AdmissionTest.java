package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.access.AccessDecision;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Principal;
import dev.repartee.framing.Framing;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.ForwardingChannel;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AdmissionTest {
  private static final ChannelInfo CHANNEL = new ChannelInfo("broker", "", "message");
  private static final Principal ANN = new Principal("ann", Set.of(), Set.of(), "test");
  private static final byte[] CALL =
      "{\"jsonrpc\":\"2.0\",\"method\":\"caller\",\"id\":1}".getBytes(UTF_8);

  private final Queue<AccessDecision> decisions = new ConcurrentLinkedQueue<>();
  private final AtomicInteger ran = new AtomicInteger();
  private final Service service = Service.builder()
      .method("caller", Lane.INLINE, call -> {
        ran.incrementAndGet();
        return call.principal() == null ? "nobody" : call.principal().name();
      })
      .build();

  private Options options(Authenticator authenticator) {
    return Options.builder()
        .access(access -> access.authenticator(authenticator).audit(decisions::add))
        .build();
  }

  private FrameResponder responder(Authenticator authenticator) {
    return FrameResponder.of(service, options(authenticator), CHANNEL);
  }

  private static String text(byte @Nullable [] answer) {
    return answer == null ? "" : new String(answer, UTF_8);
  }

  // ---------------------------------------------------------------- frames

  @Test
  void aFrameIsAuthenticated() throws Exception {
    FrameResponder responder = responder(credentials -> CompletableFuture.completedStage(ANN));
    assertThat(text(responder.respond(CALL))).contains("\"ann\"");
  }

  @Test
  void theRequestsOfAStrangerGetTheStatusAsErrorCode() throws Exception {
    FrameResponder responder = responder(credentials ->
        CompletableFuture.failedStage(new AccessException(429, "Wait a minute", Headers.NONE)));
    assertThat(text(responder.respond(CALL))).contains("\"code\":429", "Wait a minute", "\"id\":1");
    byte[] batch = ("[" + text(CALL) + "," + text(CALL) + "]").getBytes(UTF_8);
    assertThat(text(responder.respond(batch))).startsWith("[").contains("\"code\":429");
    assertThat(text(responder.respond(text(CALL).replace(",\"id\":1", "").getBytes(UTF_8))))
        .isEmpty();
    assertThat(ran).hasValue(0);
    assertThat(decisions)
        .extracting(AccessDecision::outcome)
        .containsExactly(Outcome.LIMITED, Outcome.LIMITED, Outcome.LIMITED);
  }

  @Test
  void aKnownCallerIsNotAuthenticatedAgain() throws Exception {
    FrameResponder responder = responder(credentials -> {
      throw new AssertionError("asked");
    });
    byte[] answer = responder.of(CHANNEL, Attributes.of(Principal.KEY, ANN)).respond(CALL);
    assertThat(text(answer)).contains("\"ann\"");
  }

  /** Collects replies; the transport uses the array of the frame again. */
  private static final class Replies implements FrameSink {
    final List<String> texts = new ArrayList<>();

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(1 << 20);
    }

    @Override
    public void commit(OutboundFrame frame) {
      texts.add(new String(frame.toBytes(), UTF_8));
    }

    @Override
    public void abort(@Nullable Throwable cause) {
      texts.add("aborted");
    }
  }

  @Test
  void aFrameWaitsForTheAuthenticator() {
    CompletableFuture<@Nullable Principal> slow = new CompletableFuture<>();
    Replies replies = new Replies();
    AtomicInteger done = new AtomicInteger();
    byte[] shared = CALL.clone();
    FrameResponder.InFlightFrame inFlight =
        responder(credentials -> slow).serve(shared, 0, shared.length, replies);
    inFlight.whenDone(done::incrementAndGet);
    shared[0] = 'x';
    assertThat(ran).hasValue(0);
    assertThat(done).hasValue(0);
    slow.complete(ANN);
    assertThat(replies.texts).hasSize(1).first().asString().contains("\"ann\"");
    assertThat(done).hasValue(1);
  }

  @Test
  void anAbandonedFrameIsNotServed() {
    CompletableFuture<@Nullable Principal> slow = new CompletableFuture<>();
    Replies replies = new Replies();
    AtomicInteger done = new AtomicInteger();
    FrameResponder.InFlightFrame inFlight =
        responder(credentials -> slow).serve(CALL, 0, CALL.length, replies);
    inFlight.whenDone(done::incrementAndGet);
    inFlight.abandon();
    slow.complete(ANN);
    assertThat(ran).hasValue(0);
    assertThat(replies.texts).isEmpty();
    assertThat(done).hasValue(1);
  }

  @Test
  void largeFramesThatWaitForTheAuthenticatorAreBounded() {
    CompletableFuture<@Nullable Principal> slow = new CompletableFuture<>();
    FrameResponder responder = responder(credentials -> slow);
    MemoryBudget budget = MemoryBudget.ofProcess();
    long before = budget.held();
    String large = text(CALL).replace("}", ",\"params\":[\"" + "x".repeat(1_000_000) + "\"]}");
    byte[] frame = large.getBytes(UTF_8);
    Replies replies = new Replies();
    responder.serve(frame, 0, frame.length, replies);
    // Connections of other tests may release their memory meanwhile.
    assertThat(budget.held() - before).isGreaterThanOrEqualTo(frame.length / 2);
    MemoryBudget.Share others = budget.share(0);
    try {
      others.holdAnyway(budget.max());
      responder.serve(frame, 0, frame.length, replies);
      assertThat(replies.texts).hasSize(1).first().asString().contains("-32000", "heldBytes");
      responder.serve(CALL, 0, CALL.length, replies);
      assertThat(replies.texts).hasSize(1);
    } finally {
      others.hold(0);
    }
    slow.complete(ANN);
    assertThat(replies.texts).hasSize(3);
    assertThat(budget.held()).isLessThanOrEqualTo(before);
  }

  /** A client may disconnect, and connect again, while the authenticator decides. */
  @Test
  void callersThatWaitForTheAuthenticatorAreBounded() {
    CompletableFuture<@Nullable Principal> slow = new CompletableFuture<>();
    Options options = options(credentials -> slow).toBuilder()
        .limits(limits -> limits.connections(2))
        .build();
    FrameResponder responder = FrameResponder.of(service, options, CHANNEL);
    Replies replies = new Replies();
    responder.serve(CALL, 0, CALL.length, replies).abandon();
    responder.serve(CALL, 0, CALL.length, replies);
    assertThat(replies.texts).isEmpty();
    responder.serve(CALL, 0, CALL.length, replies);
    assertThat(replies.texts).hasSize(1).first().asString().contains("\"code\":503");
    slow.complete(ANN);
    assertThat(replies.texts).hasSize(2).last().asString().contains("\"ann\"");
    responder.serve(CALL, 0, CALL.length, replies);
    assertThat(replies.texts).hasSize(3).last().asString().contains("\"ann\"");
  }

  /** Zero means no limit for calls. An authentication needs one: it occupies a place. */
  @Test
  void withoutATimeLimitForCallsTheAuthenticatorHasTheDefaultOne() {
    FakeClock clock = new FakeClock();
    Options options = options(credentials -> new CompletableFuture<>()).toBuilder()
        .limits(limits -> limits.callTimeout(Duration.ZERO))
        .clock(clock)
        .build();
    Replies replies = new Replies();
    FrameResponder.of(service, options, CHANNEL).serve(CALL, 0, CALL.length, replies);
    clock.advance(Limits.DEFAULT.callTimeout().minusMillis(1));
    assertThat(replies.texts).isEmpty();
    clock.advance(Duration.ofMillis(1));
    assertThat(replies.texts).hasSize(1).first().asString().contains("\"code\":503");
  }

  /** A gate never fails: the connection would wait for it forever. */
  @Test
  void aFailureWhoseTextCannotBeReadIsARefusal() throws Exception {
    CompletableFuture<@Nullable Principal> failed =
        CompletableFuture.failedFuture(new IllegalStateException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String toString() {
            throw new UnsupportedOperationException("no text");
          }
        });
    assertThat(text(responder(credentials -> failed).respond(CALL))).contains("\"code\":503");
    assertThat(decisions).extracting(AccessDecision::outcome).startsWith(Outcome.UNAVAILABLE);
  }

  @Test
  void theCallingThreadWaitsForTheAuthenticator() throws Exception {
    FrameResponder responder = responder(credentials -> CompletableFuture.supplyAsync(() -> ANN));
    assertThat(text(responder.respond(CALL))).contains("\"ann\"");
  }

  // ---------------------------------------------------------------- peers

  @Test
  void aPeerOnAChannelThatNobodyHasAuthenticatedDoesNotOpen() {
    Channel channel = Channel.over(
        InputStream.nullInputStream(),
        OutputStream.nullOutputStream(),
        Framing.LINES,
        Limits.DEFAULT);
    Options options = options(credentials -> CompletableFuture.completedStage(ANN));
    assertThatThrownBy(() -> Peer.open(channel, service, options))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("authenticator")
        .hasMessageContaining("Principal.KEY");
  }

  @Test
  void aPeerOnAnAuthenticatedChannelOpens() {
    Channel channel = Channel.over(
        InputStream.nullInputStream(),
        OutputStream.nullOutputStream(),
        Framing.LINES,
        Limits.DEFAULT);
    Options options = options(credentials -> CompletableFuture.completedStage(ANN));
    Channel known = new ForwardingChannel(channel) {
      @Override
      public Attributes attributes() {
        return Attributes.of(Principal.KEY, ANN);
      }
    };
    Peer.open(known, service, options).close();
  }

  @Test
  void anAuthenticatorWithoutAStageAdmitsNobody() throws Exception {
    FrameResponder responder = responder(credentials -> nothing());
    assertThat(text(responder.respond(CALL))).contains("\"code\":503");
    assertThat(ran).hasValue(0);
  }

  @SuppressWarnings("NullAway")
  private static CompletionStage<@Nullable Principal> nothing() {
    return null;
  }
}
