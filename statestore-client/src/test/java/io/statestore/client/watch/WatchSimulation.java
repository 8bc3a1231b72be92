package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;

import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.watch.SimulatedStore.Stored;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One random schedule of changes, faults, and listeners in virtual time, with the checks
 * of every listener at its end.
 */
final class WatchSimulation {

	private static final int STEPS = 120;

	private static final Bytes[] KEYS = { Bytes.of("a"), Bytes.of("b") };

	/** Fault of the store, the network, or the executor. */
	enum Fault {

		NONE, UNORDERED, PUSHES_TWICE, CUTS, CUTS_AND_FAILURES, UNORDERED_CUTS, RESTARTS, CLOCK_GOES_BACK,
		FORGETFUL_GATEWAY, SLOW_LISTENERS, UNREADABLE, REJECTIONS, EVERYTHING

	}

	private final VirtualTime time = new VirtualTime();

	private final List<Recorder> recorders = new ArrayList<>();

	private final String name;

	private final Random random;

	private final Fault fault;

	private final SimulatedStore store;

	private final KeyWatches watches;

	private final CommandInvoker localWriter;

	private Map<Bytes, Stored> copy = new HashMap<>();

	private boolean wentBack;

	WatchSimulation(long seed, Fault fault) {
		this.name = fault + ", seed " + seed;
		this.fault = fault;
		this.random = new Random(seed);
		this.store = new SimulatedStore(this.time, this.random);
		this.store.unordered = is(Fault.UNORDERED, Fault.UNORDERED_CUTS, Fault.EVERYTHING);
		this.store.pushesTwice = is(Fault.PUSHES_TWICE, Fault.EVERYTHING);
		this.store.failures = is(Fault.CUTS_AND_FAILURES, Fault.EVERYTHING) ? 20 : 0;
		int capacity = is(Fault.SLOW_LISTENERS, Fault.EVERYTHING) ? 3 : 1000;
		int pause = is(Fault.SLOW_LISTENERS, Fault.EVERYTHING) ? 300 : 5;
		this.store.unreadable = is(Fault.UNREADABLE, Fault.EVERYTHING) ? 20 : 0;
		int rejections = is(Fault.REJECTIONS, Fault.EVERYTHING) ? 30 : 0;
		Executor executor = (task) -> {
			if (this.random.nextInt(100) < rejections) {
				throw new RejectedExecutionException("busy");
			}
			this.time.after(this.random.nextInt(pause), task);
			if (this.random.nextInt(100) < rejections) {
				throw new OutOfMemoryError("unable to create native thread");
			}
		};
		this.watches = new KeyWatches(this.store, this.store,
				new WatchTiming(this.time::schedule,
						WatchOptions.DEFAULT.withRenewal(Duration.ofMinutes(5)).withQueueCapacity(capacity),
						this.random::nextDouble),
				executor);
		this.localWriter = this.watches.tracking(this.store);
	}

	private boolean is(Fault... faults) {
		return List.of(faults).contains(this.fault);
	}

	void run() {
		this.store.connect();
		for (Bytes key : KEYS) {
			if (this.random.nextBoolean()) {
				this.store.set(key, value());
			}
			listen(key, false, false);
			listen(key, true, false);
			listen(key, false, true);
			listen(key, true, true);
		}
		this.time.pass(this.random.nextInt(100));
		for (int i = 0; i < STEPS; i++) {
			step();
			this.time.pass(this.random.nextInt(this.random.nextInt(20) == 0 ? 3000 : 60));
		}
		this.store.failures = 0;
		this.store.connect();
		// Only a gateway that drops watches requires a renewal.
		this.time.pass(Duration.ofMinutes(is(Fault.FORGETFUL_GATEWAY, Fault.EVERYTHING) ? 10 : 3).toMillis());
		this.recorders.forEach(Recorder::check);
	}

	private void step() {
		Bytes key = KEYS[this.random.nextInt(KEYS.length)];
		switch (this.random.nextInt(12)) {
			case 0, 1, 2, 3 -> this.store.set(key, value());
			case 4, 5 -> this.store.delete(key);
			case 6 -> this.localWriter.invoke(new Command.Set(key, value()), Options.DEFAULT);
			case 7 -> this.localWriter.invoke(new Command.Del(key), Options.DEFAULT);
			case 8 -> this.store.connect();
			case 9 -> {
				if (this.random.nextInt(3) == 0) {
					listen(key, this.random.nextBoolean(), this.random.nextInt(4) == 0);
				}
				else if (this.recorders.size() > 2) {
					this.recorders.get(this.random.nextInt(this.recorders.size())).close();
				}
			}
			default -> disturb();
		}
	}

	private void disturb() {
		int pick = this.random.nextInt(4);
		if (is(Fault.CUTS, Fault.CUTS_AND_FAILURES, Fault.UNORDERED_CUTS, Fault.RESTARTS, Fault.CLOCK_GOES_BACK)
				|| (is(Fault.EVERYTHING) && pick == 0)) {
			this.store.cut();
		}
		if (is(Fault.RESTARTS) || (is(Fault.EVERYTHING) && pick == 1)) {
			if (this.random.nextBoolean()) {
				this.store.loseData();
			}
		}
		if (is(Fault.CLOCK_GOES_BACK) || (is(Fault.EVERYTHING) && pick == 2)) {
			goBack();
		}
		if (is(Fault.FORGETFUL_GATEWAY) || (is(Fault.EVERYTHING) && pick == 3)) {
			this.store.forgetWatches();
		}
	}

	private void goBack() {
		switch (this.random.nextInt(4)) {
			case 0 -> this.copy = new HashMap<>(this.store.entries);
			case 1 -> {
				this.wentBack = true;
				this.store.loseClock(this.random.nextInt(5000));
				this.store.restore(this.copy);
			}
			case 2 -> {
				this.wentBack = true;
				this.store.loseData();
				this.store.loseClock(this.random.nextInt(50_000));
			}
			default -> this.store.connect();
		}
	}

	private Bytes value() {
		return Bytes.of(Integer.toString(this.random.nextInt(1000)));
	}

	private void listen(Bytes key, boolean initial, boolean noLocal) {
		this.recorders.add(new Recorder(key, initial, noLocal));
	}

	private final class Recorder {

		private final List<KeyChange<Bytes>> delivered = new ArrayList<>();

		private final Bytes key;

		private final boolean initial;

		private final boolean noLocal;

		private final KeyWatch watch;

		private boolean started;

		private boolean closed;

		/** Possible states of the key when the watch began. */
		private final List<@Nullable Stored> beginnings = new ArrayList<>();

		private int changesAtStart;

		private final boolean presentBefore;

		private final int changesBefore;

		private final long since = WatchSimulation.this.time.now();

		private Recorder(Bytes key, boolean initial, boolean noLocal) {
			this.key = key;
			this.initial = initial;
			this.noLocal = noLocal;
			Stored before = WatchSimulation.this.store.entries.get(key);
			this.presentBefore = before != null;
			this.beginnings.add(before);
			this.changesBefore = WatchSimulation.this.store.changes.size();
			Settings settings = new Settings("test", initial, noLocal, Set.of(Operation.values()), null);
			this.watch = WatchSimulation.this.watches.watch(Key.of(key), settings, (change) -> {
				assertThat(this.closed).as(WatchSimulation.this.name).isFalse();
				this.delivered.add(change);
			});
			this.watch.started().whenComplete((nothing, refused) -> {
				this.started = refused == null;
				this.beginnings.add(WatchSimulation.this.store.lastRead.get(key));
				this.changesAtStart = WatchSimulation.this.store.changes.size();
				changesBeforeStart().forEach((change) -> this.beginnings
					.add((change.value() != null) ? new Stored(change.value(), change.version()) : null));
			});
		}

		private void close() {
			this.closed = true;
			this.watch.close();
		}

		private void check() {
			String name = WatchSimulation.this.name + (this.initial ? ", initial" : "")
					+ (this.noLocal ? ", ignoring own, " : ", ") + this.delivered;
			if (!WatchSimulation.this.wentBack) {
				assertThat(this.delivered.stream().map(KeyChange::version)).as(name)
					.isSortedAccordingTo(Version::compareTo)
					.doesNotHaveDuplicates();
			}
			if (!this.noLocal && !is(Fault.SLOW_LISTENERS, Fault.EVERYTHING)) {
				for (int i = 1; i < this.delivered.size(); i++) {
					assertThat(List.of(this.delivered.get(i - 1).operation(), this.delivered.get(i).operation()))
						.as(name)
						.contains(Operation.SET);
				}
			}
			for (int i = 1; i < this.delivered.size() && !this.noLocal; i++) {
				KeyChange<Bytes> change = this.delivered.get(i);
				KeyChange<Bytes> previous = this.delivered.get(i - 1);
				if (previous.operation() == Operation.SET && change.version().compareTo(previous.version()) <= 0) {
					// The value was lost, and perhaps others.
					assertThat(change.resynchronized()).as(name).isTrue();
				}
			}
			if (this.closed) {
				return;
			}
			assertThat(this.watch.isActive()).as(name).isTrue();
			if (!is(Fault.CUTS_AND_FAILURES, Fault.EVERYTHING)) {
				assertThat(this.started).as(name).isTrue();
			}
			checkInitial(name);
			if (this.noLocal && WatchSimulation.this.wentBack) {
				return;
			}
			if (this.noLocal) {
				checkOwn(name);
			}
			else {
				checkEnd(name);
				if (is(Fault.NONE, Fault.PUSHES_TWICE)) {
					checkComplete(name);
				}
			}
		}

		private Stream<KeyChange<Bytes>> changesBeforeStart() {
			return WatchSimulation.this.store.changes.subList(this.changesBefore, this.changesAtStart)
				.stream()
				.filter((change) -> change.key().bytes().equals(this.key));
		}

		/** Requires the initial value, whether or not it is a local write. */
		private void checkInitial(String name) {
			if (!this.initial || !this.started || !this.presentBefore
					|| is(Fault.RESTARTS, Fault.CLOCK_GOES_BACK, Fault.EVERYTHING)) {
				return;
			}
			boolean deletedMeanwhile = changesBeforeStart()
				.anyMatch((change) -> change.operation() == Operation.DELETE);
			if (!deletedMeanwhile) {
				assertThat(this.delivered).as(name).isNotEmpty();
			}
		}

		private void checkEnd(String name) {
			Stored end = WatchSimulation.this.store.entries.get(this.key);
			if (this.delivered.isEmpty()) {
				// The listener may have begun with this state. A gateway may have dropped
				// the watch before that.
				if (this.started && !is(Fault.FORGETFUL_GATEWAY, Fault.EVERYTHING)) {
					assertThat(end).as(name).isIn(this.initial ? Collections.singletonList(null) : this.beginnings);
				}
				return;
			}
			KeyChange<Bytes> last = this.delivered.get(this.delivered.size() - 1);
			assertThat(last.value()).as(name).isEqualTo((end != null) ? end.value() : null);
			if (end != null) {
				assertThat(last.version()).as(name).isEqualTo(end.version());
			}
		}

		/** Requires every change after the start. */
		private void checkComplete(String name) {
			Set<Version> versions = new HashSet<>(this.delivered.stream().map(KeyChange::version).toList());
			List<KeyChange<Bytes>> changes = WatchSimulation.this.store.changes;
			assertThat(changes.subList(this.changesAtStart, changes.size())).as(name)
				.filteredOn((change) -> change.key().bytes().equals(this.key))
				.allSatisfy((change) -> assertThat(versions).contains(change.version()));
		}

		private void checkOwn(String name) {
			assertThat(this.delivered.stream().skip(this.initial ? 1 : 0)).as(name).noneMatch((change) -> {
				Long sentAt = WatchSimulation.this.store.ownChangesReplied
					.get(SimulatedStore.describe(change.key(), change.operation(), change.version()));
				// Local writes sent before the listener are not ignored.
				return sentAt != null && sentAt > this.since;
			});
			Stored end = WatchSimulation.this.store.entries.get(this.key);
			if (!this.started || end == null || this.beginnings.contains(end)
					|| WatchSimulation.this.store.ownVersions.contains(end.version())) {
				return;
			}
			assertThat(this.delivered).as(name).isNotEmpty();
			assertThat(this.delivered.get(this.delivered.size() - 1).version()).as(name).isEqualTo(end.version());
		}

	}

}
