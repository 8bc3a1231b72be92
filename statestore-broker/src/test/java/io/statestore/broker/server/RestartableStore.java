package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.TestDisk;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.Persist;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;

/** A store on a simulated disk whose server can end at any time and be restarted. */
final class RestartableStore implements AutoCloseable {

	final TestDisk disk;

	/** Monotonic clock of the machine. */
	final AtomicLong nanos = new AtomicLong();

	/** System clock of the machine. */
	final AtomicLong wallMillis = new AtomicLong(1_700_000_000_000L);

	StorageOptions storage = StorageOptions.in(Path.of("/store"));

	Quota quota = Quota.UNLIMITED;

	long maxHeld = 16 << 20;

	long segmentBytes = 64 << 10;

	long minLogBytes = Long.MAX_VALUE;

	@Nullable ScheduledExecutorService scheduler;

	/** Thrown by the monotonic clock, which is first read after a recovery. */
	volatile @Nullable RuntimeException clockFailure;

	private @Nullable StateStoreServer server;

	RestartableStore() {
		this(1);
	}

	RestartableStore(long seed) {
		this.disk = new TestDisk(seed);
	}

	RestartableStore with(Fsync fsync) {
		this.storage = this.storage.withFsync(fsync);
		return this;
	}

	RestartableStore with(Persist persist) {
		this.storage = this.storage.withPersist(persist);
		return this;
	}

	/** Returns the running server, which is started if necessary. */
	StateStoreServer server() {
		if (this.server == null) {
			StateStoreServerOptions options = StateStoreServerOptions.defaults()
				.withNanoClock(this::nanos)
				.withWallClock(this.wallMillis::get)
				.withQuota(this.quota)
				.withReplyMemory(1 << 20)
				.withStorage(this.storage);
			if (this.scheduler != null) {
				options = options.withScheduler(this.scheduler);
			}
			this.server = new StateStoreServer(options,
					new ServerTuning(this.maxHeld, this.segmentBytes, this.minLogBytes, this.disk::open));
		}
		return this.server;
	}

	private long nanos() {
		RuntimeException failure = this.clockFailure;
		if (failure != null) {
			throw failure;
		}
		return this.nanos.get();
	}

	/** Opens a connection to the running server. */
	RecordingConnection connect(String clientId) {
		return RecordingConnection.to(server(), clientId);
	}

	void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
		this.wallMillis.addAndGet(time.toMillis());
	}

	/** Closes the server and starts another server. */
	void restart() {
		close();
		server();
	}

	/** Ends the server like {@code kill -9} and starts another server. */
	void kill() {
		this.disk.kill();
		close();
		server();
	}

	/** Ends the server with a power failure and starts another server. */
	void cutPower() {
		this.disk.cutPower();
		close();
		server();
	}

	@Override
	public void close() {
		if (this.server != null) {
			this.server.close();
			this.server = null;
		}
	}

}
