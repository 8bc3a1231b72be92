package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.watch.KeyMachine.State;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;

import static org.assertj.core.api.Assertions.assertThat;

/** A {@link KeyMachine} with a recording environment and a listener. */
abstract class KeyMachineFixture {

	static final Key KEY = Key.of("key");

	static final int CAPACITY = 100;

	static final Command KEYNOTIFY = new Command.KeyNotify(KEY.bytes());

	static final Command STOP = new Command.KeyNotifyStop(KEY.bytes());

	static final Command GET = new Command.Get(KEY.bytes());

	static final Response OK = new Response(new Reply.Ok(), null);

	static final Response MISSING = new Response(new Reply.Missing(), null);

	final List<Command> sent = new ArrayList<>();

	final List<Integer> steps = new ArrayList<>();

	final List<KeyChange<Bytes>> delivered = new ArrayList<>();

	final Recorder actions = new Recorder();

	final KeyMachine machine = new KeyMachine(KEY,
			new WatchTiming(new VirtualTime()::schedule, WatchOptions.DEFAULT, () -> 1), this.actions);

	final DeliveryQueue queue = new DeliveryQueue("test",
			new RetryingExecutor(Runnable::run, new VirtualTime()::schedule), new QueueLimit(CAPACITY, Long.MAX_VALUE),
			new DeliveryCounters(), this.delivered::add);

	int started;

	final AttachedListener listener = new AttachedListener(
			new Settings("test", false, false, Set.of(Operation.values()), null), this.queue, () -> this.started++);

	void reply(Response response) {
		this.machine.replied(this.steps.get(this.steps.size() - 1), response);
	}

	void watch() {
		this.machine.attach(this.listener);
		this.machine.connected();
		reply(OK);
		reply(MISSING);
	}

	AttachedListener listener(boolean initial, boolean noLocal) {
		return new AttachedListener(new Settings("test", initial, noLocal, Set.of(Operation.values()), null),
				this.queue, () -> this.started++);
	}

	static Version version(int number) {
		return new Version(number, 0, "StateStore");
	}

	static KeyChange<Bytes> set(int number, boolean resynchronized) {
		return new KeyChange<>(KEY, Operation.SET, Bytes.of("x"), version(number), resynchronized);
	}

	static Response value(int number) {
		return new Response(new Reply.Value(Bytes.of("x")), version(number));
	}

	final class Recorder implements KeyMachine.Actions {

		Duration delay = Duration.ZERO;

		int tick;

		boolean tickCancelled;

		int failed;

		@Override
		public void send(Command command, int step) {
			KeyMachineFixture.this.sent.add(command);
			KeyMachineFixture.this.steps.add(step);
		}

		@Override
		public void schedule(Duration delay, int step) {
			this.delay = delay;
			this.tick = step;
			this.tickCancelled = false;
		}

		@Override
		public void entered(State state) {
			this.tickCancelled = true;
			assertThat(state).isEqualTo(KeyMachineFixture.this.machine.state());
		}

		@Override
		public void failed(String command, Throwable reason, Duration delay) {
			this.failed++;
		}

	}

}
