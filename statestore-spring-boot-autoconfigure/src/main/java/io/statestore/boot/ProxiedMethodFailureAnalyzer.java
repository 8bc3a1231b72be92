package io.statestore.boot;

import io.statestore.client.internal.ProxiedMethodInterceptor.ProxiedMethodException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for invalid {@code @LeaderOnly} and {@code @Locked} methods. */
class ProxiedMethodFailureAnalyzer extends AbstractFailureAnalyzer<ProxiedMethodException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ProxiedMethodException cause) {
		return new FailureAnalysis(cause.description() + ".", cause.action() + ".", cause);
	}

}
