package dev.repartee.netty.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.transport.Endpoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file with certificates or a key that an option of an endpoint names, usually in PEM (RFC 7468).
 *
 * @param path the path of the file
 * @param option the name of the option
 * @param bytes the content of the file
 */
record PemFile(Path path, String option, byte[] bytes) {
  private static final Set<String> CERTIFICATE =
      Set.of("CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE");
  private static final Set<String> KEY = Set.of("PRIVATE KEY");

  /** A block. Group 3, its last line, is missing if the block has no proper end. */
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([^-\\r\\n]+)-----([^-]*)(-----END \\1-----)?");

  private static final List<String> KINDS_OF_KEYS = List.of("RSA", "RSASSA-PSS", "EC", "EdDSA");

  /**
   * Reads the file that an option names. The value of the option may have percent escapes.
   *
   * @return null if the endpoint does not have the option
   * @throws IOException if the file cannot be read; the message names it
   */
  static @Nullable PemFile of(Endpoint endpoint, String option) throws IOException {
    String value = endpoint.options().get(option);
    if (value == null) {
      return null;
    }
    Path path = path(value);
    return new PemFile(path, option, read(path, option));
  }

  /** Reads the file that an option names; the message of the exception names both. */
  static byte[] read(Path path, String option) throws IOException {
    try {
      return Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      throw new IOException(
          "there is no file '" + path + "', the option " + option + "; relative names start at "
              + Path.of("").toAbsolutePath(),
          e);
    } catch (IOException e) {
      throw new IOException(
          "cannot read '" + path + "', the option " + option + ": " + e.getMessage(), e);
    }
  }

  /** Returns the path in the value of an option, which may have percent escapes. */
  static Path path(String value) {
    return Path.of(Endpoint.decoded(value));
  }

  /**
   * Returns the certificates of the file, at least one. All other content is skipped, such as
   * comments, or the private key that other programs expect in the same file.
   *
   * @throws IOException if there is no certificate, or a broken one
   */
  X509Certificate[] certificates() throws IOException {
    List<Block> blocks = blocks(CERTIFICATE);
    if (blocks.isEmpty()) {
      throw useless("holds no certificate, which starts with BEGIN CERTIFICATE", null);
    }
    X509Certificate[] all = new X509Certificate[blocks.size()];
    for (int i = 0; i < all.length; i++) {
      try {
        all[i] = (X509Certificate) CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(blocks.get(i).bytes()));
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        throw useless(
            "holds a broken certificate: block " + (i + 1) + " of " + all.length + ", in line "
                + blocks.get(i).line() + ", cannot be read: " + e.getMessage(),
            e);
      }
    }
    return all;
  }

  /**
   * Returns the first private key of the file.
   *
   * @throws IOException if there is no key, or a broken one
   */
  PrivateKey key() throws IOException {
    List<Block> blocks = blocks(KEY);
    if (blocks.isEmpty()) {
      throw useless(
          "holds no private key that starts with BEGIN PRIVATE KEY; of one in another form openssl"
              + " pkcs8 -topk8 -nocrypt makes one",
          null);
    }
    try {
      return key(blocks.get(0).bytes());
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw useless(
          "holds a private key, in line " + blocks.get(0).line() + ", that is broken or not one of "
              + KINDS_OF_KEYS,
          e);
    }
  }

  /** Returns the blocks with one of these labels, in the order of the file. */
  private List<Block> blocks(Set<String> labels) {
    String text = new String(bytes, ISO_8859_1);
    List<Block> blocks = new ArrayList<>();
    for (Matcher block = BLOCK.matcher(text); block.find(); ) {
      if (labels.contains(block.group(1))) {
        long line =
            1 + text.substring(0, block.start()).chars().filter(c -> c == '\n').count();
        blocks.add(new Block(line, block.group(2), block.group(3) != null));
      }
    }
    return blocks;
  }

  /**
   * A block of the file.
   *
   * @param line the number of its first line
   * @param base64 its content
   * @param isWhole whether its last line was found
   */
  private record Block(long line, String base64, boolean isWhole) {
    /** Decodes the content, which may contain blanks and line ends. */
    byte[] bytes() {
      if (!isWhole) {
        throw new IllegalArgumentException(
            "its END line is missing, or does not follow the base64");
      }
      return Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
    }
  }

  private static PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
    GeneralSecurityException last = new InvalidKeySpecException("it is empty");
    for (String kind : KINDS_OF_KEYS) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (GeneralSecurityException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Returns the exception for a file that cannot be used. */
  IOException useless(String why, @Nullable Throwable cause) {
    return new IOException("'" + path + "', the option " + option + ", " + why, cause);
  }
}
