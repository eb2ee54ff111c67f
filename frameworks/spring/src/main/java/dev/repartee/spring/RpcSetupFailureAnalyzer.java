package dev.repartee.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the description and the remedy of an {@link RpcSetupException}, without a stack trace. */
final class RpcSetupFailureAnalyzer extends AbstractFailureAnalyzer<RpcSetupException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, RpcSetupException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
  }
}
