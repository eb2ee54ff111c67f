package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.zeromq.ZMQ;

/**
 * The keys of an encrypted endpoint (ZeroMQ RFC 26, CurveZMQ), from files in the format of ZeroMQ
 * certificates: {@code public-key = "..."} and {@code secret-key = "..."}, in Z85.
 *
 * @param publicKey the public key of this side
 * @param secretKey the secret key of this side
 * @param server the public key of the service; null at the service itself
 * @param clients the public keys of the clients that the service admits, in Z85; null if it admits
 *     all clients that know its public key
 */
record CurveKeys(
    String publicKey,
    String secretKey,
    @Nullable String server,
    @Nullable Set<String> clients) {
  /** The option with the file of the keys of this side. */
  static final String KEY = "curve-key";

  /** The option of a client with the file of the public key of the service. */
  static final String SERVER = "curve-server";

  /** The option of a service with the file of the public keys of its clients. */
  static final String CLIENTS = "curve-clients";

  /** The bytes of a key. */
  static final int SIZE = 32;

  private static final String Z85 = "([0-9a-zA-Z.:+=^!/*?&<>()\\[\\]{}@%$#-]{40})";
  private static final Pattern PUBLIC = Pattern.compile("public-key\\s*=\\s*\"" + Z85 + "\"");
  private static final Pattern SECRET = Pattern.compile("secret-key\\s*=\\s*\"" + Z85 + "\"");
  private static final long LONGEST = 1 << 20;

  /**
   * Reads the keys in the options of an endpoint.
   *
   * @return null without encryption
   * @throws IOException if a file cannot be used; the message contains it
   */
  static @Nullable CurveKeys of(Endpoint endpoint, boolean isService) throws IOException {
    String own = endpoint.options().get(KEY);
    String server = endpoint.options().get(SERVER);
    String clients = endpoint.options().get(CLIENTS);
    if (isService) {
      if (own == null && clients != null) {
        throw new IllegalArgumentException("'" + endpoint.shown() + "' has the option " + CLIENTS
            + ", but no keys; add " + KEY + "=FILE");
      }
      return own == null ? null : own(own, null, clients == null ? null : all(CLIENTS, clients));
    }
    if (server == null) {
      if (own != null) {
        throw new IllegalArgumentException("'" + endpoint.shown() + "' has the option " + KEY
            + ", but no key of the service; add " + SERVER + "=FILE");
      }
      return null;
    }
    String serverKey = first(PUBLIC, text(SERVER, server), SERVER, server);
    if (own != null) {
      return own(own, serverKey, null);
    }
    ZMQ.Curve.KeyPair pair = ZMQ.Curve.generateKeyPair();
    return new CurveKeys(pair.publicKey, pair.secretKey, serverKey, null);
  }

  private static CurveKeys own(String file, @Nullable String server, @Nullable Set<String> clients)
      throws IOException {
    String text = text(KEY, file);
    requirePrivate(file);
    return new CurveKeys(
        first(PUBLIC, text, KEY, file), first(SECRET, text, KEY, file), server, clients);
  }

  private static Set<String> all(String option, String file) throws IOException {
    Set<String> keys = new HashSet<>();
    Matcher found = PUBLIC.matcher(text(option, file));
    while (found.find()) {
      keys.add(found.group(1));
    }
    if (keys.isEmpty()) {
      throw without(option, file, "public-key");
    }
    return Set.copyOf(keys);
  }

  private static String first(Pattern pattern, String text, String option, String file)
      throws IOException {
    Matcher found = pattern.matcher(text);
    if (!found.find()) {
      throw without(option, file, pattern == PUBLIC ? "public-key" : "secret-key");
    }
    return found.group(1);
  }

  private static IOException without(String option, String file, String name) {
    return new IOException("the file '" + file + "' of the option " + option + " has no line "
        + name + " = \"...\" with a key of 40 characters, as in a ZeroMQ certificate");
  }

  private static String text(String option, String file) throws IOException {
    try {
      Path path = Path.of(file);
      if (Files.size(path) > LONGEST) {
        throw new IOException("it is larger than 1 MiB");
      }
      return Files.readString(path, US_ASCII);
    } catch (IOException | InvalidPathException e) {
      throw new IOException(
          "cannot read the file '" + file + "' of the option " + option + ": "
              + e.getClass().getSimpleName() + ": " + e.getMessage(),
          e);
    }
  }

  /** Requires that only the owner can read a file with a secret. */
  private static void requirePrivate(String file) throws IOException {
    if (!FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      return;
    }
    for (PosixFilePermission each : Files.getPosixFilePermissions(Path.of(file))) {
      if (!each.name().startsWith("OWNER_")) {
        throw new IOException("the file '" + file + "' has a secret key and is open to other users;"
            + " run chmod 600 '" + file + "'");
      }
    }
  }

  /** Sets the keys of a socket. */
  void apply(ZMQ.Socket socket) {
    socket.setCurvePublicKey(publicKey.getBytes(US_ASCII));
    socket.setCurveSecretKey(secretKey.getBytes(US_ASCII));
    if (server == null) {
      socket.setCurveServer(true);
    } else {
      socket.setCurveServerKey(server.getBytes(US_ASCII));
    }
  }

  /** Shows no secret. */
  @Override
  public String toString() {
    return "CurveKeys[" + publicKey + "]";
  }
}
