package dev.repartee.security;

import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.PeerUser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The ways to prove the identity of a caller. {@link #anyOf} combines them, and {@link #throttled}
 * slows down guessing. {@link Sessions} is an authenticator, too.
 *
 * <pre>{@code
 * Options options = Options.builder()
 *     .access(access -> access
 *         .authenticator(Authenticators.throttled(Authenticators.basic(Path.of("users"))))
 *         .allow("admin", "*")
 *         .allow("user", "price", "order*"))
 *     .build();
 * }</pre>
 *
 * <p>All authenticators of this class are thread-safe. The files are read again at most a second
 * after a change. A changed file that is invalid causes one warning, and the content before stays
 * in force. All wrong credentials get the same refusal, with the status 401.
 */
public final class Authenticators {
  private Authenticators() {}

  /**
   * Checks the user name and password of HTTP Basic (RFC 7617). A password is verified on another
   * thread, since this takes a tenth of a second. A verified password is remembered for five
   * minutes, as a keyed digest, until its entry in the file changes.
   *
   * @param file a file as {@link PasswordFile} and {@code htpasswd -B} write it
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if a line is invalid or has another hash than bcrypt
   */
  public static Authenticator basic(Path file) throws IOException {
    return new Basic(file, Clock.SYSTEM);
  }

  /**
   * Checks static Bearer tokens (RFC 6750).
   *
   * @param file a file as {@link KeyFile} writes it
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if a line is invalid
   */
  public static Authenticator bearer(Path file) throws IOException {
    return new Keys("bearer", TokenField.bearer(null), file, Clock.SYSTEM);
  }

  /**
   * Checks keys in a header field, such as {@code X-API-Key}.
   *
   * @param header the name of the field
   * @param file a file as {@link KeyFile} writes it
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if a line is invalid, or the name is not a token of HTTP
   */
  public static Authenticator apiKey(String header, Path file) throws IOException {
    return new Keys("key", TokenField.key(header), file, Clock.SYSTEM);
  }

  /**
   * Checks signed tokens (JWT, RFC 7519 and RFC 9068) without a request for each.
   *
   * @throws IOException if the keys are in a file that cannot be read
   * @throws IllegalArgumentException if the file has no JWK set
   */
  public static Authenticator jwt(Jwt jwt) throws IOException {
    return new JwtAuthenticator(jwt);
  }

  /**
   * Asks the authorization server about tokens (RFC 7662).
   *
   * @throws IOException if the file with the credentials of this server cannot be read
   * @throws IllegalArgumentException if it is invalid
   */
  public static Authenticator introspection(Introspection introspection) throws IOException {
    return new IntrospectionAuthenticator(introspection);
  }

  /**
   * Admits every client certificate that the transport has verified, with its subject (RFC 2253) as
   * name and without roles. The certificate authority that the server trusts decides about callers.
   */
  public static Authenticator certificate() {
    return Certificates.ALL;
  }

  /**
   * Admits the client certificates in a file. A line has a name, a property of the certificate, and
   * roles, which may be empty:
   *
   * <pre>{@code
   * alice:CN=alice,O=Shop:admin,user
   * stock:dns:stock.shop.example:service
   * ledger:uri:spiffe://shop.example/ledger:service
   * bob:email:bob@shop.example:
   * }</pre>
   *
   * <p>The property is the subject, or one of the alternative names {@code dns:}, {@code uri:} and
   * {@code email:}. The transport has verified the certificate.
   *
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if a line is invalid
   */
  public static Authenticator certificate(Path file) throws IOException {
    return new Certificates(file, Clock.SYSTEM);
  }

  /**
   * Admits users of this machine over a Unix socket, where the kernel proves the user: on Linux and
   * macOS.
   */
  public static Authenticator peer(PeerUsers users) {
    return attribute(
        PeerUser.ATTRIBUTE,
        peer -> users.principal(peer.user().getName(), peer.group().getName()));
  }

  /**
   * Derives the principal from an attribute of the connection or message, for proofs of a transport
   * such as the key of an SSH client, the address of an XMPP contact, or the user id of a broker.
   *
   * @param function returns the principal; null to refuse the caller. Must be thread-safe, and must
   *     not block
   */
  public static <T> Authenticator attribute(
      Attribute<T> attribute, Function<? super T, @Nullable Principal> function) {
    return (FieldAuthenticator.OfConnection) credentials -> {
      T value = credentials.attributes().get(attribute);
      if (value == null) {
        return CompletableFuture.completedFuture(null);
      }
      Principal principal = function.apply(value);
      return principal == null
          ? Refusals.refuse(Refusals.wrong())
          : CompletableFuture.completedFuture(principal);
    };
  }

  /**
   * Asks authenticators in order until one knows the caller. The authenticators of this class for a
   * header field are asked before {@link Sessions}: a login with a password does not get the session
   * of an earlier user.
   *
   * <p>Credentials in a header field that one has refused may be those of another, such as a key
   * and a token in {@code Authorization: Bearer}. If all authenticators of this field have refused
   * them, the caller is refused, though it may have another key, a cookie or a certificate:
   * otherwise it could guess passwords without a failure. An authenticator of the application is
   * asked in any case. The caller gets the status 429 or 503 if one of them refuses it with this
   * status. A refusal has the challenges of all.
   */
  public static Authenticator anyOf(Authenticator... authenticators) {
    return new FirstOf(List.of(authenticators));
  }

  /**
   * Slows down guessing. After five failures from one address, further attempts are refused with
   * the status 429 for a second; each failure doubles the time, up to five minutes. Meanwhile an
   * address has one attempt at a time. A success forgets the failures, at most once a minute: a
   * valid password is of little help in guessing others. Failures are forgotten 15 minutes after
   * the last. All clients of an IPv6 network with a 64-bit prefix count as one address, and so do
   * all clients behind one proxy, and all clients of a transport without addresses, such as a broker.
   *
   * <p>At most 100,000 addresses are remembered, those with the latest attempts.
   *
   * @param authenticator the authenticator. Only its {@link AccessException} with the status 401 is
   *     a failure; a {@linkplain Credentials caller} without credentials is none
   */
  public static Authenticator throttled(Authenticator authenticator) {
    return new Throttle(authenticator, Clock.SYSTEM);
  }
}
