package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.internal.LockMonitors;
import io.statestore.client.lock.LockLostEvent.Reason;

import static org.assertj.core.api.Assertions.assertThat;

/** Lease of three seconds on a scripted store, acquired with version 10. */
class LeaseFixture {

	/** Reliable time: the lease less 1 % and a millisecond. */
	static final Duration RELIABLE = Duration.ofMillis(2969);

	static final Duration INTERVAL = Duration.ofSeconds(1);

	static final Duration RETRY = Duration.ofMillis(100);

	static final Duration MILLI = Duration.ofMillis(1);

	static final int ACQUIRED = 10;

	final ScriptedStore store = new ScriptedStore();

	final List<LockLostEvent> losses = new ArrayList<>();

	final LockMonitors monitors = new LockMonitors();

	final Lease lease = lease(ScriptedStore.TERMS);

	final Lease lease(LockTerms terms) {
		return lease(ScriptedStore.LOCK, terms);
	}

	final Lease lease(Key key, LockTerms terms) {
		Lease lease = new Lease(
				new RequestedLock(key, this.store, this.store, this.monitors, terms, ScriptedStore.MINE),
				new FencingToken(ScriptedStore.version(ACQUIRED)), this.store.nanoTime());
		lease.onLost(this.losses::add);
		lease.start();
		return lease;
	}

	static StateStoreOutcomeUnknownException unknown() {
		return new StateStoreOutcomeUnknownException("no reply");
	}

	/** Returns the next renewal, sent a third of the lease after the one before. */
	final ScriptedStore.Request renewal() {
		this.store.pass(INTERVAL);
		if (!this.store.watch().isActive()) {
			watch(ACQUIRED);
		}
		return this.store.request("SET");
	}

	/** Starts the watch, which shows this holder with a version. */
	final void watch(int version) {
		this.store.watch().set(ScriptedStore.MINE, version, true);
		this.store.watch().start();
	}

	/** Confirms a renewal, notification first. */
	final void confirm(ScriptedStore.Request renewal, int version) {
		this.store.watch().set(ScriptedStore.MINE, version, false);
		renewal.applied(version);
	}

	final void assertLost(Reason reason) {
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(reason);
		assertThat(this.lease.status().isValid()).isFalse();
		assertThat(this.lease.status().remaining()).isZero();
	}

	final void assertHeld() {
		assertThat(this.losses).isEmpty();
		assertThat(this.lease.status().isValid()).isTrue();
	}

	final void assertEnded() {
		assertThat(this.lease.ended()).isDone();
		assertThat(this.store.watches).allMatch((watch) -> watch.closed);
		assertThat(this.store.timers()).isZero();
		this.store.assertNoRequest();
	}

}
