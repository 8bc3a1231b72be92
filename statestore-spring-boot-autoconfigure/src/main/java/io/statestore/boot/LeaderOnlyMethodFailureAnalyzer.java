package io.statestore.boot;

import io.statestore.client.leader.LeaderOnlyMethodException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Failure analyzer for methods that cannot be restricted to the leader. */
class LeaderOnlyMethodFailureAnalyzer extends AbstractFailureAnalyzer<LeaderOnlyMethodException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LeaderOnlyMethodException cause) {
		return new FailureAnalysis(cause.description() + ".", cause.action() + ".", cause);
	}

}
