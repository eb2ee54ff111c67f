package dev.repartee.mcp;

import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Seals what a stateless call has to remember until the client repeats it, so that the client can
 * neither read nor change it, nor use it for another request, in another name, or too late: AES-GCM over
 * the expiry, the digest of the request, and what is remembered. The digest is no associated data, so that
 * a state that was not given out is refused before the digest of its request is computed. Thread-safe.
 */
final class StateSeal {
  /** What a client may send: far more than any state that was given out. */
  private static final int MAX = 1 << 20;

  /** The bytes of a secret. */
  static final int SECRET_BYTES = 32;

  private static final int NONCE = 12;
  private static final int DIGEST = 32;
  private static final int TAG_BITS = 128;

  private @Nullable SecretKeySpec key; // guarded by this
  private final Duration lifetime;
  private final Clock clock;

  /** {@code secret} is what all instances of a server share, or null for a server that is the only one. */
  StateSeal(byte @Nullable [] secret, Duration lifetime, Clock clock) {
    this.key = secret == null ? null : new SecretKeySpec(secret, "AES");
    this.lifetime = lifetime;
    this.clock = clock;
  }

  /** The key: a secret that nobody shares is made when it is first needed. */
  private synchronized SecretKeySpec key() {
    if (key == null) {
      key = new SecretKeySpec(Unguessable.bytes(SECRET_BYTES), "AES");
    }
    return key;
  }

  /** Seals an object for the request of that {@linkplain RequestDigest digest}. */
  String seal(Json state, byte[] request) {
    long expiry = clock.millis() + lifetime.toMillis();
    byte[] text = state.toBytes();
    if (text.length > MAX / 2) {
      throw new RpcException(
          RpcError.INTERNAL_ERROR,
          "The request state of this call is larger than " + MAX / 2 + " bytes");
    }
    byte[] nonce = Unguessable.bytes(NONCE);
    byte[] plain = ByteBuffer.allocate(Long.BYTES + DIGEST + text.length)
        .putLong(expiry)
        .put(request)
        .put(text)
        .array();
    byte[] sealed = crypt(Cipher.ENCRYPT_MODE, nonce, plain);
    byte[] whole =
        ByteBuffer.allocate(NONCE + sealed.length).put(nonce).put(sealed).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
  }

  /**
   * Opens what was sealed for that request.
   *
   * @param request computes the digest of the request; asked only where the state was sealed here
   * @throws RpcException -32602 if it was not, or too long ago
   */
  Json open(String state, Supplier<byte[]> request) {
    try {
      byte[] whole = state.length() > MAX ? new byte[0] : Base64.getUrlDecoder().decode(state);
      if (whole.length < NONCE + Long.BYTES + DIGEST + TAG_BITS / Byte.SIZE) {
        throw refused();
      }
      byte[] nonce = Arrays.copyOf(whole, NONCE);
      byte[] sealed = Arrays.copyOfRange(whole, NONCE, whole.length);
      ByteBuffer plain = ByteBuffer.wrap(crypt(Cipher.DECRYPT_MODE, nonce, sealed));
      if (plain.getLong() < clock.millis()) {
        throw Fields.invalid("requestState: it has expired; make the request anew without it");
      }
      byte[] bound = new byte[DIGEST];
      plain.get(bound);
      if (!MessageDigest.isEqual(bound, request.get())) {
        throw refused();
      }
      byte[] text = new byte[plain.remaining()];
      plain.get(text);
      return Json.parse(text);
    } catch (IllegalArgumentException | JsonException | IllegalStateException e) {
      throw refused();
    }
  }

  private static RpcException refused() {
    return Fields.invalid(
        "requestState: it is not what was given out for this request; send it back unchanged");
  }

  /** Throws {@link IllegalStateException} for what cannot be opened. */
  private byte[] crypt(int mode, byte[] nonce, byte[] text) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, key(), new GCMParameterSpec(TAG_BITS, nonce));
      return cipher.doFinal(text);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
