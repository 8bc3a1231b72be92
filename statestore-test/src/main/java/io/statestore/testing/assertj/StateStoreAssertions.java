package io.statestore.testing.assertj;

import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;

/**
 * Entry point for AssertJ assertions on state stores. Import {@link #assertThat}
 * statically, alongside AssertJ's method.
 * <p>
 * Assertions check the current state once. If an application reacts later, call them in
 * Awaitility's {@code untilAsserted}, or record changes with a {@link ChangeRecorder},
 * whose assertions wait.
 */
public final class StateStoreAssertions {

	private StateStoreAssertions() {
	}

	/**
	 * Creates assertions on the content of a store.
	 * @param store operations to read with
	 * @return new assertions
	 */
	public static StateStoreAssert assertThat(StateStoreOperations store) {
		return new StateStoreAssert(store);
	}

	/**
	 * Creates assertions on a lock.
	 * @param lock lock to check
	 * @return new assertions
	 */
	public static FencedLockAssert assertThat(FencedLock lock) {
		return new FencedLockAssert(lock);
	}

	/**
	 * Creates assertions on a process's role in a leader election.
	 * @param election the process's leader initiator
	 * @return new assertions
	 */
	public static LeaderAssert assertThat(StateStoreLeaderInitiator election) {
		return new LeaderAssert(election);
	}

	/**
	 * Creates assertions on a change.
	 * @param change change to check
	 * @param <T> type of the value
	 * @return new assertions
	 */
	public static <T> KeyChangeAssert<T> assertThat(KeyChange<T> change) {
		return new KeyChangeAssert<>(change);
	}

	/**
	 * Creates assertions on the changes that a listener receives.
	 * @param recorder listener that records the changes
	 * @param <T> type of the values
	 * @return new assertions
	 */
	public static <T> ChangeRecorderAssert<T> assertThat(ChangeRecorder<T> recorder) {
		return recorder.assertThat();
	}

}
