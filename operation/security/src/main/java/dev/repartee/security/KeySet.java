package dev.repartee.security;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.RSAKey;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The public keys of a JWK set (RFC 7517) that verify signatures. Symmetric keys, keys for
 * encryption, weak keys and keys of unknown types are left out; certificates and addresses in keys
 * are ignored. Immutable; sets with the same keys are equal.
 */
record KeySet(List<Key> keys) {
  /** The maximum number of keys in a set. */
  private static final int MOST = 1_000;

  /** The maximum number of keys without an id, or with the same id, that are tried for a token. */
  private static final int TRIED = 8;

  private static final int MIN_RSA_BITS = 2_048;
  private static final int MAX_RSA_BITS = 8_192;

  /** A usual exponent has 17 bits; the time of a check grows with its length. */
  private static final int MAX_EXPONENT_BITS = 64;

  /** The members of a key that matter. */
  private static final List<String> MEMBERS =
      List.of("kty", "kid", "use", "key_ops", "alg", "n", "e", "crv", "x", "y");

  /**
   * A key.
   *
   * @param id the id; null if it has none
   * @param algorithm the only algorithm it is for; null if it is for each of its type
   */
  record Key(@Nullable String id, @Nullable String algorithm, PublicKey key) {
    private boolean fits(JWSHeader header) {
      JWSAlgorithm wanted = header.getAlgorithm();
      boolean isType = JWSAlgorithm.Family.RSA.contains(wanted)
          ? key instanceof RSAPublicKey
          : JWSAlgorithm.Family.EC.contains(wanted) && key instanceof ECPublicKey;
      return isType
          && (algorithm == null || algorithm.equals(wanted.getName()))
          && (header.getKeyID() == null || header.getKeyID().equals(id));
    }

    /** Returns the verifier; null if the curve of the key is not that of the algorithm. */
    private @Nullable JWSVerifier verifier(JWSAlgorithm wanted) throws JOSEException {
      JWSVerifier verifier = key instanceof RSAPublicKey rsa
          ? new RSASSAVerifier(rsa)
          : new ECDSAVerifier((ECPublicKey) key);
      return verifier.supportedJWSAlgorithms().contains(wanted) ? verifier : null;
    }
  }

  KeySet {
    keys = List.copyOf(keys);
  }

  /**
   * Parses a JWK set.
   *
   * @throws IllegalArgumentException if it is none, or has no usable key
   */
  static KeySet parse(String source, String text) {
    List<Json> all;
    try {
      Json listed = Json.parse(text).get("keys");
      all = listed == null ? List.of() : listed.elements();
    } catch (JsonException e) {
      throw new IllegalArgumentException(source + " has no JWK set (RFC 7517)", e);
    }
    if (all.size() > MOST) {
      throw new IllegalArgumentException(source + " has more than " + MOST + " keys");
    }
    List<Key> keys = new ArrayList<>();
    for (Json each : all) {
      Key key = key(each);
      if (key != null) {
        keys.add(key);
      }
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(
          source + " has no public key for signatures: expected a JWK"
              + " set (RFC 7517) with keys of the types RSA, of at least " + MIN_RSA_BITS
              + " bits, and EC");
    }
    return new KeySet(keys);
  }

  private static @Nullable Key key(Json json) {
    Map<String, Object> members = new HashMap<>();
    for (String name : MEMBERS) {
      Json value = json.get(name);
      if (value != null && value.string() != null) {
        members.put(name, value.string());
      } else if (value != null && value.kind() == Json.Kind.ARRAY) {
        members.put(
            name,
            new ArrayList<Object>(value.elements().stream().map(Json::text).toList()));
      }
    }
    try {
      JWK jwk = JWK.parse(members);
      boolean forSignatures = (members.get("use") == null || "sig".equals(members.get("use")))
          && (jwk.getKeyOperations() == null
              || jwk.getKeyOperations().contains(KeyOperation.VERIFY));
      PublicKey key = publicKey(jwk);
      return key == null || !forSignatures
          ? null
          : new Key(
              jwk.getKeyID(),
              jwk.getAlgorithm() == null ? null : jwk.getAlgorithm().getName(),
              key);
    } catch (ParseException | JOSEException | RuntimeException e) {
      return null; // other keys of the set may be usable
    }
  }

  private static @Nullable PublicKey publicKey(JWK jwk) throws JOSEException {
    if (jwk instanceof RSAKey rsa) {
      int bits = rsa.getModulus().decodeToBigInteger().bitLength();
      int exponentBits = rsa.getPublicExponent().decodeToBigInteger().bitLength();
      return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS && exponentBits <= MAX_EXPONENT_BITS
          ? rsa.toRSAPublicKey()
          : null;
    }
    return jwk instanceof ECKey ec ? ec.toECPublicKey() : null;
  }

  /** Returns the keys that may have signed a token. */
  List<Key> of(JWSHeader header) {
    return keys.stream().filter(key -> key.fits(header)).limit(TRIED).toList();
  }

  /** Returns whether one of the keys has made a signature. */
  static boolean verifies(List<Key> keys, JWSObject token) {
    for (Key key : keys) {
      try {
        JWSVerifier verifier = key.verifier(token.getHeader().getAlgorithm());
        if (verifier != null && token.verify(verifier)) {
          return true;
        }
      } catch (JOSEException | RuntimeException e) {
        // not signed by this key
      }
    }
    return false;
  }
}
