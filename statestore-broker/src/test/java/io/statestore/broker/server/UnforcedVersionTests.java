package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Versions of a store that may have lost the end of its log. */
class UnforcedVersionTests {

	/** Number of random seeds, which is large in the nightly build. */
	private static final int SEEDS = Integer.getInteger("test.seeds", 4);

	private static final Command SET = new Command.Set(Bytes.of("k"), Bytes.of("v"));

	@AutoClose
	private RestartableStore store = new RestartableStore();

	private Version set() {
		return this.store.connect("client").call(SET).version();
	}

	/** Returns how far the versions are ahead of the system clock after some restarts. */
	private Duration drift(Consumer<RestartableStore> ending) {
		set();
		for (int i = 0; i < 5; i++) {
			ending.accept(this.store);
			set();
		}
		return Duration.ofMillis(set().wallMillis() - this.store.wallMillis.get());
	}

	@Test
	void killsDoNotAddUp() {
		this.store.with(Fsync.NEVER);
		assertThat(drift(RestartableStore::kill)).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));
	}

	@Test
	void killsAfterSnapshotsDoNotAddUp() {
		this.store.with(Fsync.NEVER);
		this.store.minLogBytes = 0;
		assertThat(drift(RestartableStore::kill)).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));
	}

	@Test
	void closeLeavesVersionsAtClock() {
		this.store.with(Fsync.NEVER);
		assertThat(drift(RestartableStore::restart)).isZero();
	}

	@Test
	void requestedPersistenceLeavesVersionsAtClock() {
		this.store.with(Persist.REQUESTED);
		assertThat(drift(RestartableStore::kill)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "NEVER", "INTERVAL" })
	void powerFailuresNeverRepeatVersion(Fsync fsync) {
		for (int seed = 0; seed < SEEDS; seed++) {
			this.store = new RestartableStore(seed).with(fsync);
			Version last = set();
			for (int i = 0; i < 6; i++) {
				this.store.pass(Duration.ofMillis(seed));
				if (i % 2 == 0) {
					this.store.kill();
				}
				else {
					this.store.cutPower();
				}
				for (int j = 0; j < 3; j++) {
					Version next = set();
					assertThat(next).isGreaterThan(last);
					last = next;
				}
			}
			this.store.close();
		}
	}

	/** Sets the key with a timestamp that is ahead of the system clock. */
	private Version setAhead(Duration lead) {
		RecordingConnection client = this.store.connect("ahead");
		Draft draft = client.draft(SET);
		long timestamp = this.store.wallMillis.get() + lead.toMillis();
		draft.userProperties = List.of(new UserProperty(UserProperties.TIMESTAMP, timestamp + ":0:client"));
		return RecordingConnection.received(client.exchange(draft)).version();
	}

	@ParameterizedTest
	@EnumSource(names = { "NEVER", "INTERVAL" })
	void versionsExceedLostClientTimestamps(Fsync fsync) {
		for (int seed = 0; seed < SEEDS; seed++) {
			this.store = new RestartableStore(seed).with(fsync);
			set();
			this.store.pass(Duration.ofMillis(900));
			Version last = setAhead(Duration.ofSeconds(50));
			this.store.pass(Duration.ofMillis(50));
			this.store.cutPower();
			this.store.pass(Duration.ofSeconds(3));
			assertThat(set()).isGreaterThan(last);
			this.store.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void clockSetBackAfterPolicyChangeKeepsVersionsIncreasing(Fsync next) {
		for (int seed = 0; seed < SEEDS; seed++) {
			this.store = new RestartableStore(seed).with(Fsync.NEVER);
			this.store.minLogBytes = (seed % 2 == 0) ? 0 : Long.MAX_VALUE;
			set();
			this.store.pass(Duration.ofSeconds(20));
			Version last = setAhead(Duration.ofSeconds(50));
			this.store.with(next);
			this.store.wallMillis.addAndGet(-Duration.ofHours(1).toMillis());
			this.store.cutPower();
			assertThat(set()).isGreaterThan(last);
			this.store.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "5:0:StateStore" })
	void restoredStoreStartsAboveClientTimestamps(String after, @TempDir Path temporary) {
		Path file = temporary.resolve("backup");
		Path restored = temporary.resolve("restored");
		Path original = temporary.resolve("original");
		TestBackups.write(original, file);
		long before = System.currentTimeMillis();
		StoreDirectory.restore(file, restored, after.isEmpty() ? null : Version.parse(after));
		try (StateStoreServer server = new StateStoreServer(
				StateStoreServerOptions.defaults().withStorage(StorageOptions.in(restored)))) {
			Version first = RecordingConnection.to(server, "client").call(SET).version();
			assertThat(first.wallMillis()).isGreaterThanOrEqualTo(before + HybridLogicalClock.MAX_DRIFT.toMillis());
		}
	}

}
