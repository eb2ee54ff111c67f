package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import org.junit.jupiter.api.Test;

class QuotaTest extends ServerFixture {
  private final FakeClock clock = new FakeClock();
  private final Queue<CompletableFuture<String>> open = new ConcurrentLinkedQueue<>();
  private final SubmissionPublisher<Integer> numbers = new SubmissionPublisher<>();
  private final CompletableFuture<Object> later = new CompletableFuture<>() {
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return false;
    }
  };
  private final CountDownLatch ended = new CountDownLatch(1);

  private Server serve(Quota quota) throws Exception {
    Service service = Service.builder()
        .method("echo", call -> "done")
        .method("wait", call -> {
          CompletableFuture<String> outcome = new CompletableFuture<>();
          open.add(outcome);
          return outcome;
        })
        .method("numbers", call -> numbers)
        .method("later", call -> {
          call.afterAnswer(ended::countDown);
          return later;
        })
        .build();
    Options options = Options.builder()
        .layer(Posts.authentication(request -> {
          String name = request.header("Name");
          return CompletableFuture.completedStage(
              name == null ? null : new Principal(name, Set.of(), Set.of(), "key"));
        }))
        .layer(quota)
        .build();
    return listen(service, options);
  }

  private Quota.Builder quota() {
    return Quota.builder().clock(clock);
  }

  private static void admitted(Server server, String... fields) throws Exception {
    assertThat(Posts.call(server, "echo", fields).body()).contains("done");
  }

  private static void refused(Server server, int seconds, String limit, String... fields)
      throws Exception {
    HttpResponse<String> response = Posts.call(server, "echo", fields);
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.headers().firstValue("Retry-After")).hasValue("" + seconds);
    assertThat(response.body())
        .contains("\"code\":-32000", "\"retryAfter\":" + seconds, "\"limit\":\"" + limit + "\"");
  }

  @Test
  void callsAreLimitedPerSecond() throws Exception {
    Server server = serve(quota().callsPerSecond(2, 3).build());
    for (int i = 0; i < 3; i++) {
      admitted(server);
    }
    refused(server, 1, "calls");
    clock.advance(Duration.ofMillis(500));
    admitted(server);
    refused(server, 1, "calls");
    clock.advance(Duration.ofHours(1));
    for (int i = 0; i < 3; i++) {
      admitted(server);
    }
    refused(server, 1, "calls");
  }

  @Test
  void aSlowRateNamesTheTimeToWait() throws Exception {
    Server server = serve(quota().callsPerSecond(0.1).build());
    admitted(server);
    refused(server, 10, "calls");
    clock.advance(Duration.ofSeconds(4));
    refused(server, 6, "calls");
    clock.advance(Duration.ofSeconds(6));
    admitted(server);
  }

  @Test
  void eachPrincipalHasItsOwnLimit() throws Exception {
    Server server = serve(quota().callsPerSecond(1).build());
    admitted(server, "Name", "alice");
    refused(server, 1, "calls", "Name", "alice");
    admitted(server, "Name", "bob");
    admitted(server);
    refused(server, 1, "calls");
  }

  @Test
  void aCallRunsUntilItsOutcome() throws Exception {
    Server server = serve(quota().inFlight(2).build());
    try (Peer peer = Repartee.connect(server.endpoint().toString())) {
      var one = peer.callAsync("wait", String.class);
      var two = peer.callAsync("wait", String.class);
      while (open.size() < 2) {
        Thread.onSpinWait();
      }
      refused(server, 1, "inFlight");
      open.remove().complete("done");
      CompletableFuture.anyOf(one, two).join();
      admitted(server);
      open.remove().completeExceptionally(new RpcException(1, "failed"));
      assertThatThrownBy(CompletableFuture.allOf(one, two)::join).hasMessageContaining("failed");
      for (int i = 0; i < 5; i++) {
        admitted(server);
      }
    }
  }

  @Test
  void aStreamRunsUntilItsEnd() throws Exception {
    Server server = serve(quota().inFlight(1).build());
    try (Peer peer = Repartee.connect("ws" + server.endpoint().toString().substring(4))) {
      CompletableFuture<?> end = beginStream(peer);
      refused(server, 1, "inFlight");
      numbers.close();
      end.join();
      awaitAdmission(server);
    }
  }

  @Test
  void aStreamEndsWithItsConnection() throws Exception {
    Server server = serve(quota().inFlight(1).build());
    try (Peer peer = Repartee.connect("ws" + server.endpoint().toString().substring(4))) {
      beginStream(peer);
      refused(server, 1, "inFlight");
    }
    awaitAdmission(server);
  }

  @Test
  void aStreamThatACancellationOvertakesHasNoPlace() throws Exception {
    Server server = serve(quota().inFlight(1).build());
    try (Peer peer = Repartee.connect("ws" + server.endpoint().toString().substring(4))) {
      CompletableFuture<?> call = peer.callAsync("later", Json.class);
      while (later.getNumberOfDependents() == 0) {
        Thread.onSpinWait();
      }
      call.cancel(true);
      ended.await();
      refused(server, 1, "inFlight");
      later.complete(numbers);
      awaitAdmission(server);
    }
  }

  /** Waits for the first item of a stream, and returns its end. */
  private CompletableFuture<?> beginStream(Peer peer) throws Exception {
    BlockingQueue<Integer> items = new LinkedBlockingQueue<>();
    CompletableFuture<?> end = peer.request("numbers").stream(int.class).forEach(items::add);
    while (numbers.getNumberOfSubscribers() == 0) {
      Thread.onSpinWait();
    }
    numbers.submit(1);
    assertThat(items.take()).isEqualTo(1);
    return end;
  }

  /** Calls until a call is admitted: the place of a stream is free after its last message. */
  private static void awaitAdmission(Server server) throws Exception {
    while (Posts.call(server, "echo").statusCode() == 429) {
      Thread.onSpinWait();
    }
    admitted(server);
  }

  @Test
  void bytesAreLimitedPerSecond() {
    Allowance allowance =
        new Allowance(new Allowance.Limits(null, new Allowance.Rate(100, 100), 0), clock.nanos());
    assertThat(allowance.acquire(0, 1_000)).isNull();
    assertThat(allowance.acquire(0, 1)).isEqualTo(new Allowance.Excess("bytes", 10));
    long later = Duration.ofSeconds(9).toNanos();
    assertThat(allowance.acquire(later, 1)).isEqualTo(new Allowance.Excess("bytes", 1));
    assertThat(allowance.acquire(later + Duration.ofSeconds(1).toNanos(), 1)).isNull();
  }

  @Test
  void aMillionAddressesOccupyBoundedMemory() {
    Quota quota = quota().callsPerSecond(1).inFlight(1).build();
    Allowance busy = quota.ofAddress("busy");
    assertThat(busy.acquire(0, 0)).isNull();
    for (int i = 0; i < 1_000_000; i++) {
      Allowance allowance = quota.ofAddress("address " + i);
      assertThat(allowance.acquire(0, 0) == null).isTrue();
      allowance.release();
    }
    assertThat(quota.size()).isLessThanOrEqualTo(Quota.CALLERS + 1);
    // A running call is never forgotten.
    assertThat(quota.ofAddress("busy")).isSameAs(busy);
  }

  @Test
  void limitsMustBePositive() {
    assertThatThrownBy(() -> Quota.builder().build()).isInstanceOf(IllegalStateException.class);
    for (double number : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> Quota.builder().callsPerSecond(number))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> Quota.builder().callsPerSecond(1, 0.5))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Quota.builder().inFlight(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Quota.builder().bytesPerSecond(0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
