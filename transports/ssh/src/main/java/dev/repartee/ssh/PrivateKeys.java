package dev.repartee.ssh;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.FilePasswordProvider;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.util.security.SecurityUtils;

/** Reads files with private keys, and creates one. No message contains a part of a key. */
final class PrivateKeys {
  /** The usual files of a user, in the order they are offered. */
  private static final List<String> USUAL = List.of("id_ed25519", "id_ecdsa", "id_rsa");

  private PrivateKeys() {}

  /**
   * Reads a file.
   *
   * @throws IOException if there is no usable key in it, or if others may read it; the message
   *     contains the file and the remedy
   */
  static KeyPair read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("there is no private key '" + file + "'; create one with: ssh-keygen -t"
          + " ed25519 -f " + file);
    }
    OwnersFile.requireUnreadableByOthers(file);
    boolean[] encrypted = new boolean[1];
    FilePasswordProvider none = (session, resource, attempt) -> {
      encrypted[0] = true;
      return null;
    };
    try (InputStream in = Files.newInputStream(file)) {
      Iterable<KeyPair> keys = SecurityUtils.loadKeyPairIdentities(
          null, NamedResource.ofName(file.toString()), in, none);
      if (keys != null) {
        for (KeyPair key : keys) {
          return key;
        }
      }
    } catch (GeneralSecurityException | IOException | RuntimeException e) {
      if (!encrypted[0]) {
        throw new IOException(
            "the file '" + file + "' has no private key that can be read: it is"
                + " damaged, or of an unknown kind; create one with: ssh-keygen -t ed25519",
            e);
      }
    }
    throw new IOException(
        encrypted[0]
            ? "the private key '" + file
                + "' is encrypted; add it to the SSH agent with ssh-add, and"
                + " omit the option with this file"
            : "the file '" + file + "' has no private key; create one with: ssh-keygen -t ed25519");
  }

  /** Reads the usual keys of the user; skips unusable ones. */
  static List<KeyPair> usual(Path home) {
    List<KeyPair> keys = new ArrayList<>();
    for (String name : USUAL) {
      Path file = home.resolve(".ssh").resolve(name);
      if (Files.exists(file)) {
        try {
          keys.add(read(file));
        } catch (IOException e) {
          // The agent offers encrypted keys.
        }
      }
    }
    return keys;
  }

  /** Creates a key in a file that only its owner can read, unless the file exists. */
  static void create(Path file) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    FileAttribute<?>[] ownersOnly =
        Files.getFileStore(file.toAbsolutePath().getParent()).supportsFileAttributeView("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    try {
      // Uses the same provider as the library, which is Bouncy Castle if it is installed.
      KeyPair key = SecurityUtils.getKeyPairGenerator(SecurityUtils.ED25519).generateKeyPair();
      Set<StandardOpenOption> anew =
          Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      try (OutputStream out = java.nio.channels.Channels.newOutputStream(
          Files.newByteChannel(file, anew, ownersOnly))) {
        OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(key, "repartee", null, out);
      }
    } catch (FileAlreadyExistsException e) {
      // Another process was faster; its key is read.
    } catch (GeneralSecurityException e) {
      throw new IOException("no host key could be created: " + e.getMessage(), e);
    }
  }
}
