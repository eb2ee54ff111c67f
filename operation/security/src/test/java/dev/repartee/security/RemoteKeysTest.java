package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.internal.FakeClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RemoteKeysTest {
  private static final RSAKey FIRST = JwtTest.RSA;
  private static final RSAKey SECOND = JwtTest.SECOND;

  private final FakeClock clock = new FakeClock();
  private final Instant now = Instant.now();
  private final AtomicInteger requests = new AtomicInteger();

  private HttpServer issuer;

  /** The answer of the issuer. */
  private volatile int status = 200;

  private volatile byte[] body = set(FIRST);

  @BeforeEach
  void start() throws Exception {
    issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    issuer.createContext("/jwks", exchange -> {
      requests.incrementAndGet();
      exchange.getResponseHeaders().set("Location", "/moved");
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    issuer.start();
  }

  @AfterEach
  void stop() {
    issuer.stop(0);
  }

  private static byte[] set(RSAKey... keys) {
    return new JWKSet(List.of(keys)).toString(true).getBytes(UTF_8);
  }

  private Authenticator jwt() throws Exception {
    return Authenticators.jwt(Jwt.builder()
        .issuer("https://login.example")
        .audience("api")
        .keys(URI.create("http://127.0.0.1:" + issuer.getAddress().getPort() + "/jwks"))
        .clocks(clock, () -> now)
        .build());
  }

  private static Credentials unsigned(String id) {
    String header = "{\"alg\":\"RS256\",\"kid\":\"" + id + "\"}";
    return Requests.bearer(Base64URL.encode(header) + ".e30.AAAA");
  }

  private Credentials token(RSAKey key) throws Exception {
    SignedJWT jwt = new SignedJWT(
        new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
        new JWTClaimsSet.Builder()
            .issuer("https://login.example")
            .audience("api")
            .subject("alice")
            .expirationTime(Date.from(now.plusSeconds(36_000)))
            .build());
    jwt.sign(new RSASSASigner(key));
    return Requests.bearer(jwt.serialize());
  }

  private void require503(Authenticator jwt, Credentials token) {
    var refusal = Requests.refused(jwt, token);
    assertThat(refusal.status()).isEqualTo(503);
    assertThat(refusal.headers().get("Retry-After")).isEqualTo("5");
  }

  @Test
  void theKeysAreReadOnceForManyTokens() throws Exception {
    Credentials token = token(FIRST);
    Authenticator jwt = jwt();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(jwt.authenticate(token).toCompletableFuture());
    }
    all.forEach(each -> assertThat(each.join()).isNotNull());
    assertThat(requests).hasValue(1);
  }

  @Test
  void aNewKeyIsFoundAtItsFirstToken() throws Exception {
    Authenticator jwt = jwt();
    Requests.admitted(jwt, token(FIRST));
    body = set(FIRST, SECOND);
    Requests.admitted(jwt, token(SECOND));
    Requests.admitted(jwt, token(FIRST));
    assertThat(requests).hasValue(2);
  }

  @Test
  void unknownKeysCauseOneRequestIn30Seconds() throws Exception {
    Authenticator jwt = jwt();
    Requests.admitted(jwt, token(FIRST));
    for (int i = 0; i < 50; i++) {
      assertThat(Requests.status(jwt, unsigned("made up " + i))).isEqualTo(401);
    }
    assertThat(requests).hasValue(2);
    clock.advance(Duration.ofSeconds(30));
    for (int i = 0; i < 50; i++) {
      assertThat(Requests.status(jwt, unsigned("made up " + i))).isEqualTo(401);
    }
    assertThat(requests).hasValue(3);
  }

  @Test
  void aRemovedKeyIsRefusedAfterFiveMinutes() throws Exception {
    Authenticator jwt = jwt();
    Requests.admitted(jwt, token(FIRST));
    body = set(SECOND);
    Requests.admitted(jwt, token(FIRST));
    clock.advance(RemoteKeys.FRESH);
    Requests.found(jwt, token(FIRST)); // with the keys before, while the new ones are read
    Requests.admitted(jwt, token(SECOND)); // waits for the request under way
    assertThat(Requests.status(jwt, token(FIRST))).isEqualTo(401);
  }

  @Test
  void anOutageAtStartIsTemporary() throws Exception {
    status = 500;
    Authenticator jwt = jwt();
    require503(jwt, token(FIRST));
    require503(jwt, token(FIRST));
    assertThat(requests).hasValue(1);
    status = 200;
    clock.advance(RemoteKeys.RETRY);
    Requests.admitted(jwt, token(FIRST));
  }

  @Test
  void anOutageOfMinutesDoesNotRefuseKnownKeys() throws Exception {
    Authenticator jwt = jwt();
    Requests.admitted(jwt, token(FIRST));
    issuer.stop(0);
    Credentials known = token(FIRST);
    Credentials other = token(SECOND);
    for (int minute = 0; minute < 59; minute++) {
      Requests.admitted(jwt, known);
      require503(jwt, other);
      clock.advance(Duration.ofMinutes(1));
    }
    clock.advance(Duration.ofMinutes(2));
    require503(jwt, known);
  }

  @Test
  void otherAnswersAreAnOutage() throws Exception {
    for (int unexpected : Set.of(204, 301, 404, 500)) {
      status = unexpected;
      body = unexpected == 204 ? new byte[0] : set(FIRST);
      require503(jwt(), token(FIRST));
    }
    status = 200;
    for (String text : List.of("", "no JSON", "{\"keys\":[]}", "[".repeat(100_000))) {
      body = text.getBytes(UTF_8);
      require503(jwt(), token(FIRST));
    }
    body = (new String(set(FIRST), UTF_8) + " ".repeat(1 << 20)).getBytes(UTF_8);
    require503(jwt(), token(FIRST));
  }
}
