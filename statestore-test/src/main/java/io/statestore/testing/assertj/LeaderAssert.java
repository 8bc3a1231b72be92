package io.statestore.testing.assertj;

import io.statestore.client.leader.StateStoreLeaderInitiator;
import org.assertj.core.api.AbstractAssert;

/** Assertions on a process's role in a leader election. */
public final class LeaderAssert extends AbstractAssert<LeaderAssert, StateStoreLeaderInitiator> {

	LeaderAssert(StateStoreLeaderInitiator actual) {
		super(actual, LeaderAssert.class);
	}

	/**
	 * Verifies that the process leads.
	 * @return these assertions
	 * @throws AssertionError if the process does not lead
	 */
	public LeaderAssert isLeader() {
		isNotNull();
		if (!this.actual.isLeader()) {
			throw failure("Expecting this process to lead the role '%s', but it does not", this.actual.role());
		}
		return this;
	}

	/**
	 * Verifies that the process does not lead.
	 * @return these assertions
	 * @throws AssertionError if the process leads
	 */
	public LeaderAssert isNotLeader() {
		isNotNull();
		if (this.actual.isLeader()) {
			throw failure("Expecting this process not to lead the role '%s', but it does", this.actual.role());
		}
		return this;
	}

}
