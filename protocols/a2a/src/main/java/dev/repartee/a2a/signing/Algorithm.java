package dev.repartee.a2a.signing;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import org.jspecify.annotations.Nullable;

/** The signature algorithms of JWS with public keys (RFC 7518 section 3, RFC 8037). */
enum Algorithm {
  ES256("ES256", "SHA256withECDSAinP1363Format", 256),
  ES384("ES384", "SHA384withECDSAinP1363Format", 384),
  ES512("ES512", "SHA512withECDSAinP1363Format", 521),
  RS256("RS256", "SHA256withRSA", 0),
  EDDSA("EdDSA", "EdDSA", 0);

  /** The minimum size of an RSA key in bits (RFC 7518 section 3.3). */
  private static final int RSA_BITS = 2048;

  private final String label;
  private final String jdkName;

  /** The size of the curve's field in bits; 0 without ECDSA. */
  private final int curve;

  Algorithm(String label, String jdkName, int curve) {
    this.label = label;
    this.jdkName = jdkName;
    this.curve = curve;
  }

  /** Returns the name in JWS. */
  String label() {
    return label;
  }

  /** Returns the algorithm with this name, or null if it is unknown. */
  static @Nullable Algorithm of(String label) {
    for (Algorithm each : values()) {
      if (each.label.equals(label)) {
        return each;
      }
    }
    return null;
  }

  /**
   * Returns the algorithm that fits a key.
   *
   * @throws IllegalArgumentException if no algorithm fits
   */
  static Algorithm of(Key key) {
    for (Algorithm each : values()) {
      if (each.fits(key)) {
        return each;
      }
    }
    throw new IllegalArgumentException("the key of the kind " + key.getAlgorithm()
        + " does not fit; use EC (P-256, P-384, P-521), RSA (2048 bits or more) or Ed25519");
  }

  /** Returns whether this algorithm works with a key. */
  boolean fits(Key key) {
    return switch (this) {
      case RS256 -> key instanceof RSAKey rsa && rsa.getModulus().bitLength() >= RSA_BITS;
      case EDDSA -> key instanceof EdECKey;
      default ->
        key instanceof ECKey ec && ec.getParams().getCurve().getField().getFieldSize() == curve;
    };
  }

  byte[] sign(PrivateKey key, byte[] text) {
    try {
      Signature signature = Signature.getInstance(jdkName);
      signature.initSign(key);
      signature.update(text);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("the key cannot sign: " + e.getMessage(), e);
    }
  }

  boolean verify(PublicKey key, byte[] text, byte[] signed) {
    try {
      Signature signature = Signature.getInstance(jdkName);
      signature.initVerify(key);
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // the signature or the key does not have the form of the algorithm
    }
  }
}
