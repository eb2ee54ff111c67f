/**
 * JSON-RPC through SSH. A client runs a command on a remote machine and communicates over its
 * standard input and output: {@code ssh://user@host:port/command}. A server offers the subsystem
 * {@code json-rpc} to the owners of authorized keys; {@link dev.repartee.ssh.SshKey} identifies the
 * caller in a handler. {@link dev.repartee.ssh.SshTransport} has all options.
 */
@NullMarked
package dev.repartee.ssh;

import org.jspecify.annotations.NullMarked;
