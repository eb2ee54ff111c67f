package dev.repartee.ssh;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Security;
import java.security.interfaces.EdECKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.KeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Optional;
import org.apache.sshd.common.config.keys.PrivateKeyEntryDecoder;
import org.apache.sshd.common.config.keys.PublicKeyEntryDecoder;
import org.apache.sshd.common.signature.Signature;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.security.AbstractSecurityProviderRegistrar;
import org.apache.sshd.common.util.security.SecurityUtils;
import org.apache.sshd.common.util.security.eddsa.generic.EdDSASupport;
import org.apache.sshd.common.util.security.eddsa.generic.EdDSAUtils;
import org.apache.sshd.common.util.security.eddsa.generic.GenericEd25519PublicKeyDecoder;
import org.apache.sshd.common.util.security.eddsa.generic.GenericOpenSSHEd25519PrivateKeyEntryDecoder;
import org.apache.sshd.common.util.security.eddsa.generic.GenericSignatureEd25519;

/**
 * Makes the SSH library use Ed25519 of the JDK. By default it uses Bouncy Castle, which has 8 MB,
 * or another library, which is not maintained. This class only converts keys.
 */
final class Ed25519 implements EdDSASupport<EdECPublicKey, EdECPrivateKey> {
  private static final String ALGORITHM = "Ed25519";

  /** Registers this class, unless the application has such a library. */
  private static final class Registration {
    static {
      if (!SecurityUtils.isEDDSACurveSupported()) {
        SecurityUtils.registerSecurityProvider(new Registrar());
      }
    }

    static void run() {
      // The initializer has done it.
    }
  }

  private static final class Registrar extends AbstractSecurityProviderRegistrar {
    private static final String PROVIDER = "SunEC";

    Registrar() {
      super("JDK");
    }

    @Override
    public String getProviderName() {
      return PROVIDER;
    }

    @Override
    public Provider getSecurityProvider() {
      return Security.getProvider(PROVIDER);
    }

    @Override
    public boolean isSupported() {
      return getSecurityProvider() != null;
    }

    @Override
    public Optional<EdDSASupport<?, ?>> getEdDSASupport() {
      return Optional.of(new Ed25519());
    }
  }

  private Ed25519() {}

  /**
   * Registers these keys with the SSH library. Must be called before any other class of the library
   * is used.
   */
  static void register() {
    Registration.run();
  }

  @Override
  public PublicKeyEntryDecoder<EdECPublicKey, EdECPrivateKey> getEDDSAPublicKeyEntryDecoder() {
    return new GenericEd25519PublicKeyDecoder<>(EdECPublicKey.class, EdECPrivateKey.class, this);
  }

  @Override
  public PrivateKeyEntryDecoder<EdECPublicKey, EdECPrivateKey>
      getOpenSSHEDDSAPrivateKeyEntryDecoder() {
    return new GenericOpenSSHEd25519PrivateKeyEntryDecoder<>(
        EdECPublicKey.class, EdECPrivateKey.class, this);
  }

  @Override
  public Signature getEDDSASigner() {
    return new GenericSignatureEd25519(SecurityUtils.EDDSA);
  }

  @Override
  public int getEDDSAKeySize(Key key) {
    return key instanceof EdECKey ? KEY_SIZE : -1;
  }

  @Override
  public Class<EdECPublicKey> getEDDSAPublicKeyType() {
    return EdECPublicKey.class;
  }

  @Override
  public Class<EdECPrivateKey> getEDDSAPrivateKeyType() {
    return EdECPrivateKey.class;
  }

  @Override
  public boolean compareEDDSAPPublicKeys(PublicKey one, PublicKey other) {
    return one instanceof EdECPublicKey && other instanceof EdECPublicKey && one.equals(other);
  }

  @Override
  public boolean compareEDDSAPrivateKeys(PrivateKey one, PrivateKey other) {
    return one instanceof EdECPrivateKey && other instanceof EdECPrivateKey && one.equals(other);
  }

  /**
   * Returns the public key of a private one. The JDK computes it only for new keys. This method
   * therefore generates a key with a random source that returns the bytes of the private key.
   */
  @Override
  public EdECPublicKey recoverEDDSAPublicKey(PrivateKey key) throws GeneralSecurityException {
    if (!(key instanceof EdECPrivateKey known)) {
      throw new InvalidKeyException("the private key is not of Ed25519");
    }
    byte[] secret = known.getBytes().orElseThrow(() -> new InvalidKeyException("an opaque key"));
    KeyPairGenerator generator = KeyPairGenerator.getInstance(ALGORITHM);
    generator.initialize(NamedParameterSpec.ED25519, new FixedBytes(secret));
    return (EdECPublicKey) generator.generateKeyPair().getPublic();
  }

  private static final class FixedBytes extends SecureRandom {
    private static final long serialVersionUID = 1;

    private final byte[] fixed;

    FixedBytes(byte[] fixed) {
      this.fixed = fixed;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      System.arraycopy(fixed, 0, bytes, 0, bytes.length);
    }
  }

  @Override
  public EdECPublicKey generateEDDSAPublicKey(byte[] bytes) throws GeneralSecurityException {
    return (EdECPublicKey)
        KeyFactory.getInstance(ALGORITHM).generatePublic(EdDSAUtils.createPublicKeySpec(bytes));
  }

  @Override
  public EdECPrivateKey generateEDDSAPrivateKey(byte[] bytes) throws GeneralSecurityException {
    return (EdECPrivateKey)
        KeyFactory.getInstance(ALGORITHM).generatePrivate(EdDSAUtils.createPrivateKeySpec(bytes));
  }

  @Override
  public <B extends Buffer> B putRawEDDSAPublicKey(B buffer, PublicKey key) {
    buffer.putBytes(bytes(key));
    return buffer;
  }

  /** Not needed: only keys that are added to an agent are written like this. */
  @Override
  public <B extends Buffer> B putEDDSAKeyPair(B buffer, PublicKey open, PrivateKey secret) {
    throw new UnsupportedOperationException("private keys are not sent");
  }

  @Override
  public KeySpec createPublicKeySpec(EdECPublicKey key) {
    return new X509EncodedKeySpec(key.getEncoded());
  }

  @Override
  public KeySpec createPrivateKeySpec(EdECPrivateKey key) {
    return new PKCS8EncodedKeySpec(key.getEncoded());
  }

  @Override
  public byte[] getPublicKeyData(EdECPublicKey key) {
    return bytes(key);
  }

  private static byte[] bytes(PublicKey key) {
    try {
      return EdDSAUtils.getBytes(key);
    } catch (InvalidKeyException e) {
      throw new IllegalArgumentException("the public key is not of Ed25519", e);
    }
  }

  @Override
  public byte[] getPrivateKeyData(EdECPrivateKey key) throws IOException {
    byte[] bytes = key.getBytes().orElseThrow(() -> new IOException("an opaque private key"));
    return Arrays.copyOf(bytes, bytes.length);
  }

  @Override
  public String getKeyFactoryAlgorithm() {
    return ALGORITHM;
  }
}
