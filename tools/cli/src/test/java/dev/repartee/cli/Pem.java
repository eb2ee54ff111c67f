package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** Creates a self-signed certificate for this machine as PEM files. */
final class Pem {
  private static final String PASSWORD = "changeit";

  private Pem() {}

  /** Creates the files with the keytool of this JDK. */
  static void make(Path certificate, Path key) throws Exception {
    Path store = certificate.resolveSibling("store.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process = new ProcessBuilder(
            keytool,
            "-genkeypair",
            "-alias",
            "ours",
            "-keyalg",
            "EC",
            "-dname",
            "CN=localhost",
            "-ext",
            "san=dns:localhost,ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD)
        .redirectErrorStream(true)
        .start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), US_ASCII);
    if (process.waitFor() != 0) {
      throw new IOException("keytool said: " + said);
    }
    KeyStore made = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    write(certificate, "CERTIFICATE", made.getCertificate("ours").getEncoded());
    write(key, "PRIVATE KEY", made.getKey("ours", PASSWORD.toCharArray()).getEncoded());
  }

  private static void write(Path file, String kind, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
  }
}
