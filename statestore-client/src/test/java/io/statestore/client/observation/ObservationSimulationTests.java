package io.statestore.client.observation;

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
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.observation.SimulatedStore.Stored;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random schedules of changes, losses and restarts in virtual time. A seed that fails is
 * in the message and fails again.
 */
@Tag("long")
class ObservationSimulationTests {

	private static final int SEEDS = Integer.getInteger("simulation.seeds", 400);

	private static final int STEPS = 120;

	private static final Bytes[] KEYS = { Bytes.of("a"), Bytes.of("b") };

	/** What goes wrong. */
	enum Trouble {

		NONE, UNORDERED, PUSHES_TWICE, CUTS, CUTS_AND_FAILURES, UNORDERED_CUTS, RESTARTS, CLOCK_GOES_BACK,
		FORGETFUL_GATEWAY, SLOW_LISTENERS, UNREADABLE, REJECTIONS, EVERYTHING

	}

	@ParameterizedTest
	@EnumSource
	void listenersEndWithWhatTheStoreHas(Trouble trouble) {
		for (long seed = 0; seed < SEEDS; seed++) {
			new Simulation(seed, trouble).run();
		}
	}

	private static final class Simulation {

		private final VirtualTime time = new VirtualTime();

		private final List<Recorder> recorders = new ArrayList<>();

		private final String name;

		private final Random random;

		private final Trouble trouble;

		private final SimulatedStore store;

		private final KeyObservations observations;

		private final CommandInvoker own;

		private Map<Bytes, Stored> copy = new HashMap<>();

		private boolean wentBack;

		private Simulation(long seed, Trouble trouble) {
			this.name = trouble + ", seed " + seed;
			this.trouble = trouble;
			this.random = new Random(seed);
			this.store = new SimulatedStore(this.time, this.random);
			this.store.unordered = is(Trouble.UNORDERED, Trouble.UNORDERED_CUTS, Trouble.EVERYTHING);
			this.store.pushesTwice = is(Trouble.PUSHES_TWICE, Trouble.EVERYTHING);
			this.store.failures = is(Trouble.CUTS_AND_FAILURES, Trouble.EVERYTHING) ? 20 : 0;
			int capacity = is(Trouble.SLOW_LISTENERS, Trouble.EVERYTHING) ? 3 : 1000;
			int pause = is(Trouble.SLOW_LISTENERS, Trouble.EVERYTHING) ? 300 : 5;
			this.store.unreadable = is(Trouble.UNREADABLE, Trouble.EVERYTHING) ? 20 : 0;
			int rejections = is(Trouble.REJECTIONS, Trouble.EVERYTHING) ? 30 : 0;
			Executor executor = (task) -> {
				if (this.random.nextInt(100) < rejections) {
					throw new RejectedExecutionException("busy");
				}
				this.time.after(this.random.nextInt(pause), task);
				if (this.random.nextInt(100) < rejections) {
					throw new OutOfMemoryError("unable to create native thread");
				}
			};
			this.observations = new KeyObservations(this.store, this.store,
					new ObservationTiming(this.time::schedule,
							ObservationOptions.DEFAULT.withRenewal(Duration.ofMinutes(5)).withQueueCapacity(capacity),
							this.random::nextDouble),
					executor);
			this.own = this.observations.tracking(this.store);
		}

		private boolean is(Trouble... troubles) {
			return List.of(troubles).contains(this.trouble);
		}

		private void run() {
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
			// Only a gateway that forgets may need a renewal.
			this.time.pass(Duration.ofMinutes(is(Trouble.FORGETFUL_GATEWAY, Trouble.EVERYTHING) ? 10 : 3).toMillis());
			this.recorders.forEach(Recorder::check);
		}

		private void step() {
			Bytes key = KEYS[this.random.nextInt(KEYS.length)];
			switch (this.random.nextInt(12)) {
				case 0, 1, 2, 3 -> this.store.set(key, value());
				case 4, 5 -> this.store.delete(key);
				case 6 -> this.own.invoke(new Command.Set(key, value()), Options.DEFAULT);
				case 7 -> this.own.invoke(new Command.Del(key), Options.DEFAULT);
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
			if (is(Trouble.CUTS, Trouble.CUTS_AND_FAILURES, Trouble.UNORDERED_CUTS, Trouble.RESTARTS,
					Trouble.CLOCK_GOES_BACK) || (is(Trouble.EVERYTHING) && pick == 0)) {
				this.store.cut();
			}
			if (is(Trouble.RESTARTS) || (is(Trouble.EVERYTHING) && pick == 1)) {
				if (this.random.nextBoolean()) {
					this.store.loseData();
				}
			}
			if (is(Trouble.CLOCK_GOES_BACK) || (is(Trouble.EVERYTHING) && pick == 2)) {
				goBack();
			}
			if (is(Trouble.FORGETFUL_GATEWAY) || (is(Trouble.EVERYTHING) && pick == 3)) {
				this.store.forgetObservations();
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

		private void listen(Bytes key, boolean initial, boolean ignoreOwn) {
			this.recorders.add(new Recorder(key, initial, ignoreOwn));
		}

		private final class Recorder {

			private final List<KeyChange<Bytes>> told = new ArrayList<>();

			private final Bytes key;

			private final boolean initial;

			private final boolean ignoreOwn;

			private final KeyObservation observation;

			private boolean started;

			private boolean closed;

			/**
			 * What the observation may have begun with, depending on when it was read.
			 */
			private final List<@Nullable Stored> beginnings = new ArrayList<>();

			private int changesAtStart;

			private final boolean presentBefore;

			private final int changesBefore;

			private final long since = Simulation.this.time.now();

			private Recorder(Bytes key, boolean initial, boolean ignoreOwn) {
				this.key = key;
				this.initial = initial;
				this.ignoreOwn = ignoreOwn;
				Stored before = Simulation.this.store.entries.get(key);
				this.presentBefore = before != null;
				this.beginnings.add(before);
				this.changesBefore = Simulation.this.store.changes.size();
				Settings settings = new Settings("test", initial, ignoreOwn, Set.of(Operation.values()), null);
				this.observation = Simulation.this.observations.observe(Key.of(key), settings, (change) -> {
					assertThat(this.closed).as(Simulation.this.name).isFalse();
					this.told.add(change);
				});
				this.observation.started().whenComplete((nothing, refused) -> {
					this.started = refused == null;
					this.beginnings.add(Simulation.this.store.lastRead.get(key));
					this.changesAtStart = Simulation.this.store.changes.size();
					changesBeforeStart().forEach((change) -> this.beginnings
						.add((change.value() != null) ? new Stored(change.value(), change.version()) : null));
				});
			}

			private void close() {
				this.closed = true;
				this.observation.close();
			}

			private void check() {
				String name = Simulation.this.name + (this.initial ? ", initial" : "")
						+ (this.ignoreOwn ? ", ignoring own, " : ", ") + this.told;
				if (!Simulation.this.wentBack) {
					assertThat(this.told.stream().map(KeyChange::version)).as(name)
						.isSortedAccordingTo(Version::compareTo)
						.doesNotHaveDuplicates();
				}
				if (!this.ignoreOwn && !is(Trouble.SLOW_LISTENERS, Trouble.EVERYTHING)) {
					for (int i = 1; i < this.told.size(); i++) {
						assertThat(List.of(this.told.get(i - 1).operation(), this.told.get(i).operation())).as(name)
							.contains(Operation.SET);
					}
				}
				if (this.closed) {
					return;
				}
				assertThat(this.observation.isActive()).as(name).isTrue();
				if (!is(Trouble.CUTS_AND_FAILURES, Trouble.EVERYTHING)) {
					assertThat(this.started).as(name).isTrue();
				}
				checkInitial(name);
				if (this.ignoreOwn && Simulation.this.wentBack) {
					return;
				}
				if (this.ignoreOwn) {
					checkOwn(name);
				}
				else {
					checkEnd(name);
					if (is(Trouble.NONE, Trouble.PUSHES_TWICE)) {
						checkComplete(name);
					}
				}
			}

			private Stream<KeyChange<Bytes>> changesBeforeStart() {
				return Simulation.this.store.changes.subList(this.changesBefore, this.changesAtStart)
					.stream()
					.filter((change) -> change.key().bytes().equals(this.key));
			}

			/** Whoever wrote it. */
			private void checkInitial(String name) {
				if (!this.initial || !this.started || !this.presentBefore
						|| is(Trouble.RESTARTS, Trouble.CLOCK_GOES_BACK, Trouble.EVERYTHING)) {
					return;
				}
				boolean deletedMeanwhile = changesBeforeStart()
					.anyMatch((change) -> change.operation() == Operation.DELETE);
				if (!deletedMeanwhile) {
					assertThat(this.told).as(name).isNotEmpty();
				}
			}

			private void checkEnd(String name) {
				Stored end = Simulation.this.store.entries.get(this.key);
				if (this.told.isEmpty()) {
					// A change that only a listener with initial must hear of.
					// What a gateway forgot before the listener came is known to nobody.
					if (this.started && !is(Trouble.FORGETFUL_GATEWAY, Trouble.EVERYTHING)) {
						assertThat(end).as(name).isIn(this.initial ? Collections.singletonList(null) : this.beginnings);
					}
					return;
				}
				KeyChange<Bytes> last = this.told.get(this.told.size() - 1);
				assertThat(last.value()).as(name).isEqualTo((end != null) ? end.value() : null);
				if (end != null) {
					assertThat(last.version()).as(name).isEqualTo(end.version());
				}
			}

			/** Where nothing is lost, nothing may be left out. */
			private void checkComplete(String name) {
				Set<Version> versions = new HashSet<>(this.told.stream().map(KeyChange::version).toList());
				List<KeyChange<Bytes>> changes = Simulation.this.store.changes;
				assertThat(changes.subList(this.changesAtStart, changes.size())).as(name)
					.filteredOn((change) -> change.key().bytes().equals(this.key))
					.allSatisfy((change) -> assertThat(versions).contains(change.version()));
			}

			private void checkOwn(String name) {
				assertThat(this.told.stream().skip(this.initial ? 1 : 0)).as(name).noneMatch((change) -> {
					Long sentAt = Simulation.this.store.ownChangesReplied
						.get(SimulatedStore.describe(change.key(), change.operation(), change.version()));
					// Earlier ones are those of others.
					return sentAt != null && sentAt > this.since;
				});
				Stored end = Simulation.this.store.entries.get(this.key);
				if (!this.started || end == null || this.beginnings.contains(end)
						|| Simulation.this.store.ownVersions.contains(end.version())) {
					return;
				}
				assertThat(this.told).as(name).isNotEmpty();
				assertThat(this.told.get(this.told.size() - 1).version()).as(name).isEqualTo(end.version());
			}

		}

	}

}
