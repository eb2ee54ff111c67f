package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionsTest extends ServerFixture {
  @TempDir
  Path folder;

  private final FakeClock clock = new FakeClock();

  /** Admits every caller with a name. */
  private static final Authenticator NAMED = request -> {
    String name = request.header("Name");
    return CompletableFuture.completedStage(
        name == null ? null : new Principal(name, Set.of("user"), Set.of("read"), "basic"));
  };

  private static final Authenticator NOBODY = request ->
      CompletableFuture.completedFuture(new Principal("nobody", Set.of(), Set.of(), "none"));

  private Server serve(Sessions sessions) throws Exception {
    return serve(sessions, Authenticators.anyOf(sessions, NAMED, NOBODY));
  }

  private Server serve(Sessions sessions, Authenticator callers) throws Exception {
    Service service = Service.builder()
        .method("login", call -> {
          sessions.login(call);
          return null;
        })
        .method("logout", call -> {
          sessions.logout(call);
          return null;
        })
        .method("who", call -> call.principal().toString())
        .build();
    Options options =
        Options.builder().access(access -> access.authenticator(callers)).build();
    return listen(service, options);
  }

  private Sessions.Builder sessions() {
    return Sessions.builder().clock(clock);
  }

  private static String field(HttpResponse<String> response) {
    return response.headers().firstValue("Set-Cookie").orElseThrow();
  }

  private static String cookie(HttpResponse<String> response) {
    String field = field(response);
    return field.substring(0, field.indexOf(';'));
  }

  private static String login(Server server, String name) throws Exception {
    return cookie(Posts.call(server, "login", "Name", name));
  }

  private static String who(Server server, String cookie) throws Exception {
    return Posts.call(server, "who", "Cookie", cookie, "X-Requested-With", "test")
        .body();
  }

  @Test
  void theCookieIsForThisHostOnly() throws Exception {
    Server server = serve(sessions().build());
    HttpResponse<String> response = Posts.call(server, "login", "Name", "alice");
    assertThat(field(response))
        .matches("__Host-repartee-session=[A-Za-z0-9_-]{43}; Path=/; Max-Age=28800; HttpOnly;"
            + " SameSite=Strict; Secure");
    assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertThat(who(server, cookie(response)))
        .contains("name=alice, roles=[user], scopes=[read], proof=session");
    assertThat(who(server, "a=b; " + cookie(response) + "; c=d")).contains("alice");
  }

  @Test
  void madeUpAndOtherCookiesAreNoSession() throws Exception {
    Server server = serve(sessions().build());
    String cookie = login(server, "alice");
    String id = cookie.substring(cookie.indexOf('=') + 1);
    for (String other : List.of(
        "__Host-repartee-session=" + "A".repeat(43),
        "__Host-repartee-session=",
        "repartee-session=" + id,
        "x__Host-repartee-session=" + id,
        cookie + "x",
        cookie.toUpperCase(),
        "x".repeat(7_000))) {
      assertThat(who(server, other)).as(other).contains("nobody");
    }
  }

  @Test
  void anIdOfTheCallerIsNeverAdopted() throws Exception {
    Server server = serve(sessions().build());
    String planted = "__Host-repartee-session=" + "A".repeat(43);
    String cookie = cookie(Posts.call(server, "login", "Name", "alice", "Cookie", planted));
    assertThat(cookie).isNotEqualTo(planted);
    assertThat(who(server, planted)).contains("nobody");

    String attackers = login(server, "mallory");
    String renewed = cookie(
        Posts.call(server, "login", "Name", "alice", "Cookie", attackers, "X-Requested-With", "x"));
    assertThat(renewed).isNotEqualTo(attackers);
    assertThat(who(server, attackers)).contains("nobody");
  }

  @Test
  void thePasswordOfALoginCountsBeforeTheCookie() throws Exception {
    Path users = folder.resolve("users");
    PasswordFile file = new PasswordFile(users);
    file.put("alice", "one".toCharArray(), Set.of());
    file.put("bob", "two".toCharArray(), Set.of());
    Sessions sessions = sessions().build();
    Server server =
        serve(sessions, Authenticators.anyOf(sessions, Authenticators.basic(users), NOBODY));
    String alice =
        cookie(Posts.call(server, "login", "Authorization", Requests.basic("alice", "one")));
    String[] login = {
      "Cookie", alice, "X-Requested-With", "x", "Authorization", Requests.basic("bob", "two")
    };
    assertThat(who(server, cookie(Posts.call(server, "login", login)))).contains("bob");
    assertThat(who(server, alice)).contains("nobody");
  }

  @Test
  void aLoginWithASessionDoesNotExtendIt() throws Exception {
    Server server = serve(sessions().build());
    String cookie = login(server, "alice");
    for (int i = 0; i < 16; i++) {
      clock.advance(Duration.ofMinutes(29));
      HttpResponse<String> renewed =
          Posts.call(server, "login", "Cookie", cookie, "X-Requested-With", "x");
      assertThat(field(renewed)).contains("Max-Age=" + (8 * 3_600 - (i + 1) * 29 * 60));
      cookie = cookie(renewed);
      assertThat(who(server, cookie)).contains("alice");
    }
    clock.advance(Duration.ofMinutes(16));
    assertThat(who(server, cookie)).contains("nobody");
  }

  /** A page of a neighbouring host can set cookies with any value, but not this cookie. */
  @Test
  void theValueOfAnotherCookieIsNoSession() throws Exception {
    Server server = serve(sessions().build());
    String attackers = login(server, "mallory");
    String cookie = login(server, "alice");
    for (String planted : List.of(
        "a=b," + attackers, "a=b, " + attackers, "a=\"" + attackers + "\"", "=" + attackers)) {
      assertThat(who(server, planted + "; " + cookie)).as(planted).contains("alice");
      assertThat(who(server, planted)).as(planted).contains("nobody");
    }
  }

  @Test
  void logoutEndsTheSession() throws Exception {
    Server server = serve(sessions().build());
    String cookie = login(server, "alice");
    HttpResponse<String> response =
        Posts.call(server, "logout", "Cookie", cookie, "X-Requested-With", "x");
    assertThat(field(response)).startsWith("__Host-repartee-session=; Path=/; Max-Age=0;");
    assertThat(who(server, cookie)).contains("nobody");
  }

  @Test
  void allSessionsOfAPrincipalCanEnd() throws Exception {
    Sessions sessions = sessions().build();
    Server server = serve(sessions);
    String one = login(server, "alice");
    String two = login(server, "alice");
    String bob = login(server, "bob");
    sessions.logout("alice");
    assertThat(who(server, one)).contains("nobody");
    assertThat(who(server, two)).contains("nobody");
    assertThat(who(server, bob)).contains("bob");
  }

  @Test
  void sessionsEndAfterAPauseAndAfterTheirLifetime() throws Exception {
    Server server = serve(sessions().build());
    String idle = login(server, "alice");
    String used = login(server, "bob");
    for (int i = 0; i < 16; i++) {
      clock.advance(Duration.ofMinutes(29));
      assertThat(who(server, used)).contains("bob");
    }
    assertThat(who(server, idle)).contains("nobody");
    clock.advance(Duration.ofMinutes(16));
    assertThat(who(server, used)).contains("nobody");
  }

  @Test
  void aNewSessionReplacesTheOldestOfThePrincipalWithTheMost() throws Exception {
    Server server = serve(sessions().maxSessions(3).build());
    String bob = login(server, "bob");
    String first = login(server, "alice");
    String second = login(server, "alice");
    String third = login(server, "alice");
    assertThat(who(server, bob)).contains("bob");
    assertThat(who(server, first)).contains("nobody");
    assertThat(who(server, second)).contains("alice");
    assertThat(who(server, third)).contains("alice");
    String carol = login(server, "carol");
    assertThat(who(server, second)).contains("nobody");
    assertThat(who(server, carol)).contains("carol");
  }

  @Test
  void endedSessionsMakeRoom() throws Exception {
    Server server = serve(sessions().maxSessions(2).build());
    login(server, "alice");
    login(server, "alice");
    clock.advance(Duration.ofHours(1));
    String bob = login(server, "bob");
    String carol = login(server, "carol");
    assertThat(who(server, bob)).contains("bob");
    assertThat(who(server, carol)).contains("carol");
  }

  /** Returns a request of a page with a cookie and further header fields, names and values. */
  private static Credentials page(String cookie, String... fields) {
    String[] all = new String[fields.length + 4];
    all[0] = "Cookie";
    all[1] = cookie;
    all[2] = "Host";
    all[3] = "shop.example:8443";
    System.arraycopy(fields, 0, all, 4, fields.length);
    return Requests.with(all);
  }

  @Test
  void pagesOfOtherSitesCannotUseTheSession() throws Exception {
    Sessions sessions = sessions().origins("https://www.shop.example").build();
    String cookie = login(serve(sessions), "alice");
    for (String[] fields : new String[][] {
      {"Origin", "https://shop.example:8443"},
      {"Origin", "https://www.shop.example"},
      {"X-Requested-With", "curl"},
      {"Sec-Fetch-Site", "same-origin"},
    }) {
      Requests.admitted(sessions, page(cookie, fields));
    }
    for (String[] fields : new String[][] {
      {},
      {"Origin", "https://evil.example"},
      {"Origin", "null"},
      {"Origin", ""},
      {"Origin", "https://shop.example"},
      {"Origin", "https://shop.example:8443.evil.example"},
      {"Origin", "http://shop.example:8443"},
      {"Origin", "https://evil.example", "X-Requested-With", "x"},
      {"Origin", "https://evil.example", "Sec-Fetch-Site", "same-origin"},
      {"Origin", "https://shop.example:8443, https://evil.example"},
      {"Sec-Fetch-Site", "same-site"},
      {"Sec-Fetch-Site", "none"},
      {"Sec-Fetch-Site", "cross-site"},
    }) {
      assertThat(Requests.status(sessions, page(cookie, fields)))
          .as("%s", (Object) fields)
          .isEqualTo(403);
    }
  }

  @Test
  void aSessionNeedsAPrincipalAndHttp() throws Exception {
    Sessions sessions = sessions().build();
    Service service = Service.builder()
        .method("login", call -> {
          assertThatThrownBy(() -> sessions.login(call)).hasMessageContaining("no principal");
          assertThatThrownBy(
                  () -> sessions.login(call, new Principal("a", Set.of(), Set.of(), "x")))
              .hasMessageContaining("over HTTP");
          return "refused";
        })
        .build();
    try (Server server = Repartee.listen("mem:sessions", service);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.call("login", String.class)).isEqualTo("refused");
    }
  }

  @Test
  void aTestMayUseHttp() throws Exception {
    Sessions sessions = sessions().insecure().build();
    Server server = serve(sessions);
    String cookie = login(server, "alice");
    assertThat(cookie).startsWith("repartee-session=");
    Requests.admitted(sessions, page(cookie, "Origin", "http://shop.example:8443"));
  }
}
