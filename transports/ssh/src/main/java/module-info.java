/** JSON-RPC through SSH. */
@SuppressWarnings("requires-automatic") // the SSH library has no descriptor
module dev.repartee.ssh {
  requires transitive dev.repartee;
  requires static transitive org.jspecify;
  requires org.apache.sshd.osgi;
  requires org.slf4j; // for the SSH library

  exports dev.repartee.ssh;

  provides dev.repartee.transport.Transport with
      dev.repartee.ssh.SshTransport;
}
