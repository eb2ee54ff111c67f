package dev.repartee.transport;

import org.jspecify.annotations.Nullable;

/** A message without calls: a notification, an answer, or text of code without a peer. */
final class TextMessage implements OutgoingMessage {
  private final int size;
  private final boolean isAnswer;
  private volatile @Nullable OutboundFrame text;

  TextMessage(OutboundFrame text) {
    this.text = text;
    this.size = text.size();
    this.isAnswer = !text.isInitiated();
  }

  @Override
  public OutboundFrame text() {
    OutboundFrame present = text;
    if (present == null) {
      throw new IllegalStateException("the text was dropped");
    }
    return present;
  }

  @Override
  public void dropText() {
    text = null;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean isAnswer() {
    return isAnswer;
  }

  @Override
  public boolean fail(Throwable cause) {
    return false;
  }
}
