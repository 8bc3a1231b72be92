package io.statestore.boot;

import io.statestore.listener.AnnotatedMethodException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for annotated methods whose annotation or signature is invalid. */
class AnnotatedMethodFailureAnalyzer extends AbstractFailureAnalyzer<AnnotatedMethodException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, AnnotatedMethodException cause) {
		return new FailureAnalysis(cause.getMessage() + ".", "Change the method or its annotation accordingly.", cause);
	}

}
