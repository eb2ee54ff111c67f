package dev.repartee.cli.login;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.mcp.oauth.Registration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.interfaces.ECKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The registration of this client with an authorization server. It is read from environment
 * variables because other users can see the command line. Messages never contain a secret.
 */
final class ClientEnvironment {
  static final String ID = "REPARTEE_CLIENT_ID";
  private static final String SECRET = "REPARTEE_CLIENT_SECRET";
  private static final String KEY = "REPARTEE_CLIENT_KEY";
  private static final String ISSUER = "REPARTEE_CLIENT_ISSUER";

  private static final int MAX_FILE = 64 << 10;
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----");

  /** The kinds of keys. */
  private static final List<String> KINDS = List.of("EC", "RSA");

  private final Function<String, @Nullable String> environment;

  /**
   * @param environment returns the value of a variable, or null
   */
  ClientEnvironment(Function<String, @Nullable String> environment) {
    this.environment = environment;
  }

  /** Returns the registration, or null. */
  @Nullable Registration registration() {
    String id = value(ID);
    String secret = value(SECRET);
    String key = value(KEY);
    if (id == null) {
      for (String name : List.of(SECRET, KEY, ISSUER)) {
        if (value(name) != null) {
          throw Failure.usage(
              name + " is set, but " + ID + " is not; set the id of the client too");
        }
      }
      return null;
    }
    if (secret != null && key != null) {
      throw Failure.usage("set " + SECRET + " or " + KEY + ", not both");
    }
    if (key != null) {
      PrivateKey read = key(key);
      return Registration.withKey(id, read, algorithm(read));
    }
    return secret == null ? Registration.of(id) : Registration.withSecret(id, secret);
  }

  /** Returns the issuer of the registration, or null if the MCP server decides. */
  @Nullable String issuer() {
    return value(ISSUER);
  }

  /**
   * Returns the id of the client that has a secret or a key.
   *
   * @param option the option that needs it, for the message
   */
  String requireId(String option) {
    String id = value(ID);
    if (id == null || value(SECRET) == null && value(KEY) == null) {
      throw Failure.usage(option + " needs the id of a client in the environment variable " + ID
          + ", and its secret in " + SECRET + " or the file of its private key in " + KEY);
    }
    return id;
  }

  private @Nullable String value(String name) {
    String value = environment.apply(name);
    return value == null || value.isEmpty() ? null : value;
  }

  static PrivateKey key(String file) {
    if (file.contains("-----BEGIN") || file.contains("\n")) { // a message must not contain it
      throw Failure.usage(KEY + " has a key itself; name the file of the key instead");
    }
    Matcher block;
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      block = PEM.matcher(new String(in.readNBytes(MAX_FILE), StandardCharsets.US_ASCII));
    } catch (NoSuchFileException | InvalidPathException e) {
      throw Failure.usage("there is no file '" + file + "', which " + KEY + " names");
    } catch (IOException e) {
      throw Failure.usage(
          "'" + file + "', which " + KEY + " names, cannot be read: " + Failure.reason(e));
    }
    if (block.find()) {
      for (String kind : KINDS) {
        try {
          byte[] pkcs8 = Base64.getMimeDecoder().decode(block.group(1));
          return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
          // Another kind of key, or none at all.
        }
      }
    }
    throw Failure.usage("'" + file + "', which " + KEY + " names, holds no key of the kinds "
        + String.join(", ", KINDS) + " that starts with BEGIN PRIVATE KEY; of one in another form"
        + " openssl pkcs8 -topk8 -nocrypt makes one");
  }

  /** Returns the algorithm of JWS (RFC 7518 section 3.1) for a key. */
  static String algorithm(PrivateKey key) {
    if (!(key instanceof ECKey curve)) {
      return "RS256";
    }
    int bits = curve.getParams().getCurve().getField().getFieldSize();
    return bits <= 256 ? "ES256" : bits <= 384 ? "ES384" : "ES512";
  }
}
