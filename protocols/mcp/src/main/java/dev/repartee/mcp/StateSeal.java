package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Seals what a stateless call has to remember until the client repeats it, so that the client can
 * neither read nor change it, nor use it for another request, in another name, or too late: AES-GCM,
 * with the request and the principal as associated data. Thread-safe.
 */
final class StateSeal {
  /** What a client may send: far more than any state that was given out. */
  private static final int MAX = 1 << 20;

  /** The bytes of a secret. */
  static final int SECRET_BYTES = 32;

  private static final int NONCE = 12;
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

  /** Seals an object for that request. */
  String seal(Json state, String request) {
    long expiry = clock.millis() + lifetime.toMillis();
    byte[] text = state.toBytes();
    if (text.length > MAX / 2) {
      throw new RpcException(
          RpcError.INTERNAL_ERROR,
          "What this call has to remember for its next round is more than " + MAX / 2 + " bytes");
    }
    byte[] nonce = Unguessable.bytes(NONCE);
    byte[] plain =
        ByteBuffer.allocate(Long.BYTES + text.length).putLong(expiry).put(text).array();
    byte[] sealed = crypt(Cipher.ENCRYPT_MODE, nonce, request, plain);
    byte[] whole =
        ByteBuffer.allocate(NONCE + sealed.length).put(nonce).put(sealed).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
  }

  /**
   * Opens what was sealed for that request.
   *
   * @throws RpcException -32602 if it was not, or too long ago
   */
  Json open(String state, String request) {
    try {
      byte[] whole = state.length() > MAX ? new byte[0] : Base64.getUrlDecoder().decode(state);
      if (whole.length < NONCE + Long.BYTES + TAG_BITS / Byte.SIZE) {
        throw refused();
      }
      byte[] nonce = Arrays.copyOf(whole, NONCE);
      byte[] sealed = Arrays.copyOfRange(whole, NONCE, whole.length);
      ByteBuffer plain = ByteBuffer.wrap(crypt(Cipher.DECRYPT_MODE, nonce, request, sealed));
      if (plain.getLong() < clock.millis()) {
        throw Fields.invalid("requestState: it has expired; make the request anew without it");
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
  private byte[] crypt(int mode, byte[] nonce, String request, byte[] text) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, key(), new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(request.getBytes(UTF_8));
      return cipher.doFinal(text);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
