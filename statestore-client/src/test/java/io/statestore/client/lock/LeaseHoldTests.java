package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Maximum hold of a lease of three seconds. */
class LeaseHoldTests extends LeaseFixture {

	@BeforeEach
	void releaseLeaseWithoutMaxHold() {
		this.lease.release();
		this.store.request("VDEL").done(Outcome.DELETED);
	}

	private Lease lease(Duration maxHold) {
		return lease(new LockTerms(ScriptedStore.TERMS.lease(), true, maxHold));
	}

	@Test
	void endsAtMaxHoldDespiteRenewals() {
		Lease lease = lease(Duration.ofSeconds(4));
		ScriptedStore.Request first = renewal();
		// Up to the end of the maximum hold in the store, and not beyond it.
		assertThat(first.lease()).isEqualTo(Duration.ofSeconds(3));
		confirm(first, 11);
		// The lease less its reserve: 1 % and a millisecond.
		assertThat(lease.status().remaining()).isEqualTo(RELIABLE);
		this.store.pass(RELIABLE.minus(MILLI));
		this.store.assertNoRequest();
		assertThat(lease.status().isValid()).isTrue();
		this.store.pass(MILLI);
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.HOLD_ENDED);
		assertThat(lease.status().isValid()).isFalse();
		assertEnded();
	}

	@Test
	void shortensLastRenewalToMaxHold() {
		Lease lease = lease(Duration.ofMillis(3500));
		ScriptedStore.Request renewal = renewal();
		assertThat(renewal.lease()).isEqualTo(Duration.ofMillis(2500));
		confirm(renewal, 11);
		assertThat(lease.status().remaining()).isEqualTo(Duration.ofMillis(2500 - 31));
		this.store.pass(Duration.ofMillis(2500 - 31));
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.HOLD_ENDED);
		assertEnded();
	}

	@Test
	void failedRenewalsEndHoldAtLeaseDeadline() {
		lease(Duration.ofSeconds(10));
		renewal().fails(unknown());
		this.store.pause(RELIABLE);
		this.store.pass(Duration.ZERO);
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.EXPIRED);
	}

	@Test
	void leaseUpToMaxHoldIsNotRenewed() {
		Lease lease = lease(Duration.ofSeconds(1));
		assertThat(lease.status().remaining()).isEqualTo(Duration.ofMillis(989));
		this.store.pass(Duration.ofMillis(988));
		this.store.assertNoRequest();
		assertThat(lease.status().isValid()).isTrue();
		this.store.pass(MILLI);
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.HOLD_ENDED);
		assertEnded();
	}

	@Test
	void longerLeaseDoesNotExtendMaxHold() {
		Lease lease = lease(Duration.ofSeconds(4));
		this.store.pass(Duration.ofMillis(500));
		lease.renew(Duration.ofMinutes(1));
		watch(ACQUIRED);
		ScriptedStore.Request renewal = this.store.request("SET");
		assertThat(renewal.lease()).isEqualTo(Duration.ofMillis(3500));
		confirm(renewal, 11);
		assertThat(lease.status().remaining()).isLessThanOrEqualTo(Duration.ofMillis(3500 - 31));
	}

	@Test
	void pausedHolderIsNotifiedWhenHoldEnds() {
		Lease lease = lease(Duration.ofSeconds(1));
		this.store.pause(Duration.ofMinutes(1));
		assertThat(lease.status().isValid()).isFalse();
		assertThat(lease.status().lossOrEnd().reason()).isEqualTo(Reason.HOLD_ENDED);
		this.store.pass(Duration.ZERO);
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.HOLD_ENDED);
	}

}
