package dev.repartee.ssh;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.sshd.agent.SshAgent;
import org.apache.sshd.agent.SshAgentFactory;
import org.apache.sshd.agent.SshAgentServer;
import org.apache.sshd.common.FactoryManager;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.session.ConnectionService;
import org.apache.sshd.common.session.Session;
import org.jspecify.annotations.Nullable;

/** Connects to the SSH agent of this machine. The agent is never forwarded. */
final class AgentFactory implements SshAgentFactory {
  private final Path socket;

  AgentFactory(Path socket) {
    this.socket = socket;
  }

  @Override
  public List<ChannelFactory> getChannelForwardingFactories(FactoryManager manager) {
    return List.of();
  }

  /** Returns a client; null if no agent listens, for example because it has ended. */
  @Override
  public @Nullable SshAgent createClient(Session session, FactoryManager manager) {
    try {
      return new AgentClient(socket);
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public SshAgentServer createServer(ConnectionService service) throws IOException {
    throw new IOException("the SSH agent is not forwarded");
  }
}
