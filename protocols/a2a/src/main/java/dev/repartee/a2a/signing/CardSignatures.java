package dev.repartee.a2a.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentCardSignature;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.FieldException;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.security.PublicKey;
import java.security.SignatureException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Signs and verifies agent cards (section 8.4): JWS (RFC 7515) over the canonical JSON (RFC 8785)
 * of the card in version 1.0.
 */
public final class CardSignatures {
  /**
   * The maximum number of signatures. Limited because each one costs a digest of the whole card.
   */
  private static final int MOST = 20;

  /**
   * The maximum length of a card. Limited because each number costs arithmetic with many digits.
   */
  private static final int CHARS = 1 << 20;

  private CardSignatures() {}

  /** Finds the public keys that a client trusts. */
  @FunctionalInterface
  public interface TrustedKeys {
    /**
     * Returns a key, or null if it is not trusted.
     *
     * @param keyId the name of the key in the signature
     * @param keySetUrl the address of the JWK Set in the signature, or null. The signer chose the
     *     address: fetch it only if the address itself is trusted
     */
    @Nullable PublicKey find(String keyId, @Nullable String keySetUrl);
  }

  /**
   * Returns a card with one more signature. The card must contain its addresses, because the
   * signature covers them.
   *
   * @throws IllegalArgumentException if the card has no address
   */
  public static AgentCard sign(AgentCard card, SigningKey key) {
    if (card.supportedInterfaces().isEmpty()) {
      throw new IllegalArgumentException(
          "the card names no address; call interfaces() before the card is signed");
    }
    SigningKey.Signed signed = key.sign("JOSE", CanonicalJson.of(payload(card)));
    List<AgentCardSignature> all = new ArrayList<>(card.signatures());
    all.add(new AgentCardSignature(signed.header(), signed.signature()));
    return card.withSignatures(all);
  }

  private static Json payload(AgentCard card) {
    return A2aJson.lenient(ProtocolVersion.V1_0).card(card.withSignatures(List.of()));
  }

  /**
   * Checks that at least one signature of a card is valid and made with a trusted key. A signature
   * covers the card as it was received, or its members of version 1.0 without default values. A
   * card has at most 20 signatures and 1 Mi characters.
   *
   * @param card the card as it was received
   * @throws SignatureException if no signature is valid; the message contains the reason
   */
  public static void verify(Json card, TrustedKeys keys) throws SignatureException {
    if (card.length() > CHARS) {
      throw new SignatureException("the card has more than " + CHARS + " characters");
    }
    AgentCard read;
    List<byte[]> payloads;
    try {
      read = A2aJson.readCard(card);
      Map<String, Json> received = new LinkedHashMap<>(card.members());
      received.remove("signatures");
      payloads = List.of(CanonicalJson.of(payload(read)), CanonicalJson.of(Json.of(received)));
    } catch (FieldException | JsonException | IllegalArgumentException e) {
      throw new SignatureException("the card cannot be read: " + e.getMessage(), e);
    }
    if (read.signatures().size() > MOST) {
      throw new SignatureException("the card has more than " + MOST + " signatures");
    }
    String reason = "the card has no signature";
    for (AgentCardSignature signature : read.signatures()) {
      String fault = fault(signature, payloads, keys);
      if (fault == null) {
        return;
      }
      reason = fault;
    }
    throw new SignatureException(reason);
  }

  /** Returns the fault of a signature, or null if it is valid. */
  private static @Nullable String fault(
      AgentCardSignature signature, List<byte[]> payloads, TrustedKeys keys) {
    Map<String, Json> header;
    byte[] signed;
    try {
      byte[] text = Base64.getUrlDecoder().decode(signature.protected_());
      header = Json.parse(new String(text, UTF_8)).members();
      signed = Base64.getUrlDecoder().decode(signature.signature());
    } catch (IllegalArgumentException | JsonException e) {
      return "a signature of the card does not have the form of JWS";
    }
    Algorithm algorithm = Algorithm.of(text(header, "alg"));
    if (algorithm == null) {
      return "the algorithm of a signature is not known: " + text(header, "alg");
    }
    if (header.containsKey("crit")) {
      return "a signature requires unknown extensions of JWS";
    }
    String keyId = text(header, "kid");
    PublicKey key = keys.find(keyId, header.containsKey("jku") ? text(header, "jku") : null);
    if (key == null) {
      return "the key '" + keyId + "' of a signature is not trusted";
    }
    if (!algorithm.fits(key)) {
      return "the key '" + keyId + "' does not fit the algorithm " + algorithm.label();
    }
    return payloads.stream()
            .anyMatch(payload ->
                algorithm.verify(key, SigningKey.input(signature.protected_(), payload), signed))
        ? null
        : "the signature with the key '" + keyId + "' does not match this card";
  }

  private static String text(Map<String, Json> header, String name) {
    Json value = header.get(name);
    return value != null && value.kind() == Json.Kind.STRING ? value.as(String.class) : "";
  }
}
