package dev.repartee.a2a.signing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.ProtocolException;
import dev.repartee.Server;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SignatureException;
import java.security.spec.ECGenParameterSpec;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 8.4 of the specification, RFC 7515 and RFC 8785. */
class CardSignaturesTest {
  private static KeyPair pair(String kind) throws Exception {
    KeyPairGenerator generator = switch (kind) {
      case "EC" -> {
        KeyPairGenerator made = KeyPairGenerator.getInstance("EC");
        made.initialize(new ECGenParameterSpec("secp256r1"));
        yield made;
      }
      case "RSA" -> {
        KeyPairGenerator made = KeyPairGenerator.getInstance("RSA");
        made.initialize(2048);
        yield made;
      }
      default -> KeyPairGenerator.getInstance(kind);
    };
    return generator.generateKeyPair();
  }

  private static AgentCard card() {
    return TestAgent.card()
        .interfaces(AgentInterface.jsonRpc("https://agent.example.com/", "1.0"))
        .build();
  }

  private static Json written(AgentCard card) {
    return A2aJson.lenient(ProtocolVersion.V1_0).card(card);
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA", "Ed25519"})
  void aSignedCardIsVerifiedWithTheTrustedKey(String kind) throws Exception {
    KeyPair pair = pair(kind);
    AgentCard signed = CardSignatures.sign(card(), SigningKey.of("k", pair.getPrivate()));
    assertThatCode(() -> CardSignatures.verify(
            written(signed), (id, url) -> id.equals("k") ? pair.getPublic() : null))
        .doesNotThrowAnyException();
    Json changed =
        Json.parse(written(signed).toString().replace("what it is told", "what it wants"));
    assertThatThrownBy(() -> CardSignatures.verify(changed, (id, url) -> pair.getPublic()))
        .isInstanceOf(SignatureException.class)
        .hasMessageContaining("does not match this card");
    KeyPair other = pair(kind);
    assertThatThrownBy(() -> CardSignatures.verify(written(signed), (id, url) -> other.getPublic()))
        .isInstanceOf(SignatureException.class);
  }

  @Test
  void defaultValuesDoNotChangeASignature() throws Exception {
    KeyPair pair = pair("Ed25519");
    AgentCard signed = CardSignatures.sign(card(), SigningKey.of("k", pair.getPrivate()));
    String text = written(signed).toString().replace("\"tags\":", "\"examples\":[],\"tags\":");
    assertThatCode(() -> CardSignatures.verify(Json.parse(text), (id, url) -> pair.getPublic()))
        .doesNotThrowAnyException();
  }

  @Test
  void aCardWithoutATrustedSignatureIsRefused() throws Exception {
    KeyPair pair = pair("Ed25519");
    assertThatThrownBy(() -> CardSignatures.verify(written(card()), (id, url) -> pair.getPublic()))
        .isInstanceOf(SignatureException.class)
        .hasMessage("the card has no signature");
    AgentCard signed = CardSignatures.sign(card(), SigningKey.of("k", pair.getPrivate()));
    assertThatThrownBy(() -> CardSignatures.verify(written(signed), (id, url) -> null))
        .isInstanceOf(SignatureException.class)
        .hasMessageContaining("'k'");
    KeyPair rsa = pair("RSA");
    assertThatThrownBy(() -> CardSignatures.verify(written(signed), (id, url) -> rsa.getPublic()))
        .isInstanceOf(SignatureException.class)
        .hasMessageContaining("does not fit");
  }

  @Test
  void aClientChecksTheCardThatItConnectsBy() throws Exception {
    KeyPair pair = pair("Ed25519");
    AgentCard signed = CardSignatures.sign(card(), SigningKey.of("k", pair.getPrivate()));
    try (Server server =
        A2aServer.builder(signed).agent(new TestAgent()).build().listen("http://127.0.0.1:0/")) {
      String url = server.endpoint().toString();
      A2aClient.builder()
          .verifying(card -> verify(card, (id, set) -> pair.getPublic()))
          .connect(url)
          .close();
      assertThatThrownBy(() -> A2aClient.builder()
              .verifying(card -> verify(card, (id, set) -> null))
              .connect(url))
          .isInstanceOf(ProtocolException.class);
    }
  }

  private static void verify(Json card, CardSignatures.TrustedKeys keys) {
    try {
      CardSignatures.verify(card, keys);
    } catch (SignatureException e) {
      throw new ProtocolException(e.getMessage());
    }
  }

  @Test
  void canonicalJsonHasSortedNamesAndShortEscapes() {
    Json json = Json.parse("{\"b\": [1.0, true , null, {}], \"a\":\"\\u0041\\u000f\\n\\/\\\"\"}");
    assertThat(new String(CanonicalJson.of(json), StandardCharsets.UTF_8))
        .isEqualTo("{\"a\":\"A\\u000f\\n/\\\"\",\"b\":[1,true,null,{}]}");
  }

  /** The numbers of RFC 8785, appendix B, and powers of two. */
  @ParameterizedTest
  @CsvSource({
    "0000000000000000, 0",
    "8000000000000000, 0",
    "0000000000000001, 5e-324",
    "3d30000000000000, 5.684341886080802e-14",
    "0060000000000000, 7.120236347223045e-307",
    "7fefffffffffffff, 1.7976931348623157e+308",
    "4340000000000000, 9007199254740992",
    "4430000000000000, 295147905179352830000",
    "44b52d02c7e14af5, 9.999999999999997e+22",
    "44b52d02c7e14af6, 1e+23",
    "444b1ae4d6e2ef4e, 999999999999999700000",
    "444b1ae4d6e2ef50, 1e+21",
    "3eb0c6f7a0b5ed8c, 9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d, 0.000001",
    "41b3de4355555553, 333333333.3333332",
    "becbf647612f3696, -0.0000033333333333333333",
    "43143ff3c1cb0959, 1424953923781206.2"
  })
  void numbersAreWrittenAsEcmascriptDoes(String bits, String text) {
    assertThat(CanonicalJson.number(Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16))))
        .isEqualTo(text);
  }

  @Test
  void aCardWithVeryManySignaturesIsRefusedBeforeTheyAreChecked() throws Exception {
    KeyPair pair = pair("Ed25519");
    AgentCard signed = CardSignatures.sign(card(), SigningKey.of("k", pair.getPrivate()));
    AgentCard many = signed.toBuilder()
        .signatures(Collections.nCopies(21, signed.signatures().get(0)))
        .build();
    assertThatThrownBy(() -> CardSignatures.verify(written(many), (id, url) -> pair.getPublic()))
        .isInstanceOf(SignatureException.class)
        .hasMessage("the card has more than 20 signatures");
  }

  @Test
  void aVeryLongCardIsRefusedBeforeItsCanonicalFormIsMade() throws Exception {
    KeyPair pair = pair("Ed25519");
    AgentCard card = card().toBuilder()
        .documentationUrl("https://example.com/" + "x".repeat(1 << 20))
        .build();
    AgentCard signed = CardSignatures.sign(card, SigningKey.of("k", pair.getPrivate()));
    assertThatThrownBy(() -> CardSignatures.verify(written(signed), (id, url) -> pair.getPublic()))
        .isInstanceOf(SignatureException.class)
        .hasMessage("the card has more than 1048576 characters");
  }
}
