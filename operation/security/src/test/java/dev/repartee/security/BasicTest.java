package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BasicTest {
  /** From the manual of Apache httpd, "Password Formats". */
  static final String APACHE = "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC";

  @TempDir
  Path folder;

  private final FakeClock clock = new FakeClock();

  private Path file(String... lines) throws Exception {
    return Files.write(folder.resolve("users"), List.of(lines));
  }

  private Basic basic(String... lines) throws Exception {
    return new Basic(file(lines), clock);
  }

  private static Credentials login(String name, String password) {
    return login("192.0.2.1", name, password);
  }

  private static Credentials login(String address, String name, String password) {
    return Requests.from(address, "Authorization", Requests.basic(name, password));
  }

  @Test
  void aFileOfHtpasswdIsUnderstood() throws Exception {
    Authenticator basic = basic("# users", "", "myName:" + APACHE);
    assertThat(Requests.admitted(basic, login("myName", "myPassword")))
        .isEqualTo(new Principal("myName", Set.of(), Set.of(), "basic"));
    assertThat(Requests.status(basic, login("myName", "mypassword"))).isEqualTo(401);
    assertThat(basic.challenges()).containsExactly("Basic realm=\"repartee\", charset=\"UTF-8\"");
  }

  @Test
  void aThirdFieldHasTheRoles() throws Exception {
    Authenticator basic = basic("a:" + APACHE + ": admin, user");
    assertThat(Requests.admitted(basic, login("a", "myPassword")).roles())
        .containsExactlyInAnyOrder("admin", "user");
  }

  @Test
  void aWrittenPasswordIsAccepted() throws Exception {
    Path path = folder.resolve("written");
    PasswordFile file = new PasswordFile(path);
    file.put("änne", "schlüssel: 1".toCharArray(), Set.of("user"));
    file.put("bob", "b".toCharArray(), Set.of());
    assertThat(Files.readString(path)).contains("$2y$").doesNotContain("schl");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    Authenticator basic = new Basic(path, clock);
    assertThat(Requests.admitted(basic, login("änne", "schlüssel: 1")).roles())
        .containsExactly("user");
    assertThat(file.remove("bob")).isTrue();
    assertThat(file.remove("bob")).isFalse();
    clock.advance(Duration.ofSeconds(1));
    assertThat(Requests.status(basic, login("bob", "b"))).isEqualTo(401);
  }

  @Test
  void unknownUsersAndMalformedFieldsGetTheSameRefusal() throws Exception {
    Authenticator basic = basic("a:" + APACHE);
    assertThat(Requests.status(basic, login("b", "myPassword"))).isEqualTo(401);
    assertThat(Requests.status(basic, login("a", ""))).isEqualTo(401);
    assertThat(Requests.status(basic, login("a", "x".repeat(73)))).isEqualTo(401);
    assertThat(Requests.status(basic, login("a", "myPassword\0"))).isEqualTo(401);
    for (String field : List.of("Basic", "Basic ", "Basic !", "Basic YQ==", "Basic /w==")) {
      Credentials request = Requests.with("Authorization", field);
      if (field.equals("Basic")) {
        assertThat(Requests.found(basic, request)).isNull();
      } else {
        assertThat(Requests.status(basic, request)).as(field).isEqualTo(401);
      }
    }
    assertThat(Requests.found(basic, Requests.with())).isNull();
    assertThat(Requests.found(basic, Requests.bearer("a"))).isNull();
  }

  @Test
  void anEmptyFileAdmitsNobody() throws Exception {
    assertThat(Requests.status(basic(), login("a", "b"))).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "secret",
        "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=",
        "$apr1$7c4MEUeO$XkPtrpWRTgLE3jyo81BIk/",
        "rqXexS6ZhobKA",
        "$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9A",
        ""
      })
  void otherHashesAreRefused(String hash) throws Exception {
    Path path = file("a:" + APACHE, "b:" + hash);
    assertThatThrownBy(() -> Authenticators.basic(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line 2 of " + path)
        .hasMessageContaining("bcrypt")
        .hasMessageNotContaining(hash.isEmpty() ? "\0" : "'" + hash);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", ":", ":x", "a\u0001:x"})
  void malformedLinesAreRefused(String line) throws Exception {
    Path path = file(line);
    assertThatThrownBy(() -> Authenticators.basic(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line 1 of " + path);
  }

  @Test
  void twoLinesWithOneNameAreRefused() throws Exception {
    Path path = file("a:" + APACHE, "a:" + APACHE + ":admin");
    assertThatThrownBy(() -> Authenticators.basic(path)).hasMessageContaining("line 2 of ");
  }

  @Test
  void namesAndRolesThatBreakALineCannotBeWritten() {
    PasswordFile file = new PasswordFile(folder.resolve("users"));
    for (String name : List.of("", "a:b", "a\nb:x", "#a")) {
      assertThatThrownBy(() -> file.put(name, new char[] {'x'}, Set.of()))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (String role : List.of("", "a:b", "a,b", "a\n", "*")) {
      assertThatThrownBy(() -> file.put("a", new char[] {'x'}, Set.of(role)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> file.put("a", "x".repeat(73).toCharArray(), Set.of()))
        .hasMessageContaining("72");
  }

  @Test
  void aVerifiedPasswordIsRememberedUntilItsLineChanges() throws Exception {
    Path path = folder.resolve("written");
    PasswordFile file = new PasswordFile(path);
    file.put("a", "old".toCharArray(), Set.of());
    Authenticator basic = new Basic(path, clock);
    Requests.admitted(basic, login("a", "old"));
    assertThat(basic.authenticate(login("a", "old")).toCompletableFuture()).isCompleted();

    file.put("a", "new".toCharArray(), Set.of());
    clock.advance(Duration.ofSeconds(1));
    assertThat(Requests.status(basic, login("a", "old"))).isEqualTo(401);
    Requests.admitted(basic, login("a", "new"));
  }

  @Test
  void aRememberedPasswordIsCheckedAgainAfterFiveMinutes() throws Exception {
    Queue<Runnable> checks = new ArrayDeque<>();
    Authenticator basic = new Basic(file("a:" + APACHE), clock, checks::add);
    basic.authenticate(login("a", "myPassword"));
    checks.remove().run();
    Requests.admitted(basic, login("a", "myPassword"));
    clock.advance(Duration.ofMinutes(5));
    basic.authenticate(login("a", "myPassword"));
    assertThat(checks).hasSize(1);
  }

  @Test
  void anInvalidChangeKeepsTheContentBefore() throws Exception {
    Basic basic = basic("a:" + APACHE);
    file("a:plain");
    clock.advance(Duration.ofSeconds(1));
    Requests.admitted(basic, login("a", "myPassword"));
    Files.delete(folder.resolve("users"));
    clock.advance(Duration.ofSeconds(1));
    Requests.admitted(basic, login("a", "myPassword"));
    file("b:" + APACHE);
    clock.advance(Duration.ofSeconds(1));
    assertThat(Requests.status(basic, login("a", "myPassword"))).isEqualTo(401);
  }

  @Test
  void aUserWhoIsRemovedDuringTheCheckIsRefused() throws Exception {
    Path file = folder.resolve("users");
    new PasswordFile(file).put("alice", "one".toCharArray(), Set.of("admin"));
    Queue<Runnable> checks = new ArrayDeque<>();
    Authenticator basic = new Basic(file, clock, checks::add);
    var first = basic.authenticate(login("alice", "one")).toCompletableFuture();
    Files.writeString(file, "");
    clock.advance(Duration.ofSeconds(1));
    var joined = basic.authenticate(login("alice", "one")).toCompletableFuture();
    checks.remove().run();
    assertThatThrownBy(first::join).hasCause(Refusals.wrong());
    assertThatThrownBy(joined::join).hasCause(Refusals.wrong());

    new PasswordFile(file).put("alice", "one".toCharArray(), Set.of("admin"));
    clock.advance(Duration.ofSeconds(1));
    var changed = basic.authenticate(login("alice", "one")).toCompletableFuture();
    Files.writeString(file, Files.readString(file).replace("admin", "guest"));
    clock.advance(Duration.ofSeconds(1));
    checks.remove().run();
    assertThat(changed.join().roles()).containsExactly("guest");
  }

  @Test
  void oneAddressHasABoundedNumberOfChecks() throws Exception {
    Queue<Runnable> checks = new ArrayDeque<>();
    Basic basic = new Basic(file("a:" + APACHE), clock, checks::add);
    List<CompletableFuture<@Nullable Principal>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(basic.authenticate(login("a", "guess " + i)).toCompletableFuture());
    }
    CompletionStage<@Nullable Principal> other =
        basic.authenticate(login("198.51.100.1", "a", "another guess"));
    assertThat(all.stream().filter(BasicTest::isLimited)).hasSize(100 - Checks.EACH);
    assertThat(isLimited(other.toCompletableFuture())).isFalse();
    checks.forEach(Runnable::run);
    all.forEach(each -> assertThat(each.handle((found, failure) -> failure).join())
        .isInstanceOf(RuntimeException.class));
  }

  private static boolean isLimited(CompletableFuture<@Nullable Principal> check) {
    if (!check.isCompletedExceptionally()) {
      return false;
    }
    try {
      check.join();
      return false;
    } catch (CompletionException e) {
      return e.getCause() instanceof dev.repartee.access.AccessException refusal
          && refusal.status() == 429;
    }
  }

  @Test
  void equalChecksAreShared() throws Exception {
    Basic basic = basic("a:" + APACHE);
    List<CompletableFuture<@Nullable Principal>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(basic.authenticate(login("a", "myPassword")).toCompletableFuture());
    }
    all.forEach(each -> assertThat(each.join()).isNotNull());
  }
}
