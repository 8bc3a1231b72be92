package io.statestore.broker.engine;

import java.time.Duration;
import java.util.List;

import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Notification;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.MISSING;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.vdel;
import static io.statestore.broker.engine.TestStore.versionOf;
import static org.assertj.core.api.Assertions.assertThat;

/** Protocol section 6. */
class NotificationRulesTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final TestStore store = new TestStore();

	@Test
	void aSetIsNotifiedWithItsValueAndVersion() {
		this.store.observe("k");
		Answer answer = this.store.set("k", "v");
		Change change = onlyChange();
		assertThat(change.key()).isEqualTo(Bytes.of("k"));
		assertThat(change.change()).isEqualTo(new Notification.Set(Bytes.of("v")));
		assertThat(change.version()).isEqualTo(versionOf(answer));
		assertThat(change.observers()).containsExactly(this.store.me);
	}

	@Test
	void aDeletionIsNotifiedWithItsVersion() {
		this.store.observe("k");
		this.store.set("k", "v");
		this.store.takeChanges();
		Answer answer = this.store.apply(del("k"));
		assertDeleted(onlyChange());
		this.store.set("k", "v");
		this.store.takeChanges();
		answer = this.store.apply(vdel("k", "v"));
		Change change = onlyChange();
		assertDeleted(change);
		assertThat(change.version()).isEqualTo(versionOf(answer));
	}

	@Test
	void aRenewalIsNotified() {
		this.store.observe("k");
		this.store.apply(set("k", "v", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		this.store.apply(set("k", "v", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		assertThat(this.store.takeChanges()).hasSize(2);
	}

	@Test
	void whatChangesNothingIsNotNotified() {
		this.store.set("k", "v");
		this.store.observe("k");
		this.store.observe("absent");
		this.store.get("k");
		this.store.apply(set("k", "w", Condition.IF_ABSENT, null));
		this.store.apply(set("k", "w", Condition.IF_ABSENT_OR_EQUAL, null));
		this.store.apply(vdel("k", "w"));
		this.store.apply(del("absent"));
		this.store.apply(set("k", "w", Condition.ALWAYS, null), null, null);
		assertThat(this.store.takeChanges()).isEmpty();
	}

	@Test
	void aChangeIsNotifiedOnceToAnObserverThatObservesTwice() {
		this.store.observe("k");
		this.store.observe("k");
		this.store.set("k", "v");
		assertThat(onlyChange().observers()).hasSize(1);
	}

	@Test
	void observersAreComparedByIdentity() {
		Object one = new String("same");
		Object other = new String("same");
		Command observe = new Command.KeyNotify(Bytes.of("k"));
		this.store.engine.apply(new Request<>(observe, null, null, one));
		this.store.engine.apply(new Request<>(observe, null, null, other));
		this.store.set("k", "v");
		assertThat(onlyChange().observers()).hasSize(2);
		this.store.engine.disconnected(one);
		this.store.set("k", "v");
		assertThat(onlyChange().observers()).singleElement().isSameAs(other);
	}

	@Test
	void anObservationEndsWithItsConnection() {
		this.store.observe("k");
		this.store.observe("l");
		this.store.engine.disconnected(this.store.me);
		this.store.set("k", "v");
		this.store.set("l", "v");
		assertThat(this.store.takeChanges()).isEmpty();
		assertThat(this.store.apply(new Command.KeyNotifyStop(Bytes.of("k"))).reply()).isEqualTo(TestStore.NOTHING);
	}

	@Test
	void observationsThatHaveEndedLeaveNothingBehind() {
		this.store.observe("k");
		this.store.observe("l");
		assertThat(this.store.engine.observedKeyCount()).isEqualTo(2);
		this.store.apply(new Command.KeyNotifyStop(Bytes.of("k")));
		assertThat(this.store.engine.observedKeyCount()).isEqualTo(1);
		this.store.engine.disconnected(this.store.me);
		assertThat(this.store.engine.observedKeyCount()).isZero();
	}

	@Test
	void anObservationEndsWithStop() {
		this.store.observe("k");
		this.store.observe("l");
		this.store.apply(new Command.KeyNotifyStop(Bytes.of("k")));
		this.store.set("k", "v");
		this.store.set("l", "v");
		assertThat(onlyChange().key()).isEqualTo(Bytes.of("l"));
	}

	@Test
	void anObservationOutlivesItsKey() {
		this.store.observe("k");
		this.store.set("k", "v");
		this.store.apply(del("k"));
		this.store.set("k", "w");
		assertThat(this.store.takeChanges()).hasSize(3);
	}

	@Test
	void anExpiryIsNotifiedAsADeletionWithoutAnyRequest() {
		this.store.observe("k");
		Answer stored = this.store.set("k", "v", SECOND);
		this.store.takeChanges();
		this.store.pass(SECOND.minusMillis(1));
		this.store.engine.expire(10);
		assertThat(this.store.takeChanges()).isEmpty();
		this.store.pass(Duration.ofMillis(2));
		this.store.engine.expire(10);
		Change change = onlyChange();
		assertDeleted(change);
		assertThat(change.version()).isGreaterThan(versionOf(stored));
		this.store.engine.expire(10);
		assertThat(this.store.get("k").reply()).isEqualTo(MISSING);
		assertThat(this.store.takeChanges()).isEmpty();
	}

	@Test
	void noKeyLivesShorterThanItWasToldTo() {
		this.store.nanos += 999_999;
		this.store.set("k", "v", Duration.ofMillis(1));
		this.store.nanos += 999_999;
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
	}

	@Test
	void aGetAfterTheDeadlineMissesAtOnceAndTheDeletionFollowsOnce() {
		this.store.observe("k");
		this.store.set("k", "v", SECOND);
		this.store.takeChanges();
		this.store.pass(SECOND.plusMillis(1));
		assertThat(this.store.get("k")).isEqualTo(new Answer(MISSING, null));
		this.store.engine.expire(10);
		assertDeleted(onlyChange());
	}

	@Test
	void anExpiredKeyIsAbsentForEveryCommand() {
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
	void aRenewalAndTheExpiryCannotBothWin() {
		this.store.observe("k");
		this.store.set("k", "v", SECOND);
		this.store.pass(SECOND.plusMillis(1));
		this.store.takeChanges();
		// Too late: the key is deleted, then set anew, in the order of the versions.
		Answer late = this.store.apply(set("k", "v", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		List<Change> changes = this.store.takeChanges();
		assertThat(changes).hasSize(2);
		assertDeleted(changes.get(0));
		assertThat(changes.get(1).version()).isEqualTo(versionOf(late)).isGreaterThan(changes.get(0).version());
		this.store.pass(SECOND.minusMillis(1));
		this.store.apply(set("k", "v", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		this.store.takeChanges();
		// In time: the old deadline means nothing any more.
		this.store.pass(SECOND.minusMillis(1));
		this.store.engine.expire(10);
		assertThat(this.store.takeChanges()).isEmpty();
	}

	@Test
	void expiryDoesNotCareAboutTheWallClock() {
		this.store.set("k", "v", SECOND);
		this.store.wallMillis += 3_600_000;
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
		this.store.wallMillis -= 7_200_000;
		this.store.nanos += SECOND.toNanos() + 1_000_000;
		assertThat(this.store.get("k").reply()).isEqualTo(MISSING);
	}

	@Test
	void expiryStopsAtItsLimitAndGoesOn() {
		for (int i = 0; i < 100; i++) {
			this.store.set("k" + i, "v", SECOND);
		}
		this.store.pass(SECOND.plusMillis(1));
		int calls = 1;
		while (this.store.engine.expire(10)) {
			calls++;
			assertThat(this.store.engine.nanosToNextDeadline()).isZero();
		}
		assertThat(calls).isGreaterThanOrEqualTo(10);
		assertThat(this.store.engine.keyCount()).isZero();
	}

	private Change onlyChange() {
		List<Change> changes = this.store.takeChanges();
		assertThat(changes).hasSize(1);
		return changes.get(0);
	}

	private static void assertDeleted(Change change) {
		assertThat(change.change()).isEqualTo(new Notification.Delete());
	}

}
