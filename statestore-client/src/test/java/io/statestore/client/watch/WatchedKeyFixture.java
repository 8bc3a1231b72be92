package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch.State;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import io.statestore.time.TimeSource;

/** A {@link WatchedKey} with a listener, whose replies and timer the test controls. */
abstract class WatchedKeyFixture {

	static final Key KEY = Key.of("key");

	static final int CAPACITY = 100;

	static final Command KEYNOTIFY = new Command.KeyNotify(KEY.bytes());

	static final Command STOP = new Command.KeyNotifyStop(KEY.bytes());

	static final Command GET = new Command.Get(KEY.bytes());

	static final Response OK = new Response(new Reply.Ok(), null);

	static final Response MISSING = new Response(new Reply.Missing(), null);

	final List<Command> sent = new ArrayList<>();

	final List<CompletableFuture<Response>> replies = new ArrayList<>();

	final List<KeyChange<Bytes>> delivered = new ArrayList<>();

	/** Delay of the latest tick. */
	Duration delay = Duration.ZERO;

	Runnable tick = () -> {
	};

	boolean tickCancelled;

	final WatchedKey watched = new WatchedKey(KEY, new CommandGate((command, options) -> {
		this.sent.add(command);
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.replies.add(reply);
		return reply;
	}), new FailureLog(new VirtualTime()::schedule), new WatchTiming(this::schedule, WatchOptions.DEFAULT, () -> 1),
			() -> {
			});

	final DeliveryQueue queue = new DeliveryQueue("test",
			new RetryingExecutor(Runnable::run, new VirtualTime()::schedule), new QueueLimit(CAPACITY, Long.MAX_VALUE),
			new DeliveryCounters(), this.delivered::add);

	int started;

	final DefaultKeyWatch listener = listener(false, false);

	private Runnable schedule(Duration delay, Runnable tick) {
		this.delay = delay;
		this.tick = tick;
		this.tickCancelled = false;
		return () -> this.tickCancelled = true;
	}

	/** Answers the latest command. */
	void reply(Response response) {
		this.replies.get(this.replies.size() - 1).complete(response);
	}

	/** Lets the latest command fail. */
	void fail(Throwable failure) {
		this.replies.get(this.replies.size() - 1).completeExceptionally(failure);
	}

	void attach(DefaultKeyWatch listener) {
		this.watched.attach(listener, () -> false);
	}

	void connect() {
		this.watched.connected();
	}

	void watch() {
		attach(this.listener);
		connect();
		reply(OK);
		reply(MISSING);
	}

	DefaultKeyWatch listener(boolean initial, boolean noLocal) {
		return new DefaultKeyWatch(this.watched, new Settings("test", "test", initial, noLocal,
				Set.of(Operation.values()), null, false, false, (state) -> {
					if (state == State.ACTIVE) {
						this.started++;
					}
				}), DefaultKeyWatch.Reason.KEY, this.queue, () -> true, TimeSource.SYSTEM);
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

}
