package io.statestore.testing.docs;

import io.statestore.client.KeyWatch;
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
	void watcherReceivesChanges(StateStoreOperations store) {
		ChangeRecorder<Integer> changes = new ChangeRecorder<>();
		try (KeyWatch watch = store.watch("press-1/setpoint", Integer.class, changes)) {
			assertThat(watch.isActive()).isTrue();
			store.set("press-1/setpoint", 180);
			store.delete("press-1/setpoint");
			assertThat(changes).receives(180).receivesDeletion().hasNoFurtherChanges();
		}
	}

}
