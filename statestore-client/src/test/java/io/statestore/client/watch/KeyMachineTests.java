package io.statestore.client.watch;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeoutException;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.watch.KeyMachine.State;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyMachineTests extends KeyMachineFixture {

	@Test
	void registersThenReads() {
		this.machine.attach(this.listener);
		assertThat(this.machine.state()).isEqualTo(State.DISCONNECTED);
		assertThat(this.sent).isEmpty();
		this.machine.connected();
		assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		assertThat(this.sent).containsExactly(KEYNOTIFY);
		reply(OK);
		assertThat(this.machine.state()).isEqualTo(State.READING);
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET);
		assertThat(this.started).isZero();
		reply(MISSING);
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
		assertThat(this.started).isOne();
		assertThat(this.actions.delay).isEqualTo(Duration.ofMinutes(3).multipliedBy(11).dividedBy(10));
	}

	@Test
	void ignoresRepliesOfEarlierConnection() {
		this.machine.attach(this.listener);
		this.machine.connected();
		reply(OK);
		int read = this.steps.get(1);
		this.machine.disconnected();
		assertThat(this.machine.state()).isEqualTo(State.DISCONNECTED);
		this.machine.connected();
		this.machine.replied(read, OK);
		this.machine.failed(read, new TimeoutException());
		assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		reply(OK);
		this.machine.replied(read, MISSING);
		assertThat(this.machine.state()).isEqualTo(State.READING);
	}

	@Test
	void retriesFailuresWithIncreasingDelays() {
		this.machine.attach(this.listener);
		this.machine.connected();
		for (int i = 1; i <= 3; i++) {
			this.machine.failed(this.steps.get(this.steps.size() - 1), new TimeoutException("expected"));
			assertThat(this.machine.state()).isEqualTo(State.WAITING);
			assertThat(this.actions.delay).isEqualTo(Duration.ofSeconds(1 << (i - 1)));
			this.machine.tick(this.actions.tick);
			assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		}
		reply(new Response(new Reply.Count(0), null));
		assertThat(this.machine.state()).isEqualTo(State.WAITING);
		this.machine.tick(this.actions.tick);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.EMPTY), null));
		assertThat(this.machine.state()).isEqualTo(State.WAITING);
		assertThat(this.actions.delay).isEqualTo(Duration.ofSeconds(16));
	}

	@Test
	void deliversNothingWhenRenewalFindsNoChange() {
		watch();
		Version version = new Version(1, 0, "StateStore");
		this.machine.changed(new KeyChange<>(KEY, Operation.SET, Bytes.EMPTY, version, false));
		this.machine.tick(this.actions.tick);
		assertThat(this.sent).endsWith(KEYNOTIFY);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.EMPTY), version));
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
		assertThat(this.delivered).hasSize(1);
		assertThat(this.actions.failed).isZero();
	}

	@Test
	void registersNewListenerAfterStopOfLastOne() {
		watch();
		this.machine.detach(this.listener);
		assertThat(this.machine.state()).isEqualTo(State.STOPPING);
		assertThat(this.sent).endsWith(STOP);
		this.machine.attach(this.listener);
		assertThat(this.sent).endsWith(STOP);
		reply(OK);
		assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		assertThat(this.sent).endsWith(STOP, KEYNOTIFY);
		this.machine.detach(this.listener);
		reply(new Response(new Reply.Count(0), null));
		assertThat(this.machine.state()).isEqualTo(State.IDLE);
		assertThat(this.actions.tickCancelled).isTrue();
	}

	@Test
	void listenerAttachedDuringStopMissesNothing() {
		watch();
		this.machine.detach(this.listener);
		this.machine.attach(new AttachedListener(new Settings("next", true, false, Set.of(Operation.values()), null),
				this.queue, () -> this.started++));
		// Belongs to the old watch: a later change might arrive between the two.
		this.machine
			.changed(new KeyChange<>(KEY, Operation.SET, Bytes.of("5"), new Version(5, 0, "StateStore"), false));
		reply(OK);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.of("6")), new Version(6, 0, "StateStore")));
		assertThat(this.delivered).extracting(KeyChange::value).containsExactly(Bytes.of("6"));
	}

	@Test
	void readsKeyAfterUndecodableNotification() {
		watch();
		this.machine.unreadable();
		assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.of("x")), new Version(1, 0, "StateStore")));
		assertThat(this.delivered).singleElement().matches(KeyChange::resynchronized);
	}

	@Test
	void readsAgainAfterUndecodableNotificationDuringGet() {
		this.machine.attach(this.listener);
		this.machine.connected();
		reply(OK);
		this.machine.unreadable();
		reply(MISSING);
		assertThat(this.started).isOne();
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET, GET);
		reply(value(1));
		assertThat(this.delivered).containsExactly(set(1, true));
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
		assertThat(this.sent).hasSize(3);
	}

	@Test
	void readsAgainWhenNotificationOvertakesGet() {
		this.machine.attach(this.listener);
		this.machine.connected();
		reply(OK);
		this.machine.changed(set(5, false));
		// The result is either older than the change, or newer than a missed deletion.
		reply(MISSING);
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET, GET);
		reply(MISSING);
		assertThat(this.delivered).extracting(KeyChange::operation).containsExactly(Operation.SET, Operation.DELETE);
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
	}

	@Test
	void readsBusyKeyTwiceAtMost() {
		watch();
		this.machine.tick(this.actions.tick);
		reply(OK);
		this.machine.changed(set(5, false));
		reply(value(4));
		this.machine.changed(set(7, false));
		reply(value(6));
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
		this.machine.tick(this.actions.tick);
		reply(OK);
		this.machine.changed(set(9, false));
		reply(value(8));
		assertThat(this.machine.state()).isEqualTo(State.READING);
		assertThat(this.delivered).hasSize(3);
	}

	@Test
	void newListenerDoesNotWaitForRetry() {
		this.machine.attach(this.listener);
		this.machine.connected();
		this.machine.failed(this.steps.get(0), new TimeoutException("expected"));
		assertThat(this.machine.state()).isEqualTo(State.WAITING);
		this.machine.attach(listener(false, false));
		assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		assertThat(this.actions.tickCancelled).isTrue();
		reply(OK);
		reply(MISSING);
		assertThat(this.started).isEqualTo(2);
	}

	@Test
	void newWatchForgetsEarlierVersions() {
		watch();
		this.machine.changed(set(5, false));
		this.machine.detach(this.listener);
		this.machine.attach(this.listener);
		this.machine.disconnected();
		this.machine.connected();
		reply(OK);
		reply(value(9));
		assertThat(this.delivered).containsExactly(set(5, false));
	}

}
