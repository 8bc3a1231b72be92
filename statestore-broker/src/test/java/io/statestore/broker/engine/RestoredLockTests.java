package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockQuery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks in a listing after the store was restored from a snapshot. */
class RestoredLockTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final TestStore store = new TestStore();

	private StateMachine machine = this.store.machine;

	@Test
	void lockFromOtherLibraryIsListedAgainOnceRenewed() {
		acquire("press-1", "oven-1", LEASE);
		acquire("press-1", "oven-1", LEASE);
		assertThat(locks(false)).containsExactly("press-1");

		restore();
		assertThat(locks(false)).isEmpty();
		assertThat(locks(true)).containsExactly("press-1");

		acquire("press-1", "oven-1", LEASE);
		assertThat(locks(false)).containsExactly("press-1");
	}

	@Test
	void omitsKeyOverwrittenAfterRestore() {
		acquire("press-1", "oven-1", LEASE);
		restore();
		apply(TestStore.set("press-1", "data", Condition.ALWAYS, LEASE));

		assertThat(locks(true)).isEmpty();
	}

	@Test
	void omitsKeysThatCannotBeLocks() {
		acquire("forever", "oven-1", null);
		acquire("large", "x".repeat(LockNames.MAX_HOLDER_LENGTH + 1), LEASE);
		restore();

		assertThat(locks(true)).isEmpty();
	}

	private void acquire(String key, String holder, @Nullable Duration lease) {
		apply(TestStore.set(key, holder, Condition.IF_ABSENT_OR_EQUAL, lease));
	}

	private void apply(Command command) {
		this.store.apply(command);
		if (this.machine != this.store.machine) {
			this.machine.apply(this.store.entries.get(this.store.entries.size() - 1));
		}
	}

	private void restore() {
		this.machine = Machines.restore(Machines.dump(this.store.machine));
	}

	private List<String> locks(boolean all) {
		List<String> keys = new ArrayList<>();
		LockQuery query = new LockQuery(Bytes.of("*"), all, null);
		Bytes token = this.machine.locks(query, this.store.nanos, (lock, successor) -> {
			keys.add(lock.key().toUtf8());
			return 0;
		});
		assertThat(token).isNull();
		return keys;
	}

}
