package io.statestore.testing.assertj;

import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;

/**
 * Entry point of the AssertJ assertions for state stores. Import {@link #assertThat}
 * statically, beside that of AssertJ.
 * <p>
 * Assertions check the present state once. Where an application reacts later, call them
 * in Awaitility's {@code untilAsserted}, or record changes with a {@link ChangeRecorder},
 * whose assertions wait.
 */
public final class StateStoreAssertions {

	private StateStoreAssertions() {
	}

	/**
	 * Creates assertions on the content of a store.
	 * @param store the operations to read with
	 * @return the assertions
	 */
	public static StateStoreAssert assertThat(StateStoreOperations store) {
		return new StateStoreAssert(store);
	}

	/**
	 * Creates assertions on a lock.
	 * @param lock the lock
	 * @return the assertions
	 */
	public static FencedLockAssert assertThat(FencedLock lock) {
		return new FencedLockAssert(lock);
	}

	/**
	 * Creates assertions on the participation of a process in a leader election.
	 * @param election the election
	 * @return the assertions
	 */
	public static LeaderAssert assertThat(StateStoreLeaderInitiator election) {
		return new LeaderAssert(election);
	}

	/**
	 * Creates assertions on a change.
	 * @param change the change
	 * @param <T> the type of the value
	 * @return the assertions
	 */
	public static <T> KeyChangeAssert<T> assertThat(KeyChange<T> change) {
		return new KeyChangeAssert<>(change);
	}

	/**
	 * Creates assertions on the changes that a listener receives.
	 * @param recorder the listener
	 * @param <T> the type of the values
	 * @return the assertions
	 */
	public static <T> ChangeRecorderAssert<T> assertThat(ChangeRecorder<T> recorder) {
		return recorder.assertThat();
	}

}
