package dev.repartee.benchmarks.peers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A new certificate for this machine and its key, made by the {@code keytool} of the JDK. */
record TlsFiles(Path folder) {
  private static final String KEYTOOL =
      Path.of(System.getProperty("java.home"), "bin", "keytool").toString();

  static TlsFiles create() throws IOException {
    TlsFiles files = new TlsFiles(Files.createTempDirectory("repartee-tls"));
    Files.writeString(files.password(), "benchmark\n");
    files.keytool(
        "-genkeypair",
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        "CN=localhost",
        "-ext",
        "SAN=IP:127.0.0.1");
    files.keytool("-exportcert", "-rfc", "-file", files.authority().toString());
    return files;
  }

  private Path password() {
    return folder.resolve("password");
  }

  private Path store() {
    return folder.resolve("server.p12");
  }

  private Path authority() {
    return folder.resolve("ca.pem");
  }

  private void keytool(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(KEYTOOL));
    command.addAll(List.of(arguments));
    command.addAll(List.of(
        "-alias",
        "server",
        "-storetype",
        "PKCS12",
        "-keystore",
        store().toString(),
        "-storepass:file",
        password().toString()));
    File log = folder.resolve("log").toFile();
    Process process = new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log)
        .start();
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException("keytool failed: " + Files.readString(log.toPath()));
    }
  }

  /** Returns the options of a server. */
  String ofServer() {
    return "#cert=" + store() + "&password=@" + password();
  }

  /** Returns the option of a client. */
  String ofClient() {
    return "#ca=" + authority();
  }
}
