package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstOfTest {
  private static final Principal ALICE = new Principal("alice", Set.of(), Set.of(), "key");
  private static final Authenticator NONE = request -> CompletableFuture.completedStage(null);
  private static final Authenticator FOUND = request -> CompletableFuture.completedStage(ALICE);
  private static final Authenticator WRONG = request -> Refusals.refuse(Refusals.wrong());
  private static final Authenticator DOWN = request -> Refusals.refuse(Refusals.unavailable());
  private static final Authenticator BROKEN = request -> {
    throw new IllegalStateException("broken");
  };

  @TempDir
  Path folder;

  private static final Credentials REQUEST = Requests.with();

  private static Authenticator later(Authenticator authenticator) {
    return request -> CompletableFuture.<@Nullable Principal>supplyAsync(() -> null)
        .thenCompose(none -> authenticator.authenticate(request));
  }

  @Test
  void theFirstThatKnowsTheCallerDecides() {
    for (Authenticator other : List.of(NONE, WRONG, DOWN, BROKEN)) {
      for (Authenticator before : List.of(other, later(other))) {
        assertThat(Requests.admitted(Authenticators.anyOf(before, FOUND), REQUEST))
            .isEqualTo(ALICE);
        assertThat(Requests.admitted(Authenticators.anyOf(before, later(FOUND)), REQUEST))
            .isEqualTo(ALICE);
      }
    }
  }

  @Test
  void aWrongPasswordIsNotReplacedByAnotherProof() throws Exception {
    Path users = folder.resolve("users");
    new PasswordFile(users).put("alice", "secret".toCharArray(), Set.of("admin"));
    Path keys = folder.resolve("keys");
    String key = new KeyFile(keys).add("mallory", Set.of());
    Attribute<String> user = Attribute.named("user of the connection");
    Authenticator connection = Authenticators.attribute(user, name -> ALICE);
    Authenticator basic = Authenticators.basic(users);
    for (Authenticator other : List.of(Authenticators.apiKey("X-Key", keys), connection)) {
      Authenticator throttled =
          Authenticators.throttled(Authenticators.anyOf(Authenticators.anyOf(basic), other));
      for (int i = 0; i < Throttle.FREE; i++) {
        Credentials guess =
            Requests.with("X-Key", key, "Authorization", Requests.basic("alice", "guess " + i));
        guess = new Credentials(guess.channel(), guess.attributes().with(user, "mallory"));
        assertThat(Requests.status(throttled, guess)).isEqualTo(401);
      }
      assertThat(Requests.status(throttled, Requests.with("X-Key", key))).isEqualTo(429);
    }
  }

  @Test
  void oneFieldMayHaveCredentialsOfSeveralKinds() throws Exception {
    Path one = folder.resolve("one");
    Path two = folder.resolve("two");
    new KeyFile(one).add("alice", Set.of());
    String key = new KeyFile(two).add("bob", Set.of());
    Authenticator both =
        Authenticators.anyOf(Authenticators.bearer(one), Authenticators.bearer(two));
    assertThat(Requests.admitted(both, Requests.bearer(key)).name()).isEqualTo("bob");
    assertThat(Requests.status(both, Requests.bearer("x"))).isEqualTo(401);
  }

  @Test
  void withoutCredentialsThereIsNoPrincipal() {
    assertThat(Requests.found(Authenticators.anyOf(NONE, later(NONE)), REQUEST)).isNull();
    assertThat(Requests.found(Authenticators.anyOf(), REQUEST)).isNull();
  }

  @Test
  void anOutageIsMoreThanARefusal() {
    assertThat(Requests.status(Authenticators.anyOf(NONE, WRONG, NONE), REQUEST))
        .isEqualTo(401);
    assertThat(Requests.status(Authenticators.anyOf(DOWN, later(WRONG)), REQUEST))
        .isEqualTo(503);
    assertThat(Requests.status(Authenticators.anyOf(later(WRONG), DOWN), REQUEST))
        .isEqualTo(503);
  }

  @Test
  void attributesOfTheTransportAreProofs() {
    Attribute<String> key = Attribute.named("name of the SSH key");
    Authenticator ssh = Authenticators.attribute(
        key, name -> name.equals("alice") ? new Principal(name, Set.of(), Set.of(), "ssh") : null);
    ChannelInfo channel = new ChannelInfo("ssh", "", "lines");
    assertThat(Requests.admitted(ssh, new Credentials(channel, Attributes.of(key, "alice")))
            .name())
        .isEqualTo("alice");
    assertThat(Requests.status(ssh, new Credentials(channel, Attributes.of(key, "bob"))))
        .isEqualTo(401);
    assertThat(Requests.found(ssh, new Credentials(channel, Attributes.NONE))).isNull();
  }

  @Test
  void theChallengesAreThoseOfAllWithoutRepetition() {
    Authenticator bearer = new Authenticator() {
      @Override
      public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
        return NONE.authenticate(credentials);
      }

      @Override
      public List<String> challenges() {
        return List.of("Bearer");
      }
    };
    assertThat(Authenticators.anyOf(bearer, NONE, bearer).challenges()).containsExactly("Bearer");
  }
}
