package dev.repartee.netty.tls;

import dev.repartee.netty.http.HttpAddress;
import dev.repartee.transport.Endpoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * This side's private key, and its certificate with the intermediate certificates. The options
 * {@code cert} and {@code key} of an endpoint name two PEM files; or {@code cert} names a PKCS#12
 * file (RFC 7292) with both.
 *
 * @param key the private key
 * @param certificates the own certificate first
 */
record OwnKey(PrivateKey key, X509Certificate[] certificates) {
  private static final String HOW_TO_MAKE_ONE =
      "; one for trials: openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost"
          + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem";

  /** The first byte of a PKCS#12 file, a sequence in DER. A PEM file has only ASCII characters. */
  private static final byte SEQUENCE = 0x30;

  private static final byte LONG_FORM = (byte) 0x80;

  private static final byte[] SAMPLE = {1};
  private static final PSSParameterSpec PSS =
      new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1);

  /**
   * Reads the files that the options name.
   *
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if an option is missing, or has no use
   */
  static OwnKey of(Endpoint endpoint) throws IOException {
    PemFile cert = PemFile.of(endpoint, "cert");
    PemFile key = PemFile.of(endpoint, "key");
    if (cert != null && isPkcs12(cert.bytes())) {
      if (key != null) {
        throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint) + "' has a PKCS#12"
            + " file as cert, which contains the private key; leave the option key out");
      }
      return ofPkcs12(cert, Password.of(endpoint));
    }
    if (cert == null || key == null) {
      throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint)
          + "' needs a certificate and its private key, in PEM: #cert=FILE&key=FILE"
          + HOW_TO_MAKE_ONE);
    }
    if (endpoint.options().containsKey(Password.OPTION)) {
      throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint) + "' has a PEM file as"
          + " cert; the option password is for PKCS#12, leave it out");
    }
    X509Certificate[] certificates = cert.certificates();
    OwnKey own = new OwnKey(key.key(), certificates);
    if (!own.belongsTogether()) {
      throw key.useless("is not the key of the certificate '" + cert.path() + "'", null);
    }
    return own;
  }

  private static boolean isPkcs12(byte[] bytes) {
    return bytes.length > 1 && bytes[0] == SEQUENCE && (bytes[1] & LONG_FORM) != 0;
  }

  private static OwnKey ofPkcs12(PemFile file, char[] password) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new ByteArrayInputStream(file.bytes()), password);
      List<String> keys = Collections.list(store.aliases()).stream()
          .filter(alias -> isKey(store, alias))
          .toList();
      if (keys.size() != 1) {
        throw file.useless("holds " + keys.size() + " private keys, and has to hold one", null);
      }
      Certificate[] chain = store.getCertificateChain(keys.get(0));
      return new OwnKey(
          (PrivateKey) store.getKey(keys.get(0), password),
          Arrays.copyOf(chain, chain.length, X509Certificate[].class));
    } catch (GeneralSecurityException e) {
      throw file.useless("is not a PKCS#12 file that can be read: " + e.getMessage(), e);
    } catch (IOException e) {
      throw e.getCause() instanceof GeneralSecurityException
          ? file.useless("has another password, or is broken", e)
          : file.useless("is not a PKCS#12 file that can be read: " + e.getMessage(), e);
    } finally {
      Arrays.fill(password, '\0');
    }
  }

  private static boolean isKey(KeyStore store, String alias) {
    try {
      return store.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /**
   * Returns whether the key belongs to the certificate, by signing with it. Without this check
   * every handshake would fail, and only the other side would see why.
   */
  private boolean belongsTogether() {
    try {
      Signature signature = signature();
      signature.initSign(key);
      signature.update(SAMPLE);
      byte[] signed = signature.sign();
      signature.initVerify(certificates[0].getPublicKey());
      signature.update(SAMPLE); // JDK 17 cannot verify an EdDSA signature of zero bytes
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private Signature signature() throws GeneralSecurityException {
    String kind = key.getAlgorithm();
    Signature signature = Signature.getInstance(
        switch (kind) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> kind;
        });
    if (kind.equals("RSASSA-PSS")) {
      AlgorithmParameterSpec required = ((RSAKey) key).getParams();
      signature.setParameter(required == null ? PSS : required);
    }
    return signature;
  }
}
