package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Maximum number of keys that a principal may create. */
class PrincipalQuotaTests {

	private static final Requester ADA = new Requester("ada", "press-1");

	private static final Requester ADA_ELSEWHERE = new Requester("ada", "press-2");

	private static final Requester BOB = new Requester("bob", "press-1");

	private static final Requester ANONYMOUS = Requester.anonymous("press-1");

	private static final Reply REFUSED = TestStore.error(ErrorReason.QUOTA_EXCEEDED);

	private final TestStore store = new TestStore(new Quota(100, 1_000, 2));

	@Test
	void refusesNewKeyFromPrincipalWithTooManyKeys() {
		assertThat(set("a", ADA)).isEqualTo(TestStore.OK);
		assertThat(set("b", ADA_ELSEWHERE)).isEqualTo(TestStore.OK);
		assertThat(set("c", ADA)).isEqualTo(REFUSED);
		assertThat(this.store.machine.isOverPrincipalLimit()).isTrue();
		assertThat(this.store.machine.keyCount()).isEqualTo(2);
		assertThat(set("c", BOB)).isEqualTo(TestStore.OK);
		assertThat(this.store.machine.isOverPrincipalLimit()).isFalse();
		assertThat(this.store.machine.keysOf("ada")).isEqualTo(2);
		assertThat(this.store.machine.keysOf("bob")).isEqualTo(1);
	}

	@Test
	void keysOfAnonymousClientsAreNotCounted() {
		for (int i = 0; i < 20; i++) {
			assertThat(set("k" + i, ANONYMOUS)).isEqualTo(TestStore.OK);
		}
		assertThat(this.store.machine.ownerCount()).isZero();
	}

	@Test
	void keyKeepsItsCreator() {
		set("a", ADA);
		set("a", BOB);
		set("b", ANONYMOUS);
		set("b", BOB);
		assertThat(this.store.machine.keysOf("ada")).isEqualTo(1);
		assertThat(this.store.machine.keysOf("bob")).isZero();
	}

	@Test
	void existingKeysCanBeChangedAtLimit() {
		set("a", ADA);
		set("b", ADA);
		assertThat(set("a", ADA)).isEqualTo(TestStore.OK);
		set("c", BOB);
		assertThat(set("c", ADA)).isEqualTo(TestStore.OK);
	}

	@Test
	void deletedKeyNoLongerCountsForItsCreator() {
		set("a", ADA);
		set("b", ADA);
		assertThat(this.store.apply(TestStore.del("a"), null, null, BOB).reply()).isEqualTo(TestStore.ONE);
		assertThat(set("c", ADA)).isEqualTo(TestStore.OK);
		this.store.apply(TestStore.del("b"), null, null, ANONYMOUS);
		this.store.apply(TestStore.del("c"), null, null, ANONYMOUS);
		assertThat(this.store.machine.ownerCount()).isZero();
	}

	@Test
	void expiredKeysDoNotCount() {
		setFor("a", Duration.ofMillis(5));
		setFor("b", Duration.ofMillis(5));
		assertThat(set("c", ADA)).isEqualTo(REFUSED);
		this.store.pass(Duration.ofMillis(5));
		assertThat(set("c", ADA)).isEqualTo(TestStore.OK);
		assertThat(this.store.machine.keysOf("ada")).isEqualTo(1);
	}

	@Test
	void restoredMachineCountsKeysPerPrincipal() {
		set("a", ADA);
		setFor("lock", Duration.ofSeconds(30));
		set("b", ANONYMOUS);
		StateMachine restored = Machines.restore(Machines.dump(this.store.machine));
		assertThat(restored.quota()).isEqualTo(new Quota(100, 1_000, 2));
		assertThat(restored.keysOf("ada")).isEqualTo(2);
		set("c", ADA);
		LogEntry last = this.store.entries.get(this.store.entries.size() - 1);
		assertThat(restored.apply(Machines.recode(last)).reply()).isEqualTo(REFUSED);
		assertThat(Machines.dump(restored)).isEqualTo(Machines.dump(this.store.machine));
	}

	@Test
	void lowerLimitKeepsExistingKeys() {
		set("a", ADA);
		set("b", ADA);
		this.store.start(new Quota(100, 1_000, 1), 1, 0, null, true);
		assertThat(this.store.machine.keysOf("ada")).isEqualTo(2);
		assertThat(set("a", ADA)).isEqualTo(TestStore.OK);
		assertThat(set("c", ADA)).isEqualTo(REFUSED);
	}

	@Test
	void repeatedRequestIsNotRefusedAgain() {
		set("a", ADA);
		set("b", ADA);
		set("c", ADA);
		LogEntry refused = this.store.entries.get(this.store.entries.size() - 1);
		assertThat(this.store.append(refused).reply()).isEqualTo(REFUSED);
		assertThat(this.store.machine.isOverPrincipalLimit()).isFalse();
	}

	@Test
	void limitMustBePositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Quota(1, 1, 0))
			.withMessageContaining("maxKeysPerUser");
	}

	private Reply set(String key, Requester requester) {
		return this.store
			.apply(TestStore.set(key, "v", Condition.ALWAYS, null), this.store.now().toString(), null, requester)
			.reply();
	}

	private void setFor(String key, Duration expiry) {
		this.store.apply(TestStore.set(key, "v", Condition.IF_ABSENT, expiry), this.store.now().toString(), null, ADA);
	}

}
