package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.Key;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.protocol.ErrorReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Renewals of a lease: schedule, retries, requests, and failures. */
@Isolated("captures the log")
class LeaseRenewalTests extends LeaseFixture {

	@Test
	void renewsAfterThirdOfLeaseFromRequest() {
		ScriptedStore.Request first = renewal();
		assertThat(first.lease()).isEqualTo(ScriptedStore.TERMS.lease());
		assertThat(first.timeout()).isEqualTo(Duration.ofMillis(500));
		this.store.pass(Duration.ofMillis(200));
		confirm(first, 11);
		assertThat(this.lease.status().remaining()).isEqualTo(RELIABLE.minusMillis(200));
		assertThat(this.lease.status().token().version()).isEqualTo(ScriptedStore.version(10));
		this.store.pass(Duration.ofMillis(799));
		this.store.assertNoRequest();
		this.store.pass(MILLI);
		this.store.request("SET");
	}

	@Test
	void retriesUnansweredRenewalUpToDeadline() {
		renewal().fails(unknown());
		this.store.pass(RETRY.minus(MILLI));
		this.store.assertNoRequest();
		this.store.pass(MILLI);
		this.store.request("SET").fails(new StateStoreNotSentException("no connection"));
		this.store.pass(RETRY);
		this.store.request("SET").fails(new StateStoreRefusedException(ErrorReason.QUOTA_EXCEEDED, "no"));
		assertHeld();
		this.store.pass(RETRY);
		this.store.request("SET").applied(11);
		assertThat(this.lease.status().remaining()).isEqualTo(RELIABLE);
		assertHeld();
	}

	@Test
	void logsFailureForSuccessorLockAtDebugWithLockName() {
		Logger logger = (Logger) LoggerFactory.getLogger(Lease.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		logger.setLevel(Level.DEBUG);
		try {
			lease(RequestedLock.successor(Key.of("line-leader")), ScriptedStore.TERMS);
			this.store.pass(INTERVAL);
			this.store.watches.forEach((watch) -> {
				watch.set(ScriptedStore.MINE, ACQUIRED, true);
				watch.start();
				this.store.request("SET").fails(unknown());
			});
		}
		finally {
			logger.setLevel(null);
			logger.detachAppender(log);
		}
		assertThat(log.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.DEBUG);
		assertThat(log.list.get(1).getFormattedMessage())
			.startsWith("Successor lock of 'line-leader' was not renewed; retrying");
	}

	@Test
	void losesLockWhenRenewalIsRefused() {
		StateStoreRefusedException refusal = new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "no");
		renewal().fails(refusal);
		assertLost(Reason.REFUSED);
		assertThat(this.losses.get(0).cause()).isSameAs(refusal);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void refusedExtensionLeavesKeyForLockAtLeastFor() {
		Lease lease = lease(new LockTerms(Duration.ofSeconds(3), false));
		lease.keepUntil(this.store.nanoTime() + Duration.ofSeconds(2).toNanos());
		CompletableFuture<Boolean> extended = lease.renew(Duration.ofSeconds(3));
		watch(ACQUIRED);
		this.store.request("SET").fails(new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "no"));
		assertThat(extended).isCompletedWithValue(false);
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.REFUSED);
		assertThat(this.store.watch().closed).isTrue();
		this.store.assertNoRequest();
	}

	@Test
	void losesLockWhenRenewalIsNotApplied() {
		renewal().notApplied(12);
		assertLost(Reason.TAKEN);
		assertEnded();
	}

	@Test
	void deletesKeyThatRenewalCreatedAgain() {
		confirm(renewal(), 11);
		ScriptedStore.Request renewal = renewal();
		this.store.watch().deleted(12, false);
		assertLost(Reason.DELETED);
		this.store.assertNoRequest();
		renewal.applied(13);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void shorterLeaseCountsFromRequest() {
		CompletableFuture<Boolean> renewed = this.lease.renew(Duration.ofSeconds(1));
		watch(ACQUIRED);
		assertThat(this.lease.status().remaining()).isEqualTo(Duration.ofMillis(989));
		this.store.request("SET").fails(unknown());
		assertThat(renewed).isCompletedExceptionally();
		this.store.pass(RETRY.multipliedBy(2));
		this.store.request("SET").fails(unknown());
		this.store.pass(Duration.ofMillis(989));
		assertLost(Reason.EXPIRED);
	}

	@Test
	void longerLeaseCountsFromConfirmation() {
		CompletableFuture<Boolean> renewed = this.lease.renew(Duration.ofSeconds(30));
		watch(ACQUIRED);
		ScriptedStore.Request renewal = this.store.request("SET");
		assertThat(renewal.lease()).isEqualTo(Duration.ofSeconds(30));
		assertThat(this.lease.status().remaining()).isEqualTo(RELIABLE);
		renewal.applied(11);
		assertThat(renewed).isCompletedWithValue(true);
		assertThat(this.lease.status().remaining()).isEqualTo(Duration.ofMillis(29_699));
	}

	@Test
	void requestedRenewalFailsIfKeyCannotBeChecked() {
		CompletableFuture<Boolean> renewed = this.lease.renew(null);
		this.store.pass(Duration.ofMillis(500));
		assertThat(renewed).isCompletedExceptionally();
		assertHeld();
		this.store.assertNoRequest();
	}

	@Test
	void requestedRenewalFollowsRenewalInFlight() {
		ScriptedStore.Request first = renewal();
		CompletableFuture<Boolean> renewed = this.lease.renew(null);
		this.store.assertNoRequest();
		confirm(first, 11);
		assertThat(renewed).isNotDone();
		this.store.pass(Duration.ZERO);
		this.store.request("SET").applied(12);
		assertThat(renewed).isCompletedWithValue(true);
	}

	@Test
	void requestedRenewalEndsWithRelease() {
		ScriptedStore.Request renewal = renewal();
		CompletableFuture<Boolean> renewed = this.lease.renew(null);
		this.lease.release();
		assertThat(renewed).isCompletedWithValue(false);
		renewal.applied(11);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertThat(this.lease.renew(null)).isCompletedWithValue(false);
		assertEnded();
	}

	@Test
	void requestedRenewalEndsIfWatchFailsToClose() {
		CompletableFuture<Boolean> sent = this.lease.renew(null);
		watch(ACQUIRED);
		this.store.request("SET");
		CompletableFuture<Boolean> waiting = this.lease.renew(null);
		this.store.closeFails = new OutOfMemoryError("test");
		this.lease.lose(Reason.FORCED);
		assertThat(sent).isCompletedWithValue(false);
		assertThat(waiting).isCompletedWithValue(false);
		assertThat(this.lease.over()).isDone();
		assertLost(Reason.FORCED);
	}

	@Test
	void losesLockThatCannotBeRenewed() {
		CompletableFuture<Boolean> renewed = new CompletableFuture<>();
		this.store.setFails = new OutOfMemoryError("test");
		this.lease.renew(null).thenAccept(renewed::complete);
		watch(ACQUIRED);
		assertThat(renewed).isCompletedWithValue(false);
		assertLost(Reason.EXPIRED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void losesLockWithoutTimer() {
		ScriptedStore.Request renewal = renewal();
		this.store.scheduleFails = new OutOfMemoryError("unable to create native thread");
		renewal.applied(11);
		assertLost(Reason.EXPIRED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

}
