package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.OctetSequenceKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JwtTest {
  private static final String ISSUER = "https://login.example";
  private static final String AUDIENCE = "https://api.example";
  /** Keys for all tests: to generate one needs seconds of CPU time. */
  static final RSAKey RSA = rsa("first", 2_048);

  private static final RSAKey OTHER = rsa("first", 2_048);

  /** The key of {@link #OTHER}, under another name. */
  static final RSAKey SECOND = new RSAKey.Builder(OTHER).keyID("second").build();

  @TempDir
  Path folder;

  private final FakeClock clock = new FakeClock();
  private Instant now = Instant.parse("2026-06-01T12:00:00Z");
  private Path keys;

  @BeforeEach
  void writeTheKeys() throws Exception {
    keys = folder.resolve("jwks.json");
    write(RSA);
  }

  private static RSAKey rsa(String id, int bits) {
    try {
      return new RSAKeyGenerator(bits, true).keyID(id).generate();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void write(JWK... set) throws Exception {
    Files.writeString(keys, new JWKSet(List.of(set)).toString(true));
  }

  private Jwt.Builder settings() {
    return Jwt.builder()
        .issuer(ISSUER)
        .audience(AUDIENCE, "other name")
        .keys(keys)
        .clocks(clock, () -> now);
  }

  private Authenticator jwt() throws Exception {
    return Authenticators.jwt(settings().build());
  }

  private JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer(ISSUER)
        .audience(AUDIENCE)
        .subject("alice")
        .expirationTime(Date.from(now.plusSeconds(300)));
  }

  private static JWSHeader.Builder header() {
    return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("first");
  }

  private static String sign(JWSHeader header, JWTClaimsSet claims, JWSSigner signer)
      throws Exception {
    SignedJWT jwt = new SignedJWT(header, claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  private static String token(JWTClaimsSet.Builder claims) throws Exception {
    return sign(header().build(), claims.build(), new RSASSASigner(RSA));
  }

  private int status(String token) throws Exception {
    return Requests.status(jwt(), Requests.bearer(token));
  }

  private Principal admitted(String token) throws Exception {
    return Requests.admitted(jwt(), Requests.bearer(token));
  }

  @Test
  void aValidTokenIsAccepted() throws Exception {
    String token =
        token(claims().claim("scope", "read write").claim("roles", List.of("admin", "user")));
    assertThat(admitted(token))
        .isEqualTo(new Principal(
            ISSUER + "#alice", Set.of("admin", "user"), Set.of("read", "write"), "jwt"));
    assertThat(jwt().challenges()).containsExactly("Bearer realm=\"repartee\"");
  }

  @Test
  void theChallengeNamesTheMetadata() throws Exception {
    URI metadata = URI.create("https://api.example/.well-known/oauth-protected-resource");
    assertThat(Authenticators.jwt(settings().resourceMetadata(metadata).build()).challenges())
        .containsExactly("Bearer realm=\"repartee\", resource_metadata=\"" + metadata + "\"");
  }

  @Test
  void rolesScopesAndNamesAreFoundWhereTheIssuerPutsThem() throws Exception {
    String token = token(claims()
        .claim("scp", List.of("a", "b"))
        .claim("preferred_username", "al")
        .claim("realm_access", Map.of("roles", List.of("admin"))));
    Authenticator jwt = Authenticators.jwt(
        settings().roles("realm_access", "roles").name("preferred_username").build());
    assertThat(Requests.admitted(jwt, Requests.bearer(token)))
        .isEqualTo(new Principal("al", Set.of("admin"), Set.of("a", "b"), "jwt"));
    assertThat(Requests.status(jwt, Requests.bearer(token(claims())))).isEqualTo(401);
    assertThat(
            admitted(token(claims().subject(null).claim("client_id", "shop"))).name())
        .isEqualTo(ISSUER + "?client:shop");
    assertThat(status(token(claims().subject(null)))).isEqualTo(401);
    assertThat(status(token(claims().subject("")))).isEqualTo(401);
  }

  @Test
  void oneOfSeveralAudiencesSuffices() throws Exception {
    admitted(token(claims().audience(List.of("x", "other name"))));
    assertThat(status(token(claims().audience("https://api.example/")))).isEqualTo(401);
    assertThat(status(token(claims().audience(List.of())))).isEqualTo(401);
    assertThat(status(token(claims().audience((String) null)))).isEqualTo(401);
  }

  @Test
  void anAudienceMayContainValuesThatAreNoStrings() throws Exception {
    String text = "{\"iss\":\"" + ISSUER + "\",\"sub\":\"a\",\"exp\":9999999999,\"aud\":";
    String header = "{\"alg\":\"RS256\",\"kid\":\"first\"}";
    admitted(raw(header, text + "[null,1,[],\"" + AUDIENCE + "\"]}"));
    for (String other : List.of("[null]", "[1,true]", "[[\"" + AUDIENCE + "\"]]", "{}", "1")) {
      assertThat(status(raw(header, text + other + "}"))).as(other).isEqualTo(401);
    }
  }

  @Test
  void aSubjectIsNeverTheNameOfAClient() throws Exception {
    String client =
        admitted(token(claims().subject(null).claim("client_id", "shop"))).name();
    for (String subject : List.of("client:shop", "#client:shop", "shop")) {
      assertThat(admitted(token(claims().subject(subject))).name()).isNotEqualTo(client);
    }
  }

  @Test
  void otherIssuersAreRefused() throws Exception {
    assertThat(status(token(claims().issuer(ISSUER + "/")))).isEqualTo(401);
    assertThat(status(token(claims().issuer(null)))).isEqualTo(401);
  }

  @Test
  void clocksMayDifferByAMinute() throws Exception {
    admitted(token(claims().expirationTime(Date.from(now.minusSeconds(59)))));
    assertThat(status(token(claims().expirationTime(Date.from(now.minusSeconds(60))))))
        .isEqualTo(401);
    admitted(token(claims().notBeforeTime(Date.from(now.plusSeconds(60)))));
    assertThat(status(token(claims().notBeforeTime(Date.from(now.plusSeconds(61))))))
        .isEqualTo(401);
  }

  @Test
  void connectionsEndWithTheTokenIfThatIsSet() throws Exception {
    String token = token(claims());
    assertThat(admitted(token).expires()).isNull();
    Authenticator ending = Authenticators.jwt(settings().endConnections().build());
    assertThat(Requests.admitted(ending, Requests.bearer(token)).expires())
        .isEqualTo(now.plusSeconds(360));
  }

  @Test
  void aTokenWithoutAnEndIsRefused() throws Exception {
    assertThat(status(token(claims().expirationTime(null)))).isEqualTo(401);
    String text = "{\"iss\":\"" + ISSUER + "\",\"aud\":\"" + AUDIENCE + "\",\"sub\":\"a\",\"exp\":";
    for (String end : List.of("null", "\"9999999999\"", "true", "[]", "1e400", "-1e400")) {
      assertThat(status(raw("{\"alg\":\"RS256\",\"kid\":\"first\"}", text + end + "}")))
          .isEqualTo(401);
    }
    admitted(raw("{\"alg\":\"RS256\",\"kid\":\"first\"}", text + "9999999999.5}"));
  }

  /** Returns a token of any header and payload, signed with RS256 by the first key. */
  private static String raw(String header, String payload) throws Exception {
    String input = Base64URL.encode(header) + "." + Base64URL.encode(payload);
    java.security.Signature signature = java.security.Signature.getInstance("SHA256withRSA");
    signature.initSign(RSA.toPrivateKey());
    signature.update(input.getBytes(UTF_8));
    return input + "." + Base64URL.encode(signature.sign());
  }

  @Test
  void aRememberedTokenEndsToo() throws Exception {
    Authenticator jwt = jwt();
    String token = token(claims());
    Requests.admitted(jwt, Requests.bearer(token));
    Requests.admitted(jwt, Requests.bearer(token));
    now = now.plusSeconds(359);
    Requests.admitted(jwt, Requests.bearer(token));
    now = now.plusSeconds(1);
    assertThat(Requests.status(jwt, Requests.bearer(token))).isEqualTo(401);
  }

  @Test
  void aRememberedTokenIsRefusedWhenItsKeyIsRemoved() throws Exception {
    Authenticator jwt = jwt();
    String token = token(claims());
    Requests.admitted(jwt, Requests.bearer(token));
    write(OTHER);
    clock.advance(Duration.ofSeconds(1));
    assertThat(Requests.status(jwt, Requests.bearer(token))).isEqualTo(401);
  }

  @Test
  void aSignatureByAnotherKeyIsRefused() throws Exception {
    assertThat(status(sign(header().build(), claims().build(), new RSASSASigner(OTHER))))
        .isEqualTo(401);
    String token = token(claims());
    String[] parts = token.split("\\.");
    String admin = Base64URL.encode(
            claims().claim("roles", List.of("admin")).build().toString())
        .toString();
    assertThat(status(parts[0] + "." + admin + "." + parts[2])).isEqualTo(401);
    assertThat(status(parts[0] + "." + parts[1] + ".")).isEqualTo(401);
    assertThat(status(parts[0] + "." + parts[1])).isEqualTo(401);
    admitted(token);
  }

  @Test
  void tokensWithoutASignatureAreRefused() throws Exception {
    assertThat(status(new PlainJWT(claims().build()).serialize())).isEqualTo(401);
    String payload = claims().build().toString();
    for (String algorithm : List.of("none", "None", "NONE", "nOnE", "")) {
      String header = "{\"alg\":\"" + algorithm + "\",\"kid\":\"first\"}";
      assertThat(status(raw(header, payload))).as(algorithm).isEqualTo(401);
      assertThat(status(Base64URL.encode(header) + "." + Base64URL.encode(payload) + "."))
          .isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HS256", "HS384", "HS512"})
  void aPublicKeyIsNoSharedSecret(String algorithm) throws Exception {
    String pem = "-----BEGIN PUBLIC KEY-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'})
            .encodeToString(RSA.toPublicKey().getEncoded())
        + "\n-----END PUBLIC KEY-----\n";
    for (byte[] secret : List.of(
        pem.getBytes(UTF_8),
        RSA.toPublicKey().getEncoded(),
        RSA.toPublicJWK().toJSONString().getBytes(UTF_8),
        RSA.getModulus().decode())) {
      JWSHeader header =
          new JWSHeader.Builder(JWSAlgorithm.parse(algorithm)).keyID("first").build();
      assertThat(status(sign(header, claims().build(), new MACSigner(secret)))).isEqualTo(401);
    }
  }

  @Test
  void aSharedSecretInTheSetIsNoKey() throws Exception {
    OctetSequenceKey secret = new OctetSequenceKeyGenerator(256).keyID("secret").generate();
    Files.writeString(keys, new JWKSet(List.of(RSA, secret)).toString(false));
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("secret").build();
    assertThat(status(sign(header, claims().build(), new MACSigner(secret)))).isEqualTo(401);
    admitted(token(claims()));
  }

  @Test
  void keysInAndBesideTheTokenAreIgnored() throws Exception {
    URI theirs = URI.create("http://127.0.0.1:1/jwks");
    for (Consumer<JWSHeader.Builder> change : List.<Consumer<JWSHeader.Builder>>of(
        header -> header.jwk(OTHER.toPublicJWK()),
        header -> header.jwkURL(theirs),
        header -> header.x509CertURL(theirs),
        header -> header.jwk(OTHER.toPublicJWK()).keyID(null))) {
      JWSHeader.Builder header = header();
      change.accept(header);
      assertThat(status(sign(header.build(), claims().build(), new RSASSASigner(OTHER))))
          .isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unknown",
        "../../../../dev/null",
        "/dev/zero",
        "' OR '1'='1",
        "first\u0000",
        "${jndi:ldap://127.0.0.1/a}",
        "http://127.0.0.1:1/key",
        "FIRST",
        ""
      })
  void aKeyIdIsOnlyCompared(String id) throws Exception {
    JWSHeader header = header().keyID(id).build();
    assertThat(status(sign(header, claims().build(), new RSASSASigner(RSA)))).isEqualTo(401);
  }

  @Test
  void aTokenWithoutKeyIdIsTriedWithTheKeysOfItsType() throws Exception {
    write(OTHER, RSA);
    admitted(sign(header().keyID(null).build(), claims().build(), new RSASSASigner(RSA)));
  }

  @Test
  void onlyListedAlgorithmsAreAccepted() throws Exception {
    ECKey ec = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
    write(RSA, ec);
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("ec").build();
    String token = sign(header, claims().build(), new ECDSASigner(ec));
    admitted(token);
    Authenticator onlyRsa = Authenticators.jwt(settings().algorithms("RS256").build());
    assertThat(Requests.status(onlyRsa, Requests.bearer(token))).isEqualTo(401);
    assertThat(status(sign(
            new JWSHeader.Builder(JWSAlgorithm.RS512).keyID("first").build(),
            claims().build(),
            new RSASSASigner(RSA))))
        .isEqualTo(401);
    for (String algorithm : List.of("none", "HS256", "EdDSA", "rs256", "")) {
      assertThatThrownBy(() -> Jwt.builder().algorithms(algorithm))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("RS256");
    }
  }

  @Test
  void theEllipticCurveOfTheKeyMustFit() throws Exception {
    ECKey ec = new ECKeyGenerator(Curve.P_384).keyID("ec").generate();
    write(ec);
    Authenticator jwt =
        Authenticators.jwt(settings().algorithms("ES256", "RS256").build());
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("ec").build();
    ECKey small = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
    String token = sign(header, claims().build(), new ECDSASigner(small));
    assertThat(Requests.status(jwt, Requests.bearer(token))).isEqualTo(401);
    // CVE-2022-21449: a signature of zeros
    String zeros = token.substring(0, token.lastIndexOf('.') + 1) + Base64URL.encode(new byte[64]);
    write(small);
    assertThat(Requests.status(jwt(), Requests.bearer(zeros))).isEqualTo(401);
  }

  @Test
  void aKeyIsUsedForItsPurposeOnly() throws Exception {
    write(new RSAKey.Builder(RSA).keyUse(KeyUse.ENCRYPTION).build(), OTHER);
    assertThat(status(token(claims()))).isEqualTo(401);
    write(new RSAKey.Builder(RSA).algorithm(JWSAlgorithm.PS256).build());
    assertThat(status(token(claims()))).isEqualTo(401);
  }

  @Test
  void weakKeysAndSetsWithoutKeysAreRefused() throws Exception {
    write(rsa("weak", 1_024));
    assertThatThrownBy(this::jwt)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(keys.toString())
        .hasMessageContaining("2048");
    for (String text : List.of("", "[]", "{}", "{\"keys\":[{}]}", "{\"keys\":[1,null,\"a\"]}")) {
      Files.writeString(keys, text);
      assertThatThrownBy(this::jwt).isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** A check with such a key takes a tenth of a second on a thread that reads connections. */
  @Test
  void keysWithLargeExponentsAreRefused() throws Exception {
    java.math.BigInteger large = java.math.BigInteger.ONE.shiftLeft(2_000).setBit(0);
    write(new RSAKey.Builder(RSA.getModulus(), Base64URL.encode(large))
        .keyID("first")
        .build());
    assertThatThrownBy(this::jwt).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keysThatHaveLeftTheSetOccupyNoMemory() throws Exception {
    Authenticator jwt = jwt();
    String token = token(claims());
    Requests.admitted(jwt, Requests.bearer(token));
    for (JWK other : List.of(OTHER, SECOND)) {
      write(RSA, other);
      clock.advance(Duration.ofSeconds(1));
      Requests.admitted(jwt, Requests.bearer(token(claims().jwtID(other.getKeyID()))));
      assertThat(((JwtAuthenticator) jwt).remembered()).isEqualTo(1);
    }
  }

  @Test
  void anInvalidKeyDoesNotHideTheOthers() throws Exception {
    Files.writeString(
        keys,
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"!\"},{\"kty\":\"new\"}," + RSA.toPublicJWK()
            + ",{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}]}");
    admitted(token(claims()));
  }

  @Test
  void largeTokensAreRefused() throws Exception {
    assertThat(status("x".repeat(100_000))).isEqualTo(401);
    assertThat(status(token(claims().claim("x", "x".repeat(13_000))))).isEqualTo(401);
    admitted(token(claims().claim("x", "x".repeat(8_000))));
  }

  @Test
  void deepAndBrokenTokensAreRefused() throws Exception {
    String deep = "{\"a\":".repeat(1_500) + "1" + "}".repeat(1_500);
    assertThat(status(raw("{\"alg\":\"RS256\",\"kid\":\"first\"}", deep))).isEqualTo(401);
    assertThat(status(raw(deep, "{}"))).isEqualTo(401);
    assertThat(status(raw("[".repeat(4_000), "{}"))).isEqualTo(401);
    assertThat(status(raw("{\"alg\":\"RS256\",\"kid\":\"first\"}", "[]"))).isEqualTo(401);
    assertThat(status(raw("{\"alg\":\"RS256\",\"kid\":\"first\"}", ""))).isEqualTo(401);
    for (String token :
        List.of("", "a", "..", "a.b.c", "....", "\u00e4.\u00e4.\u00e4", "a.b.c.d.e")) {
      assertThat(status(token)).as(token).isEqualTo(401);
    }
  }

  @Test
  void unknownExtensionsAreRefused() throws Exception {
    String payload = claims().build().toString();
    assertThat(
            status(raw("{\"alg\":\"RS256\",\"kid\":\"first\",\"crit\":[\"x\"],\"x\":1}", payload)))
        .isEqualTo(401);
    assertThat(status(
            raw("{\"alg\":\"RS256\",\"kid\":\"first\",\"crit\":[\"b64\"],\"b64\":false}", payload)))
        .isEqualTo(401);
  }

  @Test
  void onlyAccessTokensAreAccepted() throws Exception {
    for (String type : List.of("at+jwt", "JWT", "application/at+JWT")) {
      admitted(sign(
          header().type(new JOSEObjectType(type)).build(),
          claims().build(),
          new RSASSASigner(RSA)));
    }
    for (String type : List.of("dpop+jwt", "logout+jwt", "secevent+jwt")) {
      assertThat(status(sign(
              header().type(new JOSEObjectType(type)).build(),
              claims().build(),
              new RSASSASigner(RSA))))
          .isEqualTo(401);
    }
  }

  @Test
  void aBoundTokenNeedsItsCertificate() throws Exception {
    var shown = Certs.issued("CN=client");
    var other = Certs.issued("CN=client");
    String digest = Base64URL.encode(
            java.security.MessageDigest.getInstance("SHA-256").digest(shown.getEncoded()))
        .toString();
    String token = token(claims().claim("cnf", Map.of("x5t#S256", digest)));
    Authenticator jwt = jwt();
    assertThat(Requests.status(jwt, Requests.bearer(token))).isEqualTo(401);
    Requests.admitted(jwt, Requests.shown(Requests.bearer(token), shown));
    assertThat(Requests.status(jwt, Requests.shown(Requests.bearer(token), other)))
        .isEqualTo(401);
    assertThat(Requests.status(jwt, Requests.bearer(token))).isEqualTo(401);
    assertThat(status(token(claims().claim("cnf", Map.of("jkt", "x"))))).isEqualTo(401);
    assertThat(status(token(claims().claim("cnf", "x")))).isEqualTo(401);
  }

  @Test
  void incompleteSettingsAreRefused() {
    assertThatThrownBy(() -> Jwt.builder().issuer(ISSUER).keys(keys).build())
        .isInstanceOf(IllegalStateException.class);
    for (String address : List.of(
        "http://login.example/jwks",
        "ftp://login.example/jwks",
        "https://user@login.example/jwks",
        "https://login.example/jwks#a",
        "http://localhost.example/jwks",
        "jwks")) {
      assertThatThrownBy(() -> Jwt.builder().keys(URI.create(address)))
          .as(address)
          .isInstanceOf(IllegalArgumentException.class);
    }
    Jwt.builder().keys(URI.create("http://[::1]:8080/jwks"));
  }
}
