package io.statestore.boot;

import io.statestore.client.InvalidAnnotationException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an annotated method that cannot be used as declared. */
class InvalidAnnotationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidAnnotationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidAnnotationException cause) {
		return new FailureAnalysis(cause.getMessage() + ".",
				"Change the annotated method or the configuration accordingly.", cause);
	}

}
