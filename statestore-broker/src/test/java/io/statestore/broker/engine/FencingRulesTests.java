package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.NOT_APPLIED;
import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.ONE;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.error;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.vdel;
import static org.assertj.core.api.Assertions.assertThat;

/** Protocol section 5. */
class FencingRulesTests {

	private static final Reply REQUIRED = error(ErrorReason.FENCING_TOKEN_REQUIRED);

	private static final Reply LOWER = error(ErrorReason.FENCING_TOKEN_LOWER_VERSION);

	private static final Command SET = set("k", "v", Condition.ALWAYS, null);

	private final TestStore store = new TestStore(new Quota(1, 100));

	private final Version older = new Version(1_000, 1, "a");

	private final Version token = new Version(1_000, 2, "a");

	private final Version newer = new Version(1_000, 2, "b");

	@BeforeEach
	void fence() {
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(OK);
	}

	@Test
	void writesOfAFencedKeyNeedAToken() {
		assertThat(this.store.apply(SET).reply()).isEqualTo(REQUIRED);
		assertThat(this.store.apply(del("k")).reply()).isEqualTo(REQUIRED);
		assertThat(this.store.apply(vdel("k", "v")).reply()).isEqualTo(REQUIRED);
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
	}

	@Test
	void anOlderTokenIsRefused() {
		assertThat(this.store.apply(SET, this.older).reply()).isEqualTo(LOWER);
		assertThat(this.store.apply(del("k"), this.older).reply()).isEqualTo(LOWER);
		assertThat(this.store.apply(vdel("k", "v"), this.older).reply()).isEqualTo(LOWER);
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
	}

	@Test
	void acceptsOwnTokensAfterSystemClockWasSetBack() {
		Version granted = this.store.apply(SET, this.token).version();
		assertThat(granted).isNotNull();
		this.store.wallMillis -= 3_600_000;

		assertThat(this.store.apply(SET, granted).reply()).isEqualTo(OK);
		assertThat(this.store.apply(SET, granted.toString(), granted.toString()).reply()).isEqualTo(OK);
	}

	@Test
	void theSameTokenMayWriteAgain() {
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(OK);
		assertThat(this.store.apply(vdel("k", "v"), this.token).reply()).isEqualTo(ONE);
	}

	@Test
	void aNewerTokenReplacesTheStoredOne() {
		assertThat(this.store.apply(SET, this.newer).reply()).isEqualTo(OK);
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(LOWER);
	}

	@Test
	void tokensCompareAsNumbersPaddedOrNot() {
		this.store.apply(SET, this.store.now().toString(), "000000000001000:00010:a");
		assertThat(this.store.apply(SET, this.store.now().toString(), "1000:9:a").reply()).isEqualTo(LOWER);
		assertThat(this.store.apply(SET, this.store.now().toString(), "1000:10:a").reply()).isEqualTo(OK);
	}

	@Test
	void getNeverNeedsAToken() {
		assertThat(this.store.get("k").reply()).isEqualTo(value("v"));
	}

	@Test
	void theMarkGoesWithTheKey() {
		this.store.apply(del("k"), this.token);
		assertThat(this.store.set("k", "v").reply()).isEqualTo(OK);
		this.store.apply(set("k", "v", Condition.ALWAYS, Duration.ofMillis(1)), this.token);
		this.store.pass(Duration.ofSeconds(1));
		assertThat(this.store.set("k", "v").reply()).isEqualTo(OK);
	}

	@Test
	void aSetRefusedByItsConditionStoresNoToken() {
		assertThat(this.store.apply(set("k", "w", Condition.IF_ABSENT, null), this.newer).reply())
			.isEqualTo(NOT_APPLIED);
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(OK);
	}

	@Test
	void aRefusedVdelStoresNoToken() {
		assertThat(this.store.apply(vdel("k", "w"), this.newer).reply()).isEqualTo(NOT_APPLIED);
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(OK);
	}

	@Test
	void aTokenTooFarAheadHasItsOwnError() {
		Version ahead = this.store.ahead(60_001);
		Reply expected = error(ErrorReason.FENCING_TOKEN_TOO_FAR_IN_FUTURE);
		assertThat(this.store.apply(SET, ahead).reply()).isEqualTo(expected);
		assertThat(this.store.apply(del("k"), ahead).reply()).isEqualTo(expected);
		assertThat(this.store.apply(vdel("k", "v"), ahead).reply()).isEqualTo(expected);
		assertThat(this.store.apply(SET, this.store.ahead(60_000)).reply()).isEqualTo(OK);
	}

	@Test
	void aMalformedTokenIsAMalformedTimestampAlsoForAMissingKey() {
		for (Command command : new Command[] { SET, del("absent"), vdel("absent", "v") }) {
			assertThat(this.store.apply(command, this.store.now().toString(), "x").reply())
				.isEqualTo(error(ErrorReason.MALFORMED_TIMESTAMP));
		}
	}

	@Test
	void theTokenOfACommandThatCannotBeFencedIsIgnored() {
		assertThat(this.store.apply(new Command.Get(((Command.Set) SET).key()), null, "x").reply())
			.isEqualTo(value("v"));
	}

	@Test
	void timestampsAreCheckedBeforeFencing() {
		assertThat(this.store.apply(SET, null, this.older.toString()).reply())
			.isEqualTo(error(ErrorReason.MISSING_TIMESTAMP));
		assertThat(this.store.apply(SET, "x", null).reply()).isEqualTo(error(ErrorReason.MALFORMED_TIMESTAMP));
	}

	@Test
	void fencingIsCheckedBeforeTheCondition() {
		assertThat(this.store.apply(set("k", "w", Condition.IF_ABSENT, null)).reply()).isEqualTo(REQUIRED);
		assertThat(this.store.apply(set("k", "w", Condition.IF_ABSENT_OR_EQUAL, null), this.older).reply())
			.isEqualTo(LOWER);
		assertThat(this.store.apply(vdel("k", "w")).reply()).isEqualTo(REQUIRED);
	}

	@Test
	void theConditionIsCheckedBeforeTheQuota() {
		String large = "x".repeat(1_000);
		assertThat(this.store.apply(set("k", large, Condition.IF_ABSENT, null), this.token).reply())
			.isEqualTo(NOT_APPLIED);
		assertThat(this.store.apply(set("k", large, Condition.ALWAYS, null), this.token).reply())
			.isEqualTo(error(ErrorReason.QUOTA_EXCEEDED));
	}

}
