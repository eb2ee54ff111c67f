package dev.repartee.ssh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.sshd.common.config.keys.PublicKeyEntry;

/** The files of a server and of its client in a folder: keys, authorized keys and known hosts. */
record Keys(Path folder) {
  static Keys in(Path folder) throws IOException {
    Ed25519.register();
    Keys keys = new Keys(folder);
    PrivateKeys.create(keys.host());
    PrivateKeys.create(keys.own());
    keys.authorize(keys.publicKey(keys.own()) + " ada@example\n");
    Files.createFile(keys.knownHosts());
    return keys;
  }

  Path host() {
    return folder.resolve("host_key");
  }

  Path own() {
    return folder.resolve("own_key");
  }

  Path authorized() {
    return folder.resolve("authorized_keys");
  }

  Path knownHosts() {
    return folder.resolve("known_hosts");
  }

  void authorize(String lines) throws IOException {
    Files.writeString(authorized(), lines);
  }

  String publicKey(Path file) throws IOException {
    return PublicKeyEntry.toString(PrivateKeys.read(file).getPublic());
  }

  /** Adds the host key for a port of this machine to the known hosts. */
  void know(int port) throws IOException {
    knowAs(port, host());
  }

  void knowAs(int port, Path key) throws IOException {
    Files.writeString(
        knownHosts(),
        "[127.0.0.1]:" + port + " " + publicKey(key) + "\n",
        StandardOpenOption.APPEND);
  }

  /** Returns the endpoint of a server on a free port. */
  String listening() {
    return "ssh://127.0.0.1:0#hostkey=" + host() + "&authorized=" + authorized();
  }

  /** Returns the endpoint of a client. */
  String calling(int port, String command) {
    return "ssh://" + System.getProperty("user.name") + "@127.0.0.1:" + port + "/" + command
        + options();
  }

  String options() {
    return "#identity=" + own() + "&known-hosts=" + knownHosts();
  }

  /** Returns the port of an endpoint. */
  static int port(dev.repartee.transport.Endpoint endpoint) {
    return SshAddress.of(endpoint).port();
  }
}
