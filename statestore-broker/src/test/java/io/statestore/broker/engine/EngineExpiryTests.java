package io.statestore.broker.engine;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.MISSING;
import static io.statestore.broker.engine.TestStore.NOTHING;
import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.vdel;
import static io.statestore.broker.engine.TestStore.versionOf;
import static org.assertj.core.api.Assertions.assertThat;

/** Expiry of keys (protocol sections 2 and 6). */
class EngineExpiryTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final TestStore store = new TestStore();

	@Test
	void shorterExpiryReplacesLongerExpiry() {
		this.store.set("k", "a", Duration.ofHours(1));
		this.store.set("k", "a", SECOND);
		this.store.takeChanges();
		this.store.pass(SECOND.plusMillis(1));
		this.store.expire(10);
		assertThat(this.store.takeChanges()).hasSize(1);
	}

	@Test
	void largestExpiryNeverEnds() {
		this.store.set("k", "v", Duration.ofMillis(999_999_999_999_999_999L));
		this.store.set("l", "v", Duration.ofSeconds(Long.MAX_VALUE));
		this.store.pass(Duration.ofDays(100 * 365));
		assertThat(this.store.expire(10)).isFalse();
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
		assertThat(this.store.get("l").reply()).isEqualTo(value("v"));
		assertThat(this.store.machine.nextDeadline()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void notifiesExpiryAsDeletionWithoutRequest() {
		this.store.takeChanges();
		Answer stored = this.store.set("k", "v", SECOND);
		this.store.takeChanges();
		this.store.pass(SECOND.minusMillis(1));
		this.store.expire(10);
		assertThat(this.store.takeChanges()).isEmpty();
		this.store.pass(Duration.ofMillis(2));
		this.store.expire(10);
		Change change = onlyChange();
		assertDeleted(change);
		assertThat(change.version()).isGreaterThan(versionOf(stored));
		this.store.expire(10);
		assertThat(this.store.get("k").reply()).isEqualTo(MISSING);
		assertThat(this.store.takeChanges()).isEmpty();
	}

	@Test
	void keepsKeyForEntireExpiry() {
		this.store.nanos += 999_999;
		this.store.set("k", "v", Duration.ofMillis(1));
		this.store.nanos += 999_999;
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
	}

	@Test
	void readingExpiredKeyNotifiesDeletionOnce() {
		this.store.takeChanges();
		this.store.set("k", "v", SECOND);
		this.store.takeChanges();
		this.store.pass(SECOND.plusMillis(1));
		assertThat(this.store.get("k")).isEqualTo(new Answer(MISSING, null));
		this.store.expire(10);
		assertDeleted(onlyChange());
	}

	@Test
	void expiredKeyIsAbsentForEveryCommand() {
		Command nx = set("k", "w", Condition.IF_ABSENT, null);
		for (Command command : List.of(del("k"), vdel("k", "v"))) {
			this.store.set("k", "v", SECOND);
			this.store.pass(SECOND.plusMillis(1));
			assertThat(this.store.apply(command).reply()).isEqualTo(TestStore.NOTHING);
		}
		this.store.set("k", "v", SECOND);
		this.store.pass(SECOND.plusMillis(1));
		assertThat(this.store.apply(new Command.Scan(Bytes.of("k"), null)).reply())
			.isEqualTo(this.store.apply(new Command.Scan(Bytes.of("absent"), null)).reply());
		assertThat(this.store.apply(nx).reply()).isEqualTo(TestStore.OK);
	}

	@Test
	void timelyRenewalPreventsExpiryAndLateRenewalDoesNot() {
		this.store.takeChanges();
		this.store.set("k", "v", SECOND);
		this.store.pass(SECOND.plusMillis(1));
		this.store.takeChanges();
		// Too late: the key is deleted and then set again, in version order
		Answer late = this.store.apply(set("k", "v", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		List<Change> changes = this.store.takeChanges();
		assertThat(changes).hasSize(2);
		assertDeleted(changes.get(0));
		assertThat(changes.get(1).version()).isEqualTo(versionOf(late)).isGreaterThan(changes.get(0).version());
		this.store.pass(SECOND.minusMillis(1));
		this.store.apply(set("k", "v", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		this.store.takeChanges();
		// In time: the old deadline has no effect
		this.store.pass(SECOND.minusMillis(1));
		this.store.expire(10);
		assertThat(this.store.takeChanges()).isEmpty();
	}

	@Test
	void expiryDoesNotDependOnWallClock() {
		this.store.set("k", "v", SECOND);
		this.store.wallMillis += 3_600_000;
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
		this.store.wallMillis -= 7_200_000;
		this.store.nanos += SECOND.toNanos() + 1_000_000;
		assertThat(this.store.get("k").reply()).isEqualTo(MISSING);
	}

	@Test
	void expiresInBatches() {
		for (int i = 0; i < 100; i++) {
			this.store.set("k" + i, "v", SECOND);
		}
		this.store.pass(SECOND.plusMillis(1));
		int calls = 1;
		while (this.store.expire(10)) {
			calls++;
			assertThat(this.store.machine.nextDeadline()).isLessThanOrEqualTo(this.store.nanos);
		}
		assertThat(calls).isGreaterThanOrEqualTo(10);
		assertThat(this.store.machine.keyCount()).isZero();
	}

	private Change onlyChange() {
		List<Change> changes = this.store.takeChanges();
		assertThat(changes).hasSize(1);
		return changes.get(0);
	}

	private static void assertDeleted(Change change) {
		assertThat(change.value()).isNull();
		assertThat(change.author()).isNull();
	}

}
