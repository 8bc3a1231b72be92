package io.statestore.broker.server;

import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Changes of a recovery that the journal lacks. */
class ReplayFilterTests {

	private static Version version(long millis) {
		return new Version(millis, 0, "StateStore");
	}

	/** Returns a filter for a journal that ends with version 10. */
	private static ReplayFilter filter(long lastChange) {
		return new ReplayFilter(version(10), version(lastChange));
	}

	@Test
	void continuesBehindLastChangeOfSnapshot() {
		ReplayFilter filter = filter(10);
		assertThat(filter.isComplete()).isTrue();
		assertThat(filter.pass(version(11))).isTrue();
		assertThat(filter.isComplete()).isTrue();
	}

	@Test
	void continuesBehindRepeatedChange() {
		ReplayFilter filter = filter(5);
		assertThat(filter.pass(version(7))).isFalse();
		assertThat(filter.isComplete()).isFalse();
		assertThat(filter.pass(version(10))).isFalse();
		assertThat(filter.pass(version(11))).isTrue();
		assertThat(filter.isComplete()).isTrue();
	}

	@Test
	void refusesJournalThatIsBehindSnapshot() {
		ReplayFilter filter = filter(11);
		assertThat(filter.pass(version(12))).isFalse();
		assertThat(filter.isComplete()).isFalse();
	}

	@Test
	void refusesJournalWhoseLastChangeIsUnknown() {
		ReplayFilter filter = filter(5);
		assertThat(filter.pass(version(11))).isFalse();
		assertThat(filter.pass(version(12))).isFalse();
		assertThat(filter.isComplete()).isFalse();
	}

	@Test
	void refusesJournalThatIsAheadOfStore() {
		ReplayFilter filter = new ReplayFilter(version(10), StateMachine.BEFORE_ALL);
		assertThat(filter.pass(version(9))).isFalse();
		assertThat(filter.isComplete()).isFalse();
	}

}
