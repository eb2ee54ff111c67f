package dev.repartee.ssh;

import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.apache.sshd.agent.common.AbstractAgentProxy;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.buffer.ByteArrayBuffer;

/**
 * The client of an SSH agent at a Unix socket (draft-ietf-sshm-ssh-agent). The agent client of the
 * SSH library needs native code; the JDK connects to Unix sockets without it.
 */
final class AgentClient extends AbstractAgentProxy {
  /** The greatest answer of an agent, as in OpenSSH (authfd.c, MAX_AGENT_REPLY_LEN). */
  private static final int MAX_ANSWER = 256 << 10;

  private final SocketChannel socket;

  AgentClient(Path agent) throws IOException {
    super(null);
    socket = SocketChannel.open(UnixDomainSocketAddress.of(agent));
  }

  @Override
  protected synchronized Buffer request(Buffer request) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(request.array(), request.rpos(), request.available());
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
    int length = read(Integer.BYTES).getInt();
    if (length < 1 || length > MAX_ANSWER) {
      throw new IOException("the SSH agent has sent an answer of " + length + " bytes");
    }
    return new ByteArrayBuffer(read(length).array());
  }

  private ByteBuffer read(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (socket.read(bytes) < 0) {
        throw new EOFException("the SSH agent has closed its connection");
      }
    }
    return bytes.flip();
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public void close() throws IOException {
    socket.close();
    super.close();
  }
}
