package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import dev.repartee.internal.LatestDigest;
import dev.repartee.internal.RepeatedFields;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeysTest {
  @TempDir
  Path folder;

  private Path path() {
    return folder.resolve("keys");
  }

  @Test
  void aKeyIsFoundByItsDigest() throws Exception {
    String key = new KeyFile(path()).add("stock", Set.of("service"));
    assertThat(key).hasSize(43);
    assertThat(Files.readString(path())).startsWith("stock:").doesNotContain(key);
    Authenticator bearer = Authenticators.bearer(path());
    assertThat(Requests.admitted(bearer, Requests.bearer(key)))
        .isEqualTo(new Principal("stock", Set.of("service"), Set.of(), "bearer"));
    assertThat(Requests.admitted(bearer, Requests.with("authorization", "bEARER  " + key))
            .name())
        .isEqualTo("stock");
    assertThat(Requests.status(bearer, Requests.bearer(key + "x"))).isEqualTo(401);
    assertThat(Requests.status(bearer, Requests.bearer(key + ", Bearer " + key)))
        .isEqualTo(401);
    assertThat(Requests.status(bearer, Requests.bearer(""))).isEqualTo(401);
    assertThat(Requests.status(bearer, Requests.bearer("x".repeat(2_000)))).isEqualTo(401);
    assertThat(Requests.found(bearer, Requests.with())).isNull();
    assertThat(bearer.challenges()).containsExactly("Bearer realm=\"repartee\"");
  }

  @Test
  void aKeyIsSentInAnyField() throws Exception {
    String key = new KeyFile(path()).add("stock", Set.of());
    Authenticator keys = Authenticators.apiKey("X-API-Key", path());
    assertThat(Requests.admitted(keys, Requests.with("x-api-key", key)).proof()).isEqualTo("key");
    assertThat(Requests.status(keys, Requests.with("X-API-Key", "wrong"))).isEqualTo(401);
    assertThat(Requests.found(keys, Requests.bearer(key))).isNull();
    assertThatThrownBy(() -> Authenticators.apiKey("X API", path()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aRemovedKeyIsRefusedASecondLater() throws Exception {
    FakeClock clock = new FakeClock();
    KeyFile file = new KeyFile(path());
    String key = file.add("stock", Set.of());
    Authenticator bearer = new Keys("bearer", TokenField.bearer(null), path(), clock);
    Requests.admitted(bearer, Requests.bearer(key));
    String other = file.add("stock", Set.of("new"));
    clock.advance(Duration.ofSeconds(1));
    assertThat(Requests.status(bearer, Requests.bearer(key))).isEqualTo(401);
    assertThat(Requests.admitted(bearer, Requests.bearer(other)).roles()).containsExactly("new");
  }

  /** The header fields of one request on a connection. */
  private static final class Fields extends TreeMap<String, String> implements RepeatedFields {
    private static final long serialVersionUID = 1;
    private final transient LatestDigest latest;

    Fields(LatestDigest latest, String token) {
      super(Map.of("Authorization", "Bearer " + token));
      this.latest = latest;
    }

    @Override
    public LatestDigest latestDigest() {
      return latest;
    }
  }

  private static Credentials request(LatestDigest connection, String token) {
    return new Credentials(
        Requests.bearer(token).channel(),
        Attributes.of(HttpRequest.HEADERS, new Fields(connection, token)));
  }

  @Test
  void aConnectionIsAuthenticatedForEachRequest() throws Exception {
    FakeClock clock = new FakeClock();
    KeyFile file = new KeyFile(path());
    String key = file.add("stock", Set.of());
    Authenticator bearer = new Keys("bearer", TokenField.bearer(null), path(), clock);
    LatestDigest connection = new LatestDigest();
    Credentials request = request(connection, key);
    Credentials another = request(connection, key.replace(key.charAt(0), '.'));
    Requests.admitted(bearer, request);
    Requests.admitted(bearer, request);
    assertThat(Requests.status(bearer, another)).isEqualTo(401);
    assertThat(Requests.status(bearer, another)).isEqualTo(401);
    Requests.admitted(bearer, request);
    file.remove("stock");
    clock.advance(Duration.ofSeconds(1));
    assertThat(Requests.status(bearer, request)).isEqualTo(401);
  }

  @Test
  void aKeyThatIsNoDigestIsRefused() throws Exception {
    Files.writeString(path(), "stock:a-secret-token:service\n");
    assertThatThrownBy(() -> Authenticators.bearer(path()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line 1 of " + path())
        .hasMessageContaining("sha256sum")
        .hasMessageNotContaining("a-secret-token");
  }

  @Test
  void oneKeyOfTwoCallersIsRefused() throws Exception {
    String digest = Digest.of("key").hex();
    Files.writeString(path(), "a:" + digest + "\nb:" + digest + "\n");
    assertThatThrownBy(() -> Authenticators.bearer(path())).hasMessageContaining("line 2 of ");
  }
}
