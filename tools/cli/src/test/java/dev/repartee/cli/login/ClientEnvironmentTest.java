package dev.repartee.cli.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.cli.terminal.Failure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The registration in environment variables. */
class ClientEnvironmentTest {
  private final Map<String, String> variables = new HashMap<>();
  private final ClientEnvironment environment = new ClientEnvironment(variables::get);

  @TempDir
  Path folder;

  private void fails(String... parts) {
    assertThatThrownBy(environment::registration)
        .isInstanceOf(Failure.class)
        .message()
        .contains(parts)
        .doesNotContain("s3cret");
  }

  private Path pem(String kind, int bits) throws Exception {
    KeyPairGenerator keys = KeyPairGenerator.getInstance(kind);
    keys.initialize(bits);
    String base64 = Base64.getMimeEncoder()
        .encodeToString(keys.generateKeyPair().getPrivate().getEncoded());
    return Files.writeString(
        folder.resolve("key.pem"),
        "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n");
  }

  @Test
  void withoutAnIdThereIsNoRegistration() {
    variables.put("REPARTEE_CLIENT_ID", "");
    assertThat(environment.registration()).isNull();
    variables.put("REPARTEE_CLIENT_SECRET", "s3cret");
    fails("REPARTEE_CLIENT_SECRET is set, but REPARTEE_CLIENT_ID is not");
  }

  @Test
  void aClientHasASecretOrAKey() {
    variables.put("REPARTEE_CLIENT_ID", "reports");
    assertThat(environment.registration()).isNotNull();
    assertThatThrownBy(() -> environment.requireId("--client-credentials"))
        .hasMessageContaining("--client-credentials needs");
    variables.put("REPARTEE_CLIENT_SECRET", "s3cret");
    assertThat(environment.registration()).hasToString("client reports");
    assertThat(environment.requireId("--client-credentials")).isEqualTo("reports");
    variables.put("REPARTEE_CLIENT_KEY", "key.pem");
    fails("REPARTEE_CLIENT_SECRET or REPARTEE_CLIENT_KEY, not both");
  }

  @ParameterizedTest
  @CsvSource({"EC,256,ES256", "EC,384,ES384", "EC,521,ES512", "RSA,2048,RS256"})
  void theKeyDecidesTheAlgorithm(String kind, int bits, String algorithm) throws Exception {
    assertThat(ClientEnvironment.algorithm(ClientEnvironment.key(pem(kind, bits).toString())))
        .isEqualTo(algorithm);
  }

  @Test
  void aKeyThatCannotBeUsedIsNamed() throws Exception {
    variables.put("REPARTEE_CLIENT_ID", "reports");
    Path file = folder.resolve("key.pem");
    variables.put("REPARTEE_CLIENT_KEY", file.toString());
    fails("there is no file '" + file, "REPARTEE_CLIENT_KEY");
    Files.writeString(file, "-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\n");
    fails(file.toString(), "openssl pkcs8");
    Files.writeString(file, "-----BEGIN PRIVATE KEY-----\nMHcC\n-----END PRIVATE KEY-----\n");
    fails(file.toString(), "holds no key of the kinds EC, RSA");
    variables.put("REPARTEE_CLIENT_KEY", folder.toString());
    fails(folder.toString(), "cannot be read");
  }

  @Test
  void aKeyInPlaceOfItsFileIsNotTold() throws Exception {
    variables.put("REPARTEE_CLIENT_ID", "reports");
    variables.put("REPARTEE_CLIENT_KEY", "-----BEGIN PRIVATE KEY-----s3cret");
    fails("REPARTEE_CLIENT_KEY has a key itself");
    variables.put("REPARTEE_CLIENT_KEY", "s3cret\nlines");
    fails("REPARTEE_CLIENT_KEY has a key itself");
  }
}
