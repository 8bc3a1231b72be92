package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.statestore.client.DeleteResult;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** Store and clock that are controlled by a test. */
final class ScriptedStore implements LockStore, LockTime {

	static final Key LOCK = Key.of("lock");

	static final Bytes MINE = Bytes.of("mine");

	static final Bytes THEIRS = Bytes.of("theirs");

	static final LockTerms TERMS = new LockTerms(Duration.ofSeconds(3), true);

	private final Deque<Request> requests = new ArrayDeque<>();

	private final List<Timer> timers = new ArrayList<>();

	final List<ScriptedWatch> watches = new ArrayList<>();

	/** Overflows soon, as {@link System#nanoTime()} may. */
	private long now = Long.MAX_VALUE - 1_000_000_000;

	/** Error of the next SET. */
	@Nullable Error setFails;

	/** Error of each watch. */
	@Nullable Error watchFails;

	/** Error of closing each watch. */
	@Nullable Error closeFails;

	/** Error of the next use of the timer. */
	@Nullable Error scheduleFails;

	static Version version(int number) {
		return Version.parse(number + ":0:StateStore");
	}

	/** Takes the oldest request in flight, and checks its command. */
	Request request(String verb) {
		assertThat(this.requests).isNotEmpty();
		Request request = this.requests.remove();
		assertThat(request.verb).isEqualTo(verb);
		return request;
	}

	void assertNoRequest() {
		assertThat(this.requests).isEmpty();
	}

	/** Returns the only watch. */
	ScriptedWatch watch() {
		assertThat(this.watches).hasSize(1);
		return this.watches.get(0);
	}

	/** Advances the clock without running timers, as during a pause of the process. */
	void pause(Duration duration) {
		this.now += duration.toNanos();
	}

	/** Advances the clock and runs the timers that are due. */
	void pass(Duration duration) {
		long until = this.now + duration.toNanos();
		for (int events = 0;; events++) {
			assertThat(events).as("events in %s", duration).isLessThan(1000);
			Timer next = this.timers.stream().min(Comparator.comparingLong((timer) -> timer.at - until)).orElse(null);
			if (next == null || next.at - until > 0) {
				break;
			}
			this.timers.remove(next);
			if (next.at - this.now > 0) {
				this.now = next.at;
			}
			next.task.run();
		}
		this.now = until;
	}

	/** Returns the number of scheduled timers. */
	int timers() {
		return this.timers.size();
	}

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public Runnable schedule(Duration delay, Runnable task) {
		Error failure = this.scheduleFails;
		this.scheduleFails = null;
		throwIfAny(failure);
		Timer timer = new Timer(this.now + delay.toNanos(), task);
		this.timers.add(timer);
		return () -> this.timers.remove(timer);
	}

	private static void throwIfAny(@Nullable Error failure) {
		if (failure != null) {
			throw failure;
		}
	}

	@Override
	public double random() {
		return 0;
	}

	@Override
	public void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
		renew(holder, lease, timeout, callback);
	}

	@Override
	public Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
		Error failure = this.setFails;
		this.setFails = null;
		throwIfAny(failure);
		Request request = new Request("SET", holder, lease, timeout, callback, null, null);
		this.requests.add(request);
		return () -> this.requests.remove(request);
	}

	@Override
	public void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback) {
		this.requests.add(new Request("VDEL", holder, null, timeout, null, callback, null));
	}

	@Override
	public void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback) {
		this.requests.add(new Request("GET", null, null, timeout, null, null, callback));
	}

	@Override
	public Watch watch(Watcher watcher) {
		throwIfAny(this.watchFails);
		ScriptedWatch watch = new ScriptedWatch(watcher);
		this.watches.add(watch);
		return watch;
	}

	/** Scheduled task, compared by identity. */
	private static final class Timer {

		private final long at;

		private final Runnable task;

		Timer(long at, Runnable task) {
			this.at = at;
			this.task = task;
		}

	}

	/** Request in flight. Exactly one of the callbacks is present. */
	record Request(String verb, @Nullable Bytes holder, @Nullable Duration lease, Duration timeout,
			@Nullable Callback<SetResult> set, @Nullable Callback<DeleteResult> deletion,
			@Nullable Callback<Optional<Entry<Bytes>>> read) {

		void applied(int version) {
			Objects.requireNonNull(this.set).done(new SetResult(true, version(version)), null);
		}

		void notApplied(int version) {
			Objects.requireNonNull(this.set).done(new SetResult(false, version(version)), null);
		}

		void done(Outcome outcome) {
			Objects.requireNonNull(this.deletion).done(new DeleteResult(outcome, null), null);
		}

		void value(Bytes value, int version) {
			Objects.requireNonNull(this.read).done(Optional.of(new Entry<>(LOCK, value, version(version))), null);
		}

		void absent() {
			Objects.requireNonNull(this.read).done(Optional.empty(), null);
		}

		void fails(StateStoreException failure) {
			if (this.set != null) {
				this.set.done(null, failure);
			}
			if (this.deletion != null) {
				this.deletion.done(null, failure);
			}
			if (this.read != null) {
				this.read.done(null, failure);
			}
		}

	}

	/** Watch controlled by a test. */
	final class ScriptedWatch implements Watch {

		private final Watcher watcher;

		private boolean active;

		boolean closed;

		ScriptedWatch(Watcher watcher) {
			this.watcher = watcher;
		}

		void start() {
			this.active = true;
			this.watcher.started();
		}

		void interrupt() {
			this.active = false;
			this.watcher.interrupted();
		}

		void resume() {
			this.active = true;
			this.watcher.resumed();
		}

		void refuse() {
			this.watcher.refused();
		}

		void set(Bytes value, int version, boolean resynchronized) {
			this.watcher.changed(new KeyChange<>(LOCK, Operation.SET, value, version(version), resynchronized));
		}

		void deleted(int version, boolean resynchronized) {
			this.watcher.changed(new KeyChange<>(LOCK, Operation.DELETE, null, version(version), resynchronized));
		}

		@Override
		public boolean isActive() {
			return this.active && !this.closed;
		}

		@Override
		public void close() {
			this.closed = true;
			throwIfAny(ScriptedStore.this.closeFails);
		}

	}

}
