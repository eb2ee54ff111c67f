package dev.repartee.mcp.state;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.wire.JsonObjectReader;
import dev.repartee.message.RpcError;
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
 * Seals the request state of stateless calls, which the client keeps between the rounds of a
 * request. The client can neither read nor change the state, nor use it for another request, as
 * another principal, or after it has expired. The sealed text is AES-GCM over the expiry, the
 * digest of the request and the state.
 *
 * <p>The digest is in the encrypted text and not in the associated data. This way a forged state is
 * refused before the digest of its request is computed. Thread-safe.
 */
public final class StateSeal {
  /**
   * The maximum length of a sealed state from a client. The states of this server are far shorter.
   */
  private static final int MAX = 1 << 20;

  /** The length of a secret in bytes. */
  public static final int SECRET_BYTES = 32;

  private static final int NONCE = 12;
  private static final int DIGEST = 32;
  private static final int TAG_BITS = 128;

  private @Nullable SecretKeySpec key; // guarded by this
  private final Duration lifetime;
  private final Clock clock;

  /**
   * Creates a seal; {@code secret} is shared by the instances of a server, or null for a random
   * secret.
   */
  public StateSeal(byte @Nullable [] secret, Duration lifetime, Clock clock) {
    this.key = secret == null ? null : new SecretKeySpec(secret, "AES");
    this.lifetime = lifetime;
    this.clock = clock;
  }

  /** Returns the key. A random key is generated on first use, because this is slow. */
  private synchronized SecretKeySpec key() {
    if (key == null) {
      key = new SecretKeySpec(RandomIds.bytes(SECRET_BYTES), "AES");
    }
    return key;
  }

  /** Seals the state of a request with that {@linkplain RequestDigest digest}. */
  public String seal(Json state, byte[] request) {
    long expiry = clock.millis() + lifetime.toMillis();
    byte[] text = state.toBytes();
    if (text.length > MAX / 2) {
      throw new RpcException(
          RpcError.INTERNAL_ERROR,
          "The request state of this call is larger than " + MAX / 2 + " bytes");
    }
    byte[] nonce = RandomIds.bytes(NONCE);
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
   * Opens a sealed state.
   *
   * @param request computes the digest of the current request; called only if the seal is genuine
   * @throws RpcException -32602 if the state was not sealed here for this request, or has expired
   */
  public Json open(String state, Supplier<byte[]> request) {
    try {
      byte[] whole = state.length() > MAX ? new byte[0] : Base64.getUrlDecoder().decode(state);
      if (whole.length < NONCE + Long.BYTES + DIGEST + TAG_BITS / Byte.SIZE) {
        throw refused();
      }
      byte[] nonce = Arrays.copyOf(whole, NONCE);
      byte[] sealed = Arrays.copyOfRange(whole, NONCE, whole.length);
      ByteBuffer plain = ByteBuffer.wrap(crypt(Cipher.DECRYPT_MODE, nonce, sealed));
      if (plain.getLong() < clock.millis()) {
        throw JsonObjectReader.invalid(
            "requestState: it has expired; send the request again without it");
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
    return JsonObjectReader.invalid(
        "requestState: it is not the state of this request; send it back unchanged");
  }

  /**
   * Encrypts or decrypts.
   *
   * @throws IllegalStateException if the text cannot be decrypted
   */
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
