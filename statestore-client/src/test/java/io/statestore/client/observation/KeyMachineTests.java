package io.statestore.client.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.observation.KeyMachine.State;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Single transitions; {@link ObservationSimulationTests} has the combinations. */
class KeyMachineTests {

	private static final Key KEY = Key.of("key");

	private static final int CAPACITY = 100;

	private static final Command KEYNOTIFY = new Command.KeyNotify(KEY.bytes());

	private static final Command STOP = new Command.KeyNotifyStop(KEY.bytes());

	private static final Command GET = new Command.Get(KEY.bytes());

	private static final Response OK = new Response(new Reply.Ok(), null);

	private static final Response MISSING = new Response(new Reply.Missing(), null);

	private final List<Command> sent = new ArrayList<>();

	private final List<Integer> steps = new ArrayList<>();

	private final List<KeyChange<Bytes>> told = new ArrayList<>();

	private final Recorder actions = new Recorder();

	private final KeyMachine machine = new KeyMachine(KEY, this.actions);

	private final DeliveryQueue queue = new DeliveryQueue("test",
			new RetryingExecutor(Runnable::run, new VirtualTime()::schedule), new QueueLimit(CAPACITY, Long.MAX_VALUE),
			this.told::add);

	private int started;

	private final AttachedListener listener = new AttachedListener(
			new Settings("test", false, false, Set.of(Operation.values()), null), this.queue, () -> this.started++);

	private void reply(Response response) {
		this.machine.replied(this.steps.get(this.steps.size() - 1), response);
	}

	private void observe() {
		this.machine.attach(this.listener);
		this.machine.connected();
		reply(OK);
		reply(MISSING);
	}

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
		assertThat(this.actions.delay).isEqualTo(Duration.ofMinutes(5));
	}

	@Test
	void repliesOfAnEarlierConnectionDoNotCount() {
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
	void failuresAreRetriedWithGrowingPauses() {
		this.machine.attach(this.listener);
		this.machine.connected();
		for (int i = 1; i <= 3; i++) {
			this.machine.failed(this.steps.get(this.steps.size() - 1), new TimeoutException("expected"));
			assertThat(this.machine.state()).isEqualTo(State.WAITING);
			assertThat(this.actions.delay).isEqualTo(Duration.ofSeconds(i));
			this.machine.tick(this.actions.tick);
			assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		}
		reply(new Response(new Reply.Count(0), null));
		assertThat(this.machine.state()).isEqualTo(State.WAITING);
		this.machine.tick(this.actions.tick);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.EMPTY), null));
		assertThat(this.machine.state()).isEqualTo(State.WAITING);
		assertThat(this.actions.delay).isEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void aRenewalThatFindsNothingNewTellsNothing() {
		observe();
		Version version = new Version(1, 0, "StateStore");
		this.machine.changed(new KeyChange<>(KEY, Operation.SET, Bytes.EMPTY, version, false));
		this.machine.tick(this.actions.tick);
		assertThat(this.sent).endsWith(KEYNOTIFY);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.EMPTY), version));
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
		assertThat(this.told).hasSize(1);
		assertThat(this.actions.refusals).isZero();
	}

	@Test
	void theLastListenerStopsAndANewOneWaitsForThat() {
		observe();
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
	void whoComesWhileTheLastOneLeavesMissesNothing() {
		observe();
		this.machine.detach(this.listener);
		this.machine.attach(new AttachedListener(new Settings("next", true, false, Set.of(Operation.values()), null),
				this.queue, () -> this.started++));
		// Of the observation that ends; a later change may fall between the two.
		this.machine
			.changed(new KeyChange<>(KEY, Operation.SET, Bytes.of("5"), new Version(5, 0, "StateStore"), false));
		reply(OK);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.of("6")), new Version(6, 0, "StateStore")));
		assertThat(this.told).extracting(KeyChange::value).containsExactly(Bytes.of("6"));
	}

	@Test
	void whatCannotBeReadIsRead() {
		observe();
		this.machine.unreadable();
		assertThat(this.machine.state()).isEqualTo(State.REGISTERING);
		reply(OK);
		reply(new Response(new Reply.Value(Bytes.of("x")), new Version(1, 0, "StateStore")));
		assertThat(this.told).singleElement().matches(KeyChange::resynchronised);
	}

	@Test
	void whatCannotBeReadDuringAReadingIsReadAgain() {
		this.machine.attach(this.listener);
		this.machine.connected();
		reply(OK);
		this.machine.unreadable();
		reply(MISSING);
		assertThat(this.started).isOne();
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET, GET);
		reply(value(1));
		assertThat(this.told).containsExactly(set(1, true));
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
		assertThat(this.sent).hasSize(3);
	}

	@Test
	void aReadingThatNewsHasOvertakenIsMadeOnceMore() {
		this.machine.attach(this.listener);
		this.machine.connected();
		reply(OK);
		this.machine.changed(set(5, false));
		// Before the change, or after a deletion of which no notification comes.
		reply(MISSING);
		assertThat(this.sent).containsExactly(KEYNOTIFY, GET, GET);
		reply(MISSING);
		assertThat(this.told).extracting(KeyChange::operation).containsExactly(Operation.SET, Operation.DELETE);
		assertThat(this.machine.state()).isEqualTo(State.OBSERVING);
	}

	@Test
	void aBusyKeyIsNotReadForEver() {
		observe();
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
		assertThat(this.told).hasSize(3);
	}

	@Test
	void whoComesWhileTheNextAttemptIsAwaitedDoesNotWait() {
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
	void whatTheObservationBeforeKnewDoesNotCount() {
		observe();
		this.machine.changed(set(5, false));
		this.machine.detach(this.listener);
		this.machine.attach(this.listener);
		this.machine.disconnected();
		this.machine.connected();
		reply(OK);
		reply(value(9));
		assertThat(this.told).containsExactly(set(5, false));
	}

	@Test
	void theInitialValueIsToldWhoeverWroteIt() {
		this.machine.attach(listener(true, true));
		this.machine.connected();
		this.machine.localWriteStarted(1);
		reply(OK);
		this.machine.changed(set(1, false));
		this.machine.localWriteFinished(1, version(1), false);
		reply(value(1));
		assertThat(this.told).containsExactly(set(1, true));
		this.machine.localWriteStarted(2);
		this.machine.changed(set(2, false));
		this.machine.localWriteFinished(2, version(2), false);
		assertThat(this.told).hasSize(1);
	}

	@Test
	void anInitialValueThatIsKnownToBeOursIsTold() {
		observe();
		this.machine.attach(listener(true, true));
		this.machine.localWriteStarted(1);
		this.machine.localWriteFinished(1, version(1), false);
		reply(OK);
		reply(value(1));
		assertThat(this.told).contains(set(1, true));
		this.told.clear();
		this.machine.changed(set(1, false));
		this.machine.changed(set(2, false));
		assertThat(this.told).containsOnly(set(2, false)).hasSize(2);
	}

	@Test
	void theMarkOfAnOverflowMovesOn() {
		this.machine.attach(listener(false, true));
		this.machine.connected();
		reply(OK);
		reply(MISSING);
		this.machine.localWriteStarted(1);
		for (int i = 1; i <= CAPACITY; i++) {
			this.machine.changed(set(i, false));
		}
		this.machine.changed(set(1000, false));
		this.machine.localWriteFinished(1, version(1000), false);
		assertThat(this.told).isEmpty();
		this.machine.changed(set(1001, false));
		this.machine.changed(set(1002, false));
		assertThat(this.told).containsExactly(set(1001, true), set(1002, false));
	}

	@Test
	void theMarkOfAReadingMovesOn() {
		this.machine.attach(listener(false, true));
		this.machine.connected();
		reply(OK);
		reply(MISSING);
		this.machine.localWriteStarted(1);
		this.machine.localWriteFinished(1, version(5), false);
		this.machine.tick(this.actions.tick);
		reply(OK);
		// Changes before it went unnoticed too.
		reply(value(5));
		assertThat(this.told).isEmpty();
		this.machine.changed(set(6, false));
		assertThat(this.told).containsExactly(set(6, true));
	}

	@Test
	void aMarkStaysWhereItIsAmongThoseThatWait() {
		this.machine.attach(listener(false, true));
		this.machine.connected();
		reply(OK);
		reply(MISSING);
		this.machine.localWriteStarted(1);
		this.machine.localWriteStarted(2);
		this.machine.changed(set(1, false));
		this.machine.changed(set(3, true));
		this.machine.changed(set(4, false));
		this.machine.changed(set(5, true));
		this.machine.localWriteFinished(1, version(3), false);
		this.machine.localWriteFinished(2, version(5), false);
		this.machine.changed(set(6, false));
		assertThat(this.told).containsExactly(set(1, false), set(4, true), set(6, true));
	}

	private AttachedListener listener(boolean initial, boolean ignoreOwn) {
		return new AttachedListener(new Settings("test", initial, ignoreOwn, Set.of(Operation.values()), null),
				this.queue, () -> this.started++);
	}

	private static Version version(int number) {
		return new Version(number, 0, "StateStore");
	}

	private static KeyChange<Bytes> set(int number, boolean resynchronised) {
		return new KeyChange<>(KEY, Operation.SET, Bytes.of("x"), version(number), resynchronised);
	}

	private static Response value(int number) {
		return new Response(new Reply.Value(Bytes.of("x")), version(number));
	}

	private final class Recorder implements KeyMachine.Actions {

		private Duration delay = Duration.ZERO;

		private int tick;

		private boolean tickCancelled;

		private int refusals;

		@Override
		public void send(Command command, int step) {
			KeyMachineTests.this.sent.add(command);
			KeyMachineTests.this.steps.add(step);
		}

		@Override
		public void schedule(Duration delay, int step) {
			this.delay = delay;
			this.tick = step;
			this.tickCancelled = false;
		}

		@Override
		public void cancelTick() {
			this.tickCancelled = true;
		}

		@Override
		public void entered(State state) {
			assertThat(state).isEqualTo(KeyMachineTests.this.machine.state());
		}

		@Override
		public void failed(String command, Throwable reason, Duration delay) {
			this.refusals++;
		}

		@Override
		public Duration retryDelay(int failures) {
			return Duration.ofSeconds(failures);
		}

		@Override
		public Duration renewalDelay() {
			return Duration.ofMinutes(5);
		}

	}

}
