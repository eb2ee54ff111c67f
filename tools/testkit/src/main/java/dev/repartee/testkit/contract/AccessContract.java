package dev.repartee.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.ReparteeException;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Access;
import dev.repartee.access.AccessDecision;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.AccessException;
import dev.repartee.access.Allow;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link Access}: the authenticator is asked before a call is served, its principal
 * is known to the handler, and a refused caller reaches no handler. A slow authenticator delays its
 * caller only.
 */
public abstract class AccessContract {
  private static final long PATIENCE_SECONDS = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(PATIENCE_SECONDS);
  private static final Principal ANN = new Principal("ann", Set.of("user"), Set.of(), "test");

  private final Methods methods = new Methods();
  private final Queue<AccessDecision> decisions = new ConcurrentLinkedQueue<>();
  private final AtomicInteger questions = new AtomicInteger();

  /** Has a permit for each question that the authenticator was asked. */
  private final Semaphore asked = new Semaphore(0);

  private @Nullable Server server;

  /** Creates the tests. */
  protected AccessContract() {}

  /** Returns the endpoint of the server, with a free address. */
  protected abstract Endpoint endpoint();

  /** Serves at the endpoint. */
  protected Server listen(Service service, Options options) throws IOException {
    return Repartee.listen(endpoint().toString(), service, options);
  }

  /** Returns the endpoint for clients of the server. */
  protected Endpoint clientEndpoint(Server server) {
    return server.endpoint();
  }

  /** The methods of the server. */
  public static final class Methods {
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    private Methods() {}

    /** Returns the name of the caller. */
    @Rpc
    public String caller(Call call) {
      ran.add("caller");
      Principal principal = call.principal();
      return principal == null ? "nobody" : principal.name();
    }

    /** Runs on the thread that reads. */
    @Rpc(lane = Lane.INLINE)
    @Allow("admin")
    public int admin(int number) {
      ran.add("admin");
      return number;
    }
  }

  /** Ends the server. */
  @AfterEach
  protected final void close() {
    if (server != null) {
      server.close(Duration.ZERO);
    }
  }

  private static CompletableFuture<@Nullable Principal> known(@Nullable Principal principal) {
    return CompletableFuture.<@Nullable Principal>completedFuture(principal);
  }

  private Server serve(Options options) throws IOException {
    Server listening = listen(Service.of(methods), options);
    server = listening;
    return listening;
  }

  private Server serve(IntFunction<CompletableFuture<@Nullable Principal>> answers)
      throws IOException {
    return serve(options(answers).build());
  }

  /**
   * Returns options with an authenticator.
   *
   * @param answers returns the answer to a question by its number, from 1
   */
  private Options.Builder options(IntFunction<CompletableFuture<@Nullable Principal>> answers) {
    Authenticator authenticator = credentials -> {
      int question = questions.incrementAndGet();
      asked.release();
      return answers.apply(question);
    };
    return Options.builder()
        .access(access -> access.authenticator(authenticator).audit(decisions::add));
  }

  /** Waits until the server asks the authenticator. */
  private void awaitQuestion() throws InterruptedException {
    assertThat(asked.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .as("a question")
        .isTrue();
  }

  private <T> T with(Server server, Duration timeout, Function<Peer, T> calls) throws IOException {
    Options options =
        Options.builder().limits(limits -> limits.callTimeout(timeout)).build();
    try (Peer peer = Repartee.connect(clientEndpoint(server).toString(), options)) {
      return calls.apply(peer);
    }
  }

  /**
   * Returns the name by which the handler knows a client, for tests of what a transport proves.
   *
   * @param proof returns the principal that the evidence of the transport proves
   */
  protected final String caller(Function<Credentials, Principal> proof) throws IOException {
    Authenticator authenticator = credentials -> known(proof.apply(credentials));
    return caller(serve(
        Options.builder().access(access -> access.authenticator(authenticator)).build()));
  }

  /**
   * Connects as a principal that expires, waits for the end, and returns its cause: null for an
   * orderly end. For transports with connections.
   */
  protected final @Nullable Throwable endOfExpired() throws Exception {
    Instant soon = Instant.now().plusMillis(50);
    Principal ann = new Principal("ann", Set.of(), Set.of(), "test", soon);
    Server server = serve(question -> known(ann));
    CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
    try (Peer peer = Repartee.connect(clientEndpoint(server).toString())) {
      peer.closed().whenComplete((nothing, cause) -> end.complete(cause));
      return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private String caller(Server server) throws IOException {
    return caller(server, PATIENCE);
  }

  private String caller(Server server, Duration timeout) throws IOException {
    return with(server, timeout, peer -> peer.call("caller", String.class));
  }

  /** Calls on another thread: a handshake may have to wait for the authenticator. */
  private CompletableFuture<String> callerLater(Server server, Duration timeout) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return caller(server, timeout);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> new Thread(task, "caller").start());
  }

  private void assertRefused(Server server, Outcome outcome) {
    Throwable failure = catchThrowable(() -> caller(server));
    assertThat(failure).isInstanceOfAny(ReparteeException.class, IOException.class);
    assertThat(methods.ran).isEmpty();
    assertThat(decisions).extracting(AccessDecision::outcome).contains(outcome);
    assertThat(decisions).allSatisfy(decision -> {
      assertThat(decision.method()).isNull();
      assertThat(decision.principal()).isNull();
    });
  }

  /** The handler knows the caller. */
  @Test
  protected final void theHandlerKnowsTheCaller() throws Exception {
    Server server = serve(question -> known(ANN));
    assertThat(caller(server)).isEqualTo("ann");
    assertThat(decisions).extracting(AccessDecision::method).containsExactly("caller");
    assertThat(decisions).extracting(AccessDecision::principal).containsExactly(ANN);
  }

  /** A caller without credentials is refused. */
  @Test
  protected final void aStrangerIsRefused() throws Exception {
    assertRefused(serve(question -> known(null)), Outcome.UNAUTHENTICATED);
  }

  /** A refusal has the reason of the authenticator. */
  @Test
  protected final void theAuthenticatorRefuses() throws Exception {
    assertRefused(
        serve(question -> CompletableFuture.<@Nullable Principal>failedFuture(
            new AccessException(429, "Try again in a minute", Headers.NONE))),
        Outcome.LIMITED);
  }

  /** An authenticator that throws admits nobody, and harms nothing else. */
  @Test
  protected final void anAuthenticatorThatThrowsAdmitsNobody() throws Exception {
    Server server = serve(question -> {
      if (question == 1) {
        throw new StackOverflowError("broken");
      }
      return known(ANN);
    });
    assertRefused(server, Outcome.UNAVAILABLE);
    assertThat(caller(server)).isEqualTo("ann");
  }

  /** A caller waits for a slow authenticator, and others do not. */
  @Test
  protected final void aSlowAuthenticatorDelaysItsCallerOnly() throws Exception {
    CompletableFuture<@Nullable Principal> slow = new CompletableFuture<>();
    Server server = serve(question -> question == 1 ? slow : known(ANN));
    CompletableFuture<String> first = callerLater(server, PATIENCE);
    awaitQuestion();
    assertThat(caller(server)).isEqualTo("ann");
    assertThat(first).isNotDone();
    slow.complete(new Principal("bob", Set.of(), Set.of(), "test"));
    assertThat(first.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("bob");
  }

  /** The time limit of calls ends the wait for an authenticator. */
  @Test
  protected final void anAuthenticatorThatNeverAnswersAdmitsNobody() throws Exception {
    CompletableFuture<@Nullable Principal> never = new CompletableFuture<>();
    Server server = serve(options(question -> never)
        .limits(limits -> limits.callTimeout(Duration.ofMillis(50)))
        .build());
    assertRefused(server, Outcome.UNAVAILABLE);
    never.complete(ANN);
    assertThat(methods.ran).isEmpty();
  }

  /** A server that closes does not wait for the authenticator. */
  @Test
  protected final void theServerClosesMeanwhile() throws Exception {
    CompletableFuture<@Nullable Principal> slow = new CompletableFuture<>();
    Server server = serve(question -> slow);
    this.server = null;
    // Over a broker the message stays in the queue, and nothing fails but the time-out.
    CompletableFuture<String> first = callerLater(server, Duration.ofSeconds(15));
    awaitQuestion();
    server.close(Duration.ZERO);
    slow.complete(ANN);
    Throwable failure = catchThrowable(() -> first.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    assertThat(failure).isInstanceOf(ExecutionException.class);
    assertThat(methods.ran).isEmpty();
  }

  /** Rules and annotations hold for the principal. */
  @Test
  protected final void aKnownCallerMayNotCallEverything() throws Exception {
    Server server = serve(question -> known(ANN));
    Throwable failure =
        with(server, PATIENCE, peer -> catchThrowable(() -> peer.call("admin", int.class, 1)));
    assertThat(failure)
        .isInstanceOfSatisfying(
            RpcException.class, error -> assertThat(error.code()).isEqualTo(403));
    assertThat(methods.ran).isEmpty();
    assertThat(decisions).extracting(AccessDecision::outcome).containsExactly(Outcome.FORBIDDEN);
  }
}
