package dev.repartee.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Repartee;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses, options, keys and names. */
class NatsAddressTest {
  private static final String SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

  private static NatsAddress parsed(String uri) {
    return NatsAddress.of(Endpoint.parse(uri));
  }

  @Test
  void hostAndPortHaveDefaults() {
    assertThat(parsed("nats:///math").servers()).containsExactly("127.0.0.1:4222");
    assertThat(parsed("nats://broker/math").servers()).containsExactly("broker:4222");
    assertThat(parsed("nats://[::1]:7/math").servers()).containsExactly("[::1]:7");
  }

  @Test
  void aClusterHasSeveralServers() {
    assertThat(parsed("nats://a,b:7/math").servers()).containsExactly("a:4222", "b:7");
  }

  @Test
  void credentialsAreDecodedAndNotPartOfTheName() {
    NatsAddress address = parsed("nats://al%40ice:p%2Fw+@h/a.b");
    assertThat(address.user()).isEqualTo("al@ice");
    assertThat(address.password()).isEqualTo("p/w+");
    assertThat(address.name()).isEqualTo("h:4222/a.b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nats:math",
        "nats://h",
        "nats://h/",
        "nats://h/a/b",
        "nats://h:0/a",
        "nats://h:99999/a",
        "nats://h/a..b",
        "nats://h/a.*",
        "nats://h/a.%3E",
        "nats://h/a%20b",
        "nats://h/a%",
        "nats://u:p@h,/a?b"
      })
  void anotherFormIsRefusedWithARemedy(String uri) {
    assertThatThrownBy(() -> parsed(uri)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nats://h/a#group=q",
        "nats://h/a#version=1.0.0",
        "nats://u:p@h/a#token-file=x",
        "nats://h/a#password-file=x",
        "nats://h/a#inbox=a..b",
        "nats://h/a#ca=x"
      })
  void optionsThatDoNotFitAreRefused(String uri) {
    assertThatThrownBy(() -> Repartee.connect(uri)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anUnusableFileIsNamedAndItsTextIsNotShown(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("seed"), SEED.replace("SUAC", "SUAD"));
    assertThatThrownBy(() -> Repartee.connect("nats://h/a#nkey=" + file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("checksum")
        .hasMessageNotContaining("SUAD");
    assertThatThrownBy(() -> Repartee.connect("nats://h/a#creds=" + file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no token");
    assertThatThrownBy(() -> Repartee.connect("nats://h/a#creds=" + file + ".missing"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot read");
  }

  @Test
  void aSeedHasThePublicKeyOfTheDocumentationOfNats() {
    assertThat(NatsKey.of(SEED, false))
        .hasToString("UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4");
  }

  @Test
  void aFileOfCredentialsHasATokenAndASeed() {
    NatsKey key = NatsKey.of("""
        -----BEGIN NATS USER JWT-----
        eyJ0eXAi.abc-_.def
        ------END NATS USER JWT------

        -----BEGIN USER NKEY SEED-----
        %s
        ------END USER NKEY SEED------
        """.formatted(SEED), true);
    assertThat(key.getJWT()).isEqualTo("eyJ0eXAi.abc-_.def".toCharArray());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a*", ">", "", ".a", "a..b", "a.\n"})
  void aMethodWithAnyNameHasASubject(String method) {
    assertThat(parsed("nats://h/" + Names.token(method)).subject()).isEqualTo(Names.token(method));
  }

  @Test
  void aMethodKeepsItsNameWhereThatIsASubject() {
    assertThat(Names.token("notifications/tools.list_changed"))
        .isEqualTo("notifications/tools.list_changed");
  }
}
