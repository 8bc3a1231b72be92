package io.statestore.broker.conformance;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.server.Change;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** The embedded broker with a slow journal, which must not affect clients. */
class JournalledBrokerConformanceTests extends EmbeddedBrokerConformanceTests {

	@Override
	StateStoreBrokerBuilder builder() {
		return StateStoreBroker.builder().journal(new SlowJournal());
	}

	private static final class SlowJournal implements ChangeJournal {

		@Override
		public @Nullable Version last() {
			return null;
		}

		@Override
		public boolean isAfterGap() {
			return false;
		}

		@Override
		public void write(List<Change> changes) {
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		}

		@Override
		public void force() {
		}

	}

}
