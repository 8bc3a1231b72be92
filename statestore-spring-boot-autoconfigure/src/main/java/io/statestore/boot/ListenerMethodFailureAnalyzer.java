package io.statestore.boot;

import io.statestore.client.annotation.StateStoreListenerMethodException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for invalid listener methods. */
class ListenerMethodFailureAnalyzer extends AbstractFailureAnalyzer<StateStoreListenerMethodException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, StateStoreListenerMethodException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", "Change the method or its annotation accordingly.", cause);
	}

}
