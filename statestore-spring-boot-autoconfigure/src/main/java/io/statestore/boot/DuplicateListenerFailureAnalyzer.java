package io.statestore.boot;

import io.statestore.listener.DuplicateListenerException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for listeners with the same id, of the state store or of Dafka. */
class DuplicateListenerFailureAnalyzer extends AbstractFailureAnalyzer<DuplicateListenerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DuplicateListenerException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", "Change the attribute 'id' of one of the annotations.",
				cause);
	}

}
