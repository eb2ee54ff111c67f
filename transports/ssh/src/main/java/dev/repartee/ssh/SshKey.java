package dev.repartee.ssh;

import dev.repartee.transport.Attribute;
import java.security.Principal;

/**
 * The key that a client of an SSH server has proved to own. A handler finds it among the attributes
 * of its call: {@code call.attributes().get(SshKey.ATTRIBUTE)}. Immutable.
 *
 * @param fingerprint the fingerprint of the public key, as {@code ssh-keygen -l} prints it: {@code
 *     SHA256:...}
 * @param comment the comment of the key in the file of authorized keys; empty if it has none
 * @param user the user name that the client has chosen; it proves nothing
 */
public record SshKey(String fingerprint, String comment, String user) implements Principal {
  /** The attribute of a call that arrived through SSH. */
  public static final Attribute<SshKey> ATTRIBUTE = Attribute.named("SSH key");

  /** Returns the comment of the key, or its fingerprint if it has no comment. */
  @Override
  public String getName() {
    return comment.isEmpty() ? fingerprint : comment;
  }
}
