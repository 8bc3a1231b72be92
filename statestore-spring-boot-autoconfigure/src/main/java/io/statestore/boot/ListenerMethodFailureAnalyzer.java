package io.statestore.boot;

import io.statestore.listener.ListenerMethodException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for invalid listener methods. */
class ListenerMethodFailureAnalyzer extends AbstractFailureAnalyzer<ListenerMethodException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ListenerMethodException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", "Change the method or its annotation accordingly.", cause);
	}

}
