package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.StateStoreNotSentException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests of an attempt to acquire a lock, event by event. */
class AcquisitionTests extends AcquisitionFixture {

	@Test
	void sendsSingleRequestWithoutWaitTime() {
		Acquisition acquisition = acquisition(0);
		CompletableFuture<@Nullable Lease> result = acquisition.start();
		this.store.request("SET").notApplied(1);
		assertThat(result).isCompletedWithValue(null);
		assertThat(this.store.watches).isEmpty();
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void retriesWhenWatchedAndWhenReleased() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.assertNoRequest();
		this.store.watch().start();
		this.store.request("SET").notApplied(1);
		this.store.assertNoRequest();
		this.store.watch().deleted(2, false);
		this.store.request("SET").applied(3);
		assertLease(result, 3);
		assertThat(this.store.watch().closed).isTrue();
		this.store.assertNoRequest();
	}

	@Test
	void waitsForReleaseByWatchedHolder() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().set(ScriptedStore.THEIRS, 1, true);
		this.store.watch().start();
		this.store.pass(Duration.ofSeconds(2));
		this.store.assertNoRequest();
		this.store.watch().deleted(2, false);
		this.store.request("SET").applied(3);
		assertLease(result, 3);
	}

	@Test
	void retriesWhenWatchedHolderIsThisAttempt() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().set(ScriptedStore.MINE, 2, true);
		this.store.watch().start();
		this.store.request("SET").applied(2);
		assertLease(result, 2);
	}

	@Test
	void retriesWhenReleasedBeforeWatch() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().set(ScriptedStore.THEIRS, 1, true);
		this.store.watch().deleted(2, false);
		this.store.request("SET").notApplied(3);
		this.store.watch().start();
		this.store.request("SET").notApplied(3);
		this.store.assertNoRequest();
	}

	@Test
	void retriesWhenReleasedDuringRequest() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().start();
		ScriptedStore.Request second = this.store.request("SET");
		this.store.watch().deleted(3, false);
		this.store.assertNoRequest();
		second.notApplied(2);
		ScriptedStore.Request third = this.store.request("SET");
		this.store.watch().deleted(4, false);
		// The reply is later than that release.
		third.notApplied(5);
		this.store.assertNoRequest();
	}

	@Test
	void retriesWhenWatchStartsDuringRequest() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.pass(Duration.ofMillis(300));
		// Sent before the watch, so the release of the refusing tenure was not
		// notified.
		ScriptedStore.Request poll = this.store.request("SET");
		this.store.watch().start();
		poll.notApplied(1);
		this.store.request("SET").notApplied(1);
		this.store.assertNoRequest();
	}

	@Test
	void retriesOncePerLeaseWithoutNotification() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().start();
		this.store.request("SET").notApplied(1);
		this.store.pass(Duration.ofSeconds(2));
		this.store.assertNoRequest();
		this.store.watch().set(ScriptedStore.THEIRS, 2, false);
		this.store.pass(Duration.ofSeconds(2));
		this.store.assertNoRequest();
		this.store.pass(Duration.ofSeconds(1));
		this.store.request("SET").applied(3);
	}

	@Test
	void pollsWhileNotWatched() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.pass(Duration.ofMillis(300));
		this.store.request("SET").notApplied(1);
	}

	@Test
	void retriesUnsentRequestWithBackoff() {
		CompletableFuture<@Nullable Lease> result = acquisition(WaitLimit.FOREVER).start();
		for (int pause : new int[] { 50, 100, 200, 400, 800, 1000, 1000 }) {
			this.store.request("SET").fails(new StateStoreNotSentException("no connection"));
			this.store.pass(Duration.ofMillis(pause - 1));
			this.store.assertNoRequest();
			this.store.pass(Duration.ofMillis(1));
		}
		this.store.request("SET").applied(7);
		assertLease(result, 7);
	}

	@Test
	void retriesWhenReplyTakesLongerThanLease() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		ScriptedStore.Request request = this.store.request("SET");
		this.store.pause(ScriptedStore.TERMS.reliable());
		request.applied(1);
		assertThat(result).isNotDone();
		this.store.pass(Duration.ZERO);
		this.store.request("SET").applied(2);
		assertLease(result, 2);
	}

}
