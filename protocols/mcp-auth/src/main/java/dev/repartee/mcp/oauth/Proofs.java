package dev.repartee.mcp.oauth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.oauth2.sdk.dpop.DefaultDPoPProofFactory;
import com.nimbusds.oauth2.sdk.token.DPoPAccessToken;
import com.nimbusds.openid.connect.sdk.Nonce;
import dev.repartee.security.http.SmallExchange;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Proves the possession of the key that a token is bound to (DPoP, RFC 9449). */
final class Proofs {
  /** The algorithm of all proofs. */
  static final String ALGORITHM = "ES256";

  /** The pattern of a nonce. Its length is limited, since it is sent in a header. */
  private static final String NONCE = "[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,1024}";

  private Proofs() {}

  /**
   * Returns the nonce in the values of the header {@code DPoP-Nonce}, or null if it is missing or
   * unusable (RFC 9449 section 8.1).
   */
  static @Nullable String nonce(List<String> values) {
    return values.isEmpty() || !values.get(0).matches(NONCE) ? null : values.get(0);
  }

  static ECKey key() {
    try {
      return new ECKeyGenerator(Curve.P_256).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException("the JDK has no P-256", e);
    }
  }

  /**
   * Returns a proof for one request.
   *
   * @param token the access token that is sent with it; null for a token request
   * @param nonce the value that the server requires; null for none
   */
  static String of(
      ECKey key, String method, URI uri, @Nullable String token, @Nullable String nonce) {
    try {
      return new DefaultDPoPProofFactory(key, JWSAlgorithm.ES256)
          .createDPoPJWT(
              method,
              URI.create(SmallExchange.named(uri)),
              token == null ? null : new DPoPAccessToken(token),
              nonce == null ? null : new Nonce(nonce))
          .serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException("the key cannot sign with " + ALGORITHM, e);
    }
  }
}
