package io.statestore.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for an embedded broker that is enabled but not on the class path. */
class MissingEmbeddedBrokerFailureAnalyzer extends AbstractFailureAnalyzer<MissingEmbeddedBrokerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingEmbeddedBrokerException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"Add the dependency io.statestore:statestore-broker, or remove statestore.embedded.enabled and set "
						+ "statestore.host to a broker that serves the state store protocol.",
				cause);
	}

}
