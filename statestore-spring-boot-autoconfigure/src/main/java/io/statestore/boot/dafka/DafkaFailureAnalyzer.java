package io.statestore.boot.dafka;

import io.statestore.dafka.DafkaException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for Dafka nodes that cannot use their port or directory. */
class DafkaFailureAnalyzer extends AbstractFailureAnalyzer<DafkaException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DafkaException cause) {
		return new FailureAnalysis(cause.getMessage() + ".",
				"Set another port or directory in the properties that start with 'dafka.', or stop the process that "
						+ "uses it.",
				cause);
	}

}
