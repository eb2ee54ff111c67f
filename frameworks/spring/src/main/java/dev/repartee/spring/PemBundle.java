package dev.repartee.spring;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.FileSystemUtils;

/**
 * The certificates and the key of an SSL bundle as PEM files, which the options of a URI name. The
 * files are in a folder that only the user of the process may read; {@link #close} deletes them.
 */
final class PemBundle implements AutoCloseable {
  private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private final Path folder;
  private final StringBuilder options = new StringBuilder();

  private PemBundle(Path folder) {
    this.folder = folder;
  }

  /**
   * Writes the files.
   *
   * @throws IllegalArgumentException if the bundle has a key that cannot be exported
   * @throws IOException if the files cannot be written
   */
  static PemBundle of(SslBundle bundle) throws IOException {
    PemBundle files = new PemBundle(Files.createTempDirectory("repartee-tls-"));
    try {
      files.trust(bundle.getStores().getTrustStore());
      files.key(bundle);
      return files;
    } catch (GeneralSecurityException e) {
      files.close();
      throw new IllegalArgumentException("the SSL bundle cannot be read: " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      files.close();
      throw e;
    }
  }

  private void trust(@Nullable KeyStore store) throws GeneralSecurityException, IOException {
    StringBuilder pem = new StringBuilder();
    if (store != null) {
      for (String alias : Collections.list(store.aliases())) {
        append(pem, "CERTIFICATE", store.getCertificate(alias).getEncoded());
      }
      write("ca", pem);
    }
  }

  private void key(SslBundle bundle) throws GeneralSecurityException, IOException {
    KeyStore store = bundle.getStores().getKeyStore();
    if (store == null) {
      return;
    }
    String alias = bundle.getKey().getAlias() != null
        ? bundle.getKey().getAlias()
        : Collections.list(store.aliases()).get(0);
    String password = bundle.getKey().getPassword() != null
        ? bundle.getKey().getPassword()
        : bundle.getStores().getKeyStorePassword();
    Key key = store.getKey(alias, password == null ? null : password.toCharArray());
    if (key == null || key.getEncoded() == null) {
      throw new IllegalArgumentException(
          "the key of the SSL bundle cannot be exported; use PEM files"
              + " and the options cert and key of the URI");
    }
    StringBuilder pem = new StringBuilder();
    for (Certificate certificate : store.getCertificateChain(alias)) {
      append(pem, "CERTIFICATE", certificate.getEncoded());
    }
    write("cert", pem);
    StringBuilder keyPem = new StringBuilder();
    append(keyPem, "PRIVATE KEY", key.getEncoded());
    write("key", keyPem);
  }

  private static void append(StringBuilder pem, String type, byte[] der) {
    pem.append("-----BEGIN ").append(type).append("-----\n");
    pem.append(BASE64.encodeToString(der)).append("\n-----END ").append(type).append("-----\n");
  }

  private void write(String option, CharSequence pem) throws IOException {
    Path file = Files.writeString(folder.resolve(option + ".pem"), pem);
    String encoded = URLEncoder.encode(file.toString(), StandardCharsets.UTF_8).replace("+", "%20");
    options.append(options.isEmpty() ? "" : "&").append(option).append('=').append(encoded);
  }

  /** Returns a URI with the files as options. */
  String at(String uri) {
    return options.isEmpty() ? uri : uri + (uri.indexOf('#') < 0 ? '#' : '&') + options;
  }

  @Override
  public void close() {
    FileSystemUtils.deleteRecursively(folder.toFile()); // without an exception
  }
}
