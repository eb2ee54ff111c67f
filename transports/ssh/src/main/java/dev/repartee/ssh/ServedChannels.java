package dev.repartee.ssh;

import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.channel.RequestHandler;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.channel.ChannelSession;

/**
 * Creates channels of the only type that a server supports, without environment variables and
 * without a terminal.
 */
final class ServedChannels implements ChannelFactory {
  @Override
  public String getName() {
    return "session";
  }

  @Override
  public Channel createChannel(Session session) {
    return new Plain();
  }

  private static final class Plain extends ChannelSession {
    /** Ignores a variable: a client could send any number of them. */
    @Override
    protected RequestHandler.Result handleEnvParsed(String name, String value) {
      return RequestHandler.Result.ReplyFailure;
    }

    @Override
    protected RequestHandler.Result handlePtyReq(Buffer buffer, boolean wantReply) {
      return RequestHandler.Result.ReplyFailure;
    }
  }
}
