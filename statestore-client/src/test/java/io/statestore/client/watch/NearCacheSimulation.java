package io.statestore.client.watch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.cache.NearCacheProbe;
import io.statestore.client.watch.WatchSimulation.Fault;
import io.statestore.client.watch.SimulatedStore.Stored;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One random schedule of reads, local writes, and writes of other processes, with delays
 * of every message, in virtual time. Checks every value that the near cache returns.
 */
final class NearCacheSimulation {

	static final List<Fault> FAULTS = List.of(Fault.NONE, Fault.UNORDERED, Fault.PUSHES_TWICE, Fault.CUTS,
			Fault.CUTS_AND_FAILURES, Fault.UNORDERED_CUTS, Fault.FORGETFUL_GATEWAY);

	private static final int STEPS = 150;

	private static final List<Key> KEYS = List.of(Key.of("a"), Key.of("b"), Key.of("c"));

	private final VirtualTime time = new VirtualTime();

	/** Latest version that a notification, a read, or a local write has reported. */
	private final Map<Key, Version> reported = new HashMap<>();

	/** Latest version of any key before a local deletion that found the key absent. */
	private final Map<Key, Version> deletedUpTo = new HashMap<>();

	private final String name;

	private final Fault fault;

	private final Random random;

	private final SimulatedStore store;

	private final StateStoreTemplate template;

	private final NearCacheProbe near;

	private int values;

	private int nearReads;

	NearCacheSimulation(long seed, Fault fault) {
		this.name = fault + ", seed " + seed;
		this.fault = fault;
		this.random = new Random(seed);
		this.store = new SimulatedStore(this.time, this.random);
		this.store.unordered = fault == Fault.UNORDERED || fault == Fault.UNORDERED_CUTS;
		this.store.pushesTwice = fault == Fault.PUSHES_TWICE;
		this.store.failures = (fault == Fault.CUTS_AND_FAILURES) ? 20 : 0;
		KeyWatches watches = new KeyWatches(new ReportingSource(), this.store,
				new WatchTiming(this.time::schedule, WatchOptions.DEFAULT, this.random::nextDouble),
				// Listeners never run: a near cache must not need their threads.
				(task) -> {
				});
		this.template = new StateStoreTemplate(this.store, null, watches);
		this.near = new NearCacheProbe(this.template, this.random.nextBoolean() ? 2 : 10);
	}

	/** Runs the schedule, and returns the number of reads that needed no request. */
	int run() {
		this.store.connect();
		for (int i = 0; i < STEPS; i++) {
			step(KEYS.get(this.random.nextInt(KEYS.size())));
			this.time.pass(this.random.nextInt(this.random.nextInt(10) == 0 ? 1000 : 25));
			KEYS.forEach(this::read);
		}
		this.store.failures = 0;
		this.store.connect();
		this.time.pass(600_000);
		checkEnd();
		return this.nearReads;
	}

	private void step(Key key) {
		switch (this.random.nextInt(8)) {
			case 0, 1 -> this.store.set(key.bytes(), value());
			case 2 -> this.store.delete(key.bytes());
			case 3 -> {
				Bytes value = value();
				this.template.async().set(key, value).whenComplete((result, failure) -> {
					this.near.written(key, result);
					if (result != null) {
						report(key, result.version());
						read(key);
					}
				});
			}
			case 4 -> delete(key);
			case 5 -> {
				if (this.fault == Fault.CUTS || this.fault == Fault.CUTS_AND_FAILURES
						|| this.fault == Fault.UNORDERED_CUTS) {
					this.store.cut();
				}
				else if (this.fault == Fault.FORGETFUL_GATEWAY) {
					this.store.forgetWatches();
				}
			}
			case 6 -> this.store.connect();
			default -> readThrough(key);
		}
	}

	private void delete(Key key) {
		int changesBefore = this.store.changes.size();
		this.template.async().delete(key).whenComplete((result, failure) -> {
			this.near.deleted(key, result);
			if (result != null && result.version() != null) {
				report(key, result.version());
			}
			else if (result != null && changesBefore > 0) {
				// Absent: all values from before the request are deleted.
				this.deletedUpTo.put(key, this.store.changes.get(changesBefore - 1).version());
			}
			read(key);
		});
	}

	private Bytes value() {
		return Bytes.of(Integer.toString(this.values++));
	}

	private void report(Key key, Version version) {
		this.reported.merge(key, version, (first, second) -> (first.compareTo(second) > 0) ? first : second);
	}

	private void readThrough(Key key) {
		if (read(key) == null) {
			this.template.async().get(key, Bytes.class).whenComplete((found, failure) -> {
				if (found != null) {
					found.ifPresent((entry) -> {
						this.near.found(entry);
						report(key, entry.version());
						read(key);
					});
				}
			});
		}
	}

	/** Reads the near cache, and checks what it returns. */
	private @Nullable Bytes read(Key key) {
		Bytes value = this.near.read(key);
		if (value != null) {
			this.nearReads++;
			assertThat(this.store.isConnected()).as(this.name).isTrue();
			Version deletedUpTo = this.deletedUpTo.get(key);
			if (deletedUpTo != null) {
				assertThat(versionOf(value)).as("%s, value %s of key %s", this.name, value.toUtf8(), key)
					.isGreaterThan(deletedUpTo);
			}
			Version reported = this.reported.get(key);
			if (reported != null) {
				assertThat(versionOf(value)).as("%s, value %s of key %s", this.name, value.toUtf8(), key)
					.isGreaterThanOrEqualTo(reported);
			}
		}
		return value;
	}

	private Version versionOf(Bytes value) {
		return this.store.changes.stream()
			.filter((change) -> value.equals(change.value()))
			.map(KeyChange::version)
			.findFirst()
			.orElseThrow();
	}

	/** Requires the state of the store, after all messages have arrived. */
	private void checkEnd() {
		for (Key key : KEYS) {
			Bytes value = this.near.read(key);
			Stored stored = this.store.entries.get(key.bytes());
			if (value != null) {
				assertThat(value).as(this.name).isEqualTo((stored != null) ? stored.value() : null);
			}
			if (stored != null) {
				readThrough(key);
				this.time.pass(600_000);
				assertThat(this.near.read(key)).as(this.name).isEqualTo(stored.value());
			}
		}
	}

	/** Source that reports the versions of arriving notifications. */
	private final class ReportingSource implements NotificationSource {

		@Override
		public void open(Handler handler) {
			NearCacheSimulation.this.store.open(new Handler() {

				@Override
				public void connected() {
					handler.connected();
				}

				@Override
				public void disconnected() {
					handler.disconnected();
				}

				@Override
				public void refused(StateStoreException reason) {
					handler.refused(reason);
				}

				@Override
				public void changed(KeyChange<Bytes> change) {
					handler.changed(change);
					report(change.key(), change.version());
					read(change.key());
				}

				@Override
				public void unreadable(Bytes key) {
					handler.unreadable(key);
				}

			});
		}

		@Override
		public void close() {
			NearCacheSimulation.this.store.close();
		}

		@Override
		public boolean isWatchable(Bytes key) {
			return true;
		}

		@Override
		public boolean isConnected() {
			return NearCacheSimulation.this.store.isConnected();
		}

	}

}
