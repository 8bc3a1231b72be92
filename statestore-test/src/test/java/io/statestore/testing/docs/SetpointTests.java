package io.statestore.testing.docs;

import io.statestore.client.KeyObservation;
import io.statestore.client.StateStoreOperations;
import io.statestore.testing.assertj.ChangeRecorder;
import io.statestore.testing.junit.StateStoreExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

class SetpointTests {

	@RegisterExtension
	static final StateStoreExtension extension = StateStoreExtension.builder().controlTime().build();

	@Test
	void observerReceivesChanges(StateStoreOperations store) {
		ChangeRecorder<Integer> changes = new ChangeRecorder<>();
		try (KeyObservation observation = store.observe("press-1/setpoint", Integer.class, changes)) {
			assertThat(observation.isActive()).isTrue();
			store.set("press-1/setpoint", 180);
			store.delete("press-1/setpoint");
			assertThat(changes).receives(180).receivesDeletion().hasNoFurtherChanges();
		}
	}

}
