package io.statestore.client.watch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.watch.WatchedKey.State;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class WatchedKeyTests extends WatchedKeyFixture {

	@Test
	void registersThenReads() {
		attach(this.listener);
		assertThat(this.watched.state()).isEqualTo(State.DISCONNECTED);
		assertThat(this.sent).isEmpty();
		connect();
		assertThat(this.watched.state()).isEqualTo(State.REGISTERING);
		assertThat(this.sent).containsExactly(KEYNOTIFY);
		reply(OK);
		assertThat(this.watched.state()).isEqualTo(State.READING);
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET);
		assertThat(this.started).isZero();
		reply(MISSING);
		assertThat(this.watched.state()).isEqualTo(State.OBSERVING);
		assertThat(this.started).isOne();
		assertThat(this.delay).isEqualTo(Duration.ofMinutes(3).multipliedBy(11).dividedBy(10));
	}

	@Test
	void ignoresRepliesFromEarlierConnection() {
		attach(this.listener);
		connect();
		reply(OK);
		CompletableFuture<Response> read = this.replies.get(1);
		this.watched.disconnected();
		assertThat(this.watched.state()).isEqualTo(State.DISCONNECTED);
		connect();
		read.complete(OK);
		assertThat(this.watched.state()).isEqualTo(State.REGISTERING);
		reply(OK);
		assertThat(this.watched.state()).isEqualTo(State.READING);
	}

	@Test
	void retriesFailuresWithIncreasingDelays() {
		attach(this.listener);
		connect();
		for (int i = 1; i <= 3; i++) {
			fail(new TimeoutException("expected"));
			assertThat(this.watched.state()).isEqualTo(State.WAITING);
			assertThat(this.delay).isEqualTo(Duration.ofSeconds(1 << (i - 1)));
			this.tick.run();
			assertThat(this.watched.state()).isEqualTo(State.REGISTERING);
		}
		reply(new Response(new Reply.Count(0), null));
		assertThat(this.watched.state()).isEqualTo(State.WAITING);
		this.tick.run();
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.EMPTY), null));
		assertThat(this.watched.state()).isEqualTo(State.WAITING);
		assertThat(this.delay).isEqualTo(Duration.ofSeconds(16));
	}

	@Test
	void deliversNothingWhenRenewalFindsNoChange() {
		watch();
		Version version = new Version(1, 0, "StateStore");
		this.watched.changed(new KeyChange<>(KEY, Operation.SET, Bytes.EMPTY, version, false));
		this.tick.run();
		assertThat(this.sent).endsWith(KEYNOTIFY);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.EMPTY), version));
		assertThat(this.watched.state()).isEqualTo(State.OBSERVING);
		assertThat(this.delivered).hasSize(1);
	}

	/** A store that has lost its data and its clock may use a version again. */
	@Test
	void deliversDifferentValueWithKnownVersion() {
		watch();
		this.watched.changed(set(1, false));
		this.watched.disconnected();
		connect();
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.of("other")), version(1)));
		assertThat(this.delivered).extracting(KeyChange::value).containsExactly(Bytes.of("x"), Bytes.of("other"));
	}

	@Test
	void registersNewListenerAfterLastOneStops() {
		watch();
		this.watched.detach(this.listener);
		assertThat(this.watched.state()).isEqualTo(State.STOPPING);
		assertThat(this.sent).endsWith(STOP);
		attach(this.listener);
		assertThat(this.sent).endsWith(STOP);
		reply(OK);
		assertThat(this.watched.state()).isEqualTo(State.REGISTERING);
		assertThat(this.sent).endsWith(STOP, KEYNOTIFY);
		this.watched.detach(this.listener);
		reply(new Response(new Reply.Count(0), null));
		assertThat(this.watched.state()).isEqualTo(State.IDLE);
		assertThat(this.tickCancelled).isTrue();
	}

	@Test
	void listenerAttachedDuringStopMissesNothing() {
		watch();
		this.watched.detach(this.listener);
		attach(listener(true, false));
		// Belongs to the old watch: a later change might arrive between the two.
		this.watched
			.changed(new KeyChange<>(KEY, Operation.SET, Bytes.of("5"), new Version(5, 0, "StateStore"), false));
		reply(OK);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.of("6")), new Version(6, 0, "StateStore")));
		assertThat(this.delivered).extracting(KeyChange::value).containsExactly(Bytes.of("6"));
	}

	@Test
	void readsKeyAfterUndecodableNotification() {
		watch();
		this.watched.unreadable();
		assertThat(this.watched.state()).isEqualTo(State.REGISTERING);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.of("x")), new Version(1, 0, "StateStore")));
		assertThat(this.delivered).singleElement().matches(KeyChange::resynchronized);
	}

	@Test
	void readsAgainAfterUndecodableNotificationDuringGet() {
		attach(this.listener);
		connect();
		reply(OK);
		this.watched.unreadable();
		reply(MISSING);
		assertThat(this.started).isOne();
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET, GET);
		reply(value(1));
		assertThat(this.delivered).containsExactly(set(1, true));
		assertThat(this.watched.state()).isEqualTo(State.OBSERVING);
		assertThat(this.sent).hasSize(3);
	}

	@Test
	void readsAgainWhenNotificationOvertakesGet() {
		attach(this.listener);
		connect();
		reply(OK);
		this.watched.changed(set(5, false));
		// The result is either older than the change, or newer than a missed deletion.
		reply(MISSING);
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET, GET);
		reply(MISSING);
		assertThat(this.delivered).extracting(KeyChange::operation).containsExactly(Operation.SET, Operation.DELETE);
		assertThat(this.watched.state()).isEqualTo(State.OBSERVING);
	}

	@Test
	void readsBusyKeyTwiceAtMost() {
		watch();
		this.tick.run();
		reply(OK);
		this.watched.changed(set(5, false));
		reply(value(4));
		this.watched.changed(set(7, false));
		reply(value(6));
		assertThat(this.watched.state()).isEqualTo(State.OBSERVING);
		this.tick.run();
		reply(OK);
		this.watched.changed(set(9, false));
		reply(value(8));
		assertThat(this.watched.state()).isEqualTo(State.READING);
		assertThat(this.delivered).hasSize(3);
	}

	@Test
	void newListenerDoesNotWaitForRetry() {
		attach(this.listener);
		connect();
		fail(new TimeoutException("expected"));
		assertThat(this.watched.state()).isEqualTo(State.WAITING);
		attach(listener(false, false));
		assertThat(this.watched.state()).isEqualTo(State.REGISTERING);
		assertThat(this.tickCancelled).isTrue();
		reply(OK);
		reply(MISSING);
		assertThat(this.started).isEqualTo(2);
	}

	@Test
	void newWatchForgetsEarlierVersions() {
		watch();
		this.watched.changed(set(5, false));
		this.watched.detach(this.listener);
		attach(this.listener);
		this.watched.disconnected();
		connect();
		reply(OK);
		reply(value(9));
		assertThat(this.delivered).containsExactly(set(5, false));
	}

	private void reconnectToStoreWithoutData() {
		watch();
		this.watched.changed(set(5, false));
		this.watched.disconnected();
		connect();
		reply(OK);
		this.delivered.clear();
	}

	private static KeyChange<Bytes> other(int number, boolean resynchronized) {
		return new KeyChange<>(KEY, Operation.SET, Bytes.of("other"), version(number), resynchronized);
	}

	// A lock has to know that earlier changes may be missing.
	@ParameterizedTest
	@ValueSource(ints = { 4, 5 })
	void changeOvertakingResultFromEmptyStoreResynchronizes(int version) {
		reconnectToStoreWithoutData();
		this.watched.changed(other(version, false));
		reply(MISSING);
		assertThat(this.delivered).containsExactly(other(version, true));
	}

	@Test
	void changeWithKnownVersionReplacesOlderResult() {
		reconnectToStoreWithoutData();
		this.watched.changed(other(5, false));
		reply(value(4));
		assertThat(this.delivered).containsExactly(other(5, true));
	}

}
