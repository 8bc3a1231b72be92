package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.MISSING;
import static io.statestore.broker.engine.TestStore.NOTHING;
import static io.statestore.broker.engine.TestStore.NOT_APPLIED;
import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.ONE;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.vdel;
import static io.statestore.broker.engine.TestStore.versionOf;
import static org.assertj.core.api.Assertions.assertThat;

/** Protocol section 2, and the replies' versions of sections 1 and 10. */
class CommandRulesTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final TestStore store = new TestStore();

	@Test
	void setStoresAndGetFinds() {
		assertThat(this.store.set("k", "v").reply()).isEqualTo(OK);
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
	}

	@Test
	void keysAndValuesAreArbitraryBytesAndValuesMayBeEmpty() {
		Bytes key = Bytes.wrap(new byte[] { 0, '/', '+', '#', '\r', '\n', (byte) 0xFF });
		this.store.apply(new Command.Set(key, Bytes.EMPTY));
		assertThat(this.store.apply(new Command.Get(key)).reply()).isEqualTo(value(""));
	}

	@Test
	void getHitCarriesTheStoredVersionAndDoesNotTickIt() {
		Answer stored = this.store.set("k", "v");
		this.store.pass(SECOND);
		assertThat(this.store.get("k").version()).isEqualTo(versionOf(stored));
		assertThat(this.store.get("k").version()).isEqualTo(versionOf(stored));
	}

	@Test
	void getMissCarriesNoVersion() {
		assertThat(this.store.get("k")).isEqualTo(new Answer(MISSING, null));
	}

	@Test
	void nxSetsOnlyIfAbsentAndElseTellsTheStoredVersion() {
		Answer first = this.store.apply(set("k", "a", Condition.IF_ABSENT, null));
		assertThat(first.reply()).isEqualTo(OK);
		assertThat(this.store.apply(set("k", "a", Condition.IF_ABSENT, null)))
			.isEqualTo(new Answer(NOT_APPLIED, first.version()));
		assertThat(this.store.get("k").reply()).isEqualTo(value("a"));
	}

	@Test
	void nexSetsIfAbsentOrEqualWithANewVersionAndElseTellsTheStoredVersion() {
		Answer first = this.store.apply(set("k", "a", Condition.IF_ABSENT_OR_EQUAL, null));
		assertThat(first.reply()).isEqualTo(OK);
		Answer second = this.store.apply(set("k", "a", Condition.IF_ABSENT_OR_EQUAL, null));
		assertThat(second.reply()).isEqualTo(OK);
		assertThat(versionOf(second)).isGreaterThan(versionOf(first));
		assertThat(this.store.apply(set("k", "b", Condition.IF_ABSENT_OR_EQUAL, null)))
			.isEqualTo(new Answer(NOT_APPLIED, second.version()));
		assertThat(this.store.get("k")).isEqualTo(new Answer(value("a"), second.version()));
	}

	@Test
	void nexRenewsALease() {
		this.store.apply(set("k", "a", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		this.store.pass(SECOND.minusMillis(1));
		this.store.apply(set("k", "a", Condition.IF_ABSENT_OR_EQUAL, SECOND));
		this.store.pass(SECOND.minusMillis(1));
		assertThat(this.store.get("k").reply()).isEqualTo(value("a"));
		this.store.pass(Duration.ofMillis(2));
		assertThat(this.store.get("k").reply()).isEqualTo(MISSING);
	}

	@Test
	void aRefusedSetLeavesTheExpiryAlone() {
		this.store.set("k", "a", SECOND);
		this.store.apply(set("k", "b", Condition.IF_ABSENT, Duration.ofHours(1)));
		this.store.pass(SECOND.plusMillis(1));
		assertThat(this.store.get("k").reply()).isEqualTo(MISSING);
	}

	@Test
	void setWithoutPxClearsAnEarlierExpiry() {
		this.store.set("k", "a", SECOND);
		this.store.set("k", "b");
		this.store.pass(Duration.ofDays(365));
		assertThat(this.store.engine.expire(10)).isFalse();
		assertThat(this.store.get("k").reply()).isEqualTo(value("b"));
	}

	@Test
	void aShorterPxReplacesALongerOne() {
		this.store.set("k", "a", Duration.ofHours(1));
		this.store.set("k", "a", SECOND);
		this.store.observe("k");
		this.store.pass(SECOND.plusMillis(1));
		this.store.engine.expire(10);
		assertThat(this.store.takeChanges()).hasSize(1);
	}

	@Test
	void delTellsWhetherTheKeyWasThere() {
		Answer stored = this.store.set("k", "v");
		Answer deleted = this.store.apply(del("k"));
		assertThat(deleted.reply()).isEqualTo(ONE);
		assertThat(versionOf(deleted)).isGreaterThan(versionOf(stored));
		assertThat(this.store.apply(del("k"))).isEqualTo(new Answer(NOTHING, null));
		assertThat(this.store.get("k").reply()).isEqualTo(MISSING);
	}

	@Test
	void vdelDeletesOnlyThisValueAndElseTellsTheStoredVersion() {
		Answer stored = this.store.set("k", "v");
		assertThat(this.store.apply(vdel("k", "other"))).isEqualTo(new Answer(NOT_APPLIED, stored.version()));
		Answer deleted = this.store.apply(vdel("k", "v"));
		assertThat(deleted.reply()).isEqualTo(ONE);
		assertThat(versionOf(deleted)).isGreaterThan(versionOf(stored));
		assertThat(this.store.apply(vdel("k", "v"))).isEqualTo(new Answer(NOTHING, null));
	}

	@Test
	void keynotifyIsOkAlsoWhenAlreadyObserved() {
		assertThat(this.store.observe("k")).isEqualTo(new Answer(OK, null));
		assertThat(this.store.observe("k")).isEqualTo(new Answer(OK, null));
	}

	@Test
	void stopTellsWhetherTheKeyWasObserved() {
		Command stop = new Command.KeyNotifyStop(Bytes.of("k"));
		assertThat(this.store.apply(stop)).isEqualTo(new Answer(NOTHING, null));
		this.store.observe("k");
		assertThat(this.store.apply(stop)).isEqualTo(new Answer(OK, null));
		assertThat(this.store.apply(stop)).isEqualTo(new Answer(NOTHING, null));
	}

	@Test
	void pxNearTheEndOfTheNumbersNeverExpires() {
		this.store.set("k", "v", Duration.ofMillis(999_999_999_999_999_999L));
		this.store.set("l", "v", Duration.ofSeconds(Long.MAX_VALUE));
		this.store.pass(Duration.ofDays(100 * 365));
		assertThat(this.store.engine.expire(10)).isFalse();
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
		assertThat(this.store.get("l").reply()).isEqualTo(value("v"));
		assertThat(this.store.engine.nanosToNextDeadline()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void whatIsKeptDoesNotKeepTheMessageItCameIn() {
		Bytes message = Bytes.of("..key..value..");
		this.store.apply(new Command.Set(message.slice(2, 5), message.slice(7, 12)));
		Answer answer = this.store.get("key");
		assertThat(answer.reply()).isEqualTo(value("value"));
		Bytes kept = ((Reply.Value) answer.reply()).value();
		assertThat(kept.compact()).isSameAs(kept);
	}

}
