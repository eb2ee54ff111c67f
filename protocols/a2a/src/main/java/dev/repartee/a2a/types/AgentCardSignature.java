package dev.repartee.a2a.types;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A signature of an agent card: a JWS in JSON without its payload (section 4.4.7, RFC 7515).
 *
 * @param protectedHeader the protected header in Base64url; in JSON {@code protected}
 * @param signature the signature in Base64url
 * @param header the unprotected header, a JSON object; null for none
 */
public record AgentCardSignature(
    String protectedHeader, String signature, @Nullable Json header) {}
