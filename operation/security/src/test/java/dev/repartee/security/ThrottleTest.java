package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ThrottleTest {
  private static final Principal ALICE = new Principal("alice", Set.of(), Set.of(), "key");

  private final FakeClock clock = new FakeClock();
  private final Authenticator throttle = new Throttle(ThrottleTest::check, clock);

  private static CompletionStage<@Nullable Principal> check(Credentials credentials) {
    String key = credentials.header("Key");
    return key == null
        ? CompletableFuture.completedStage(null)
        : key.equals("right")
            ? CompletableFuture.completedStage(ALICE)
            : Refusals.refuse(Refusals.wrong());
  }

  private void fail(String address, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(Requests.status(throttle, Requests.from(address, "Key", "x"))).isEqualTo(401);
    }
  }

  private String retryAfter(String address) {
    var refusal = Requests.refused(throttle, Requests.from(address, "Key", "right"));
    assertThat(refusal.status()).isEqualTo(429);
    return refusal.headers().get("Retry-After");
  }

  @Test
  void theDelayGrowsWithEachFailure() {
    fail("192.0.2.1", 5);
    assertThat(retryAfter("192.0.2.1")).isEqualTo("1");
    clock.advance(Duration.ofSeconds(1));
    fail("192.0.2.1", 1);
    assertThat(retryAfter("192.0.2.1")).isEqualTo("2");
    clock.advance(Duration.ofSeconds(2));
    fail("192.0.2.1", 1);
    assertThat(retryAfter("192.0.2.1")).isEqualTo("4");
    for (int i = 0; i < 40; i++) {
      clock.advance(Duration.ofMinutes(5));
      fail("192.0.2.1", 1);
    }
    assertThat(retryAfter("192.0.2.1")).isEqualTo("300");
  }

  @Test
  void aSuccessForgetsTheFailures() {
    for (int i = 0; i < 3; i++) {
      fail("192.0.2.1", 4);
      Requests.admitted(throttle, Requests.from("192.0.2.1", "Key", "right"));
      clock.advance(Duration.ofMinutes(1));
    }
  }

  @Test
  void aValidPasswordIsOfLittleHelpInGuessingOthers() {
    fail("192.0.2.1", 4);
    Requests.admitted(throttle, Requests.from("192.0.2.1", "Key", "right"));
    fail("192.0.2.1", 4);
    Requests.admitted(throttle, Requests.from("192.0.2.1", "Key", "right"));
    fail("192.0.2.1", 1);
    assertThat(retryAfter("192.0.2.1")).isEqualTo("1");
  }

  @Test
  void failuresAreForgottenAfterAWhile() {
    fail("192.0.2.1", 4);
    clock.advance(Duration.ofMinutes(16));
    fail("192.0.2.1", 4);
    Requests.admitted(throttle, Requests.from("192.0.2.1", "Key", "right"));
  }

  @Test
  void otherAddressesDoNotNotice() {
    fail("192.0.2.1", 5);
    Requests.admitted(throttle, Requests.from("192.0.2.2", "Key", "right"));
    assertThat(retryAfter("192.0.2.1")).isEqualTo("1");
  }

  /** The service knows only the broker. */
  @Test
  void allClientsOfABrokerCountAsOneAddress() {
    for (int i = 0; i < 5; i++) {
      assertThat(Requests.status(throttle, Requests.overBroker("Key", "x"))).isEqualTo(401);
    }
    assertThat(Requests.status(throttle, Requests.overBroker("Key", "right"))).isEqualTo(429);
    Requests.admitted(throttle, Requests.from("192.0.2.1", "Key", "right"));
  }

  @Test
  void aNetworkOfIpv6CountsAsOneAddress() {
    fail("2001:db8::1", 3);
    fail("2001:db8::ffff:2", 2);
    assertThat(retryAfter("2001:db8::3")).isEqualTo("1");
    Requests.admitted(throttle, Requests.from("2001:db8:0:1::3", "Key", "right"));
  }

  @Test
  void aRequestWithoutCredentialsIsNoFailure() {
    for (int i = 0; i < 20; i++) {
      assertThat(Requests.found(throttle, Requests.from("192.0.2.1"))).isNull();
    }
    Requests.admitted(throttle, Requests.from("192.0.2.1", "Key", "right"));
  }

  @Test
  void anExceptionIsAFailureToo() {
    Authenticator throwing = new Throttle(
        request -> {
          throw Refusals.wrong();
        },
        clock);
    for (int i = 0; i < Throttle.FREE; i++) {
      assertThat(Requests.status(throwing, Requests.with())).isEqualTo(401);
    }
    assertThat(Requests.status(throwing, Requests.with())).isEqualTo(429);
  }

  @Test
  void afterTheFreeFailuresAttemptsAreNotMadeInParallel() {
    List<CompletableFuture<@Nullable Principal>> open = new ArrayList<>();
    Authenticator slow = new Throttle(
        request -> {
          CompletableFuture<@Nullable Principal> attempt = new CompletableFuture<>();
          open.add(attempt);
          return attempt;
        },
        clock);
    for (int i = 0; i < Throttle.FREE; i++) {
      slow.authenticate(Requests.with());
    }
    open.forEach(each -> each.completeExceptionally(Refusals.wrong()));
    clock.advance(Duration.ofSeconds(1));
    for (int i = 1; i <= 3; i++) {
      assertThat(slow.authenticate(Requests.with()).toCompletableFuture()).isNotDone();
      assertThat(Requests.status(slow, Requests.with())).isEqualTo(429);
      assertThat(slow.authenticate(Requests.from("192.0.2.2")).toCompletableFuture())
          .isNotDone();
      open.forEach(each -> each.completeExceptionally(Refusals.wrong()));
      assertThat(Requests.status(slow, Requests.with())).isEqualTo(429);
      clock.advance(Duration.ofSeconds(1L << i));
    }
    slow.authenticate(Requests.with()); // never ends
    assertThat(Requests.status(slow, Requests.with())).isEqualTo(429);
    clock.advance(Duration.ofMinutes(1));
    assertThat(slow.authenticate(Requests.with()).toCompletableFuture()).isNotDone();
  }

  @Test
  void theTableOfAddressesIsBounded() {
    for (int i = 0; i < Throttle.ADDRESSES + 10_000; i++) {
      String address = "10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255);
      throttle.authenticate(Requests.from(address, "Key", "x"));
    }
    assertThat(((Throttle) throttle).size()).isLessThanOrEqualTo(Throttle.ADDRESSES);
  }
}
